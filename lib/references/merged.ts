import { Contacts, MergedContacts, type StoredContact } from '#lib/entities/contact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** The contact, or the one that it has been merged into meanwhile. */
export async function resolveMerged(tx: UnitOfWork, id: number): Promise<StoredContact | undefined> {
  const contact = await tx.find(Contacts, { id });
  if (contact) return contact;
  const merged = await tx.find(MergedContacts, { id });
  return merged && resolveMerged(tx, merged.into);
}

/** The last one that it has been merged into, whether that one is still there or not; itself if nobody. */
export async function mergedInto(tx: UnitOfWork, id: number): Promise<number> {
  const merged = await tx.find(MergedContacts, { id });
  return merged ? mergedInto(tx, merged.into) : id;
}

import { Contacts, MergedContacts, type StoredContact } from '#lib/entities/contact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** The contact, or the one that it has been merged into meanwhile. */
export async function resolveMerged(tx: UnitOfWork, id: number): Promise<StoredContact | undefined> {
  const contact = await tx.find(Contacts, { id });
  if (contact) return contact;
  const merged = await tx.find(MergedContacts, { id });
  return merged && resolveMerged(tx, merged.into);
}

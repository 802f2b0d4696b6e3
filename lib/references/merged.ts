import { Contacts, MergedContacts, type StoredContact } from '#lib/entities/contact.ts';
import { keyOf } from '#lib/table/entity.ts';
import { readRow } from '#lib/table/rows.ts';
import { isAbsent } from '#lib/table/stored.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { system, type Tenant } from '#lib/tenant.ts';

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

/** Whether a contact, or the one that it has been merged into meanwhile, is there, whatever its row holds. One read for most. */
export async function isThere(tenant: Tenant, id: number): Promise<boolean> {
  const row = await readRow(keyOf(tenant, Contacts, { id }));
  if (row !== undefined && !isAbsent(row)) return true;
  const merged = await new UnitOfWork(tenant, system).find(MergedContacts, { id });
  return merged !== undefined && isThere(tenant, merged.into);
}

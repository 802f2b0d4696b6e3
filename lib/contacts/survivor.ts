import type { Transaction } from '#lib/table/transaction.ts';
import { Contacts, MergedContacts, type StoredContact } from './contact.ts';

/** The contact, or the one that it has been merged into meanwhile. */
export async function findSurvivor(tx: Transaction, id: number): Promise<StoredContact | undefined> {
  const contact = await tx.find(Contacts, { id });
  if (contact) return contact;
  const merged = await tx.find(MergedContacts, { id });
  return merged && findSurvivor(tx, merged.into);
}

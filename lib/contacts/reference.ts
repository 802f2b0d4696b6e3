import { unknownReference } from '#lib/problem.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { Contacts, type StoredContact } from './contact.ts';

/** The contact that a body names, unchanged until the unit of work commits; null without one. Raises 400. */
export async function referredContact(tx: Transaction, id: number | null | undefined): Promise<StoredContact | null> {
  if (id === null || id === undefined) return null;
  const contact = await tx.find(Contacts, { id });
  if (contact === undefined) throw unknownReference('contactId');
  tx.demandUnchanged(Contacts, contact);
  return contact;
}

import { Contacts, hadEmail, MergedContacts, type StoredContact, sameAs } from '#lib/entities/contact.ts';
import { resolveMerged } from '#lib/entities/references/merged.ts';
import { firstIndexed } from '#lib/table/entries.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/**
 * The contact with this address; of several the one that was there first. Else the one into whom somebody was merged who had it, or an
 * archived one.
 */
export async function contactWithEmail(tx: UnitOfWork, email: string): Promise<StoredContact | undefined> {
  const contact = await firstIndexed(tx, Contacts, sameAs('email', email));
  if (contact) return contact;
  const merged = await firstIndexed(tx, MergedContacts, hadEmail(email));
  const heir = merged && (await resolveMerged(tx, merged.into));
  return heir ?? firstIndexed(tx, Contacts, sameAs('email', email), undefined, 'true');
}

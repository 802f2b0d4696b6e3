import { Contacts, type StoredContact, sameAs } from '#lib/entities/contact.ts';
import { firstIndexed } from '#lib/table/entries.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** The contact with this address; of several the one that was there first. */
export const contactWithEmail = (tx: UnitOfWork, email: string): Promise<StoredContact | undefined> =>
  firstIndexed(tx, Contacts, sameAs('email', email));

import type { Transaction } from '#lib/table/transaction.ts';
import type { StoredContact } from './contact.ts';

/**
 * Rows of another noun that name a contact. Each noun exports one from its store; `followers` lists them. Whoever writes
 * such a row says `tx.demandUnchanged(Contacts, contact)` in the same transaction, so that none appears behind a merge or
 * with a name that has just changed.
 */
export interface Follower {
  /**
   * Makes rows that name the contact `from` name `to` instead, while `hasRoom(tx)`. Returns whether some may be left: it is
   * then called again in a transaction of its own. A moved row is no longer found under `from`, so each moves exactly once.
   */
  move(tx: Transaction, from: number, to: StoredContact): Promise<boolean>;
  /** Writes the contact's name into the rows that show another one, likewise. For nouns that show `contactName`. */
  renamed?(tx: Transaction, contact: StoredContact): Promise<boolean>;
}

/** Whether another row, with up to fifteen index entries, still fits into the transaction. */
export const hasRoom = (tx: Transaction): boolean => tx.size <= 80;

import { Copies } from '#lib/entities/copy.ts';
import { removeFolder } from '#lib/files/bucket.ts';
import { copyFolder } from '#lib/files/keys.ts';
import { isUnderWay } from '#lib/search/copy-state.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import type { Part } from './part.ts';

/** The nouns whose rows hold a contact's data: its own, the names that deals show, and threads. */
const nouns = ['contact', 'deal', 'email-thread'] as const;

/** Removes the copies for searches that may hold a contact: one that is being written may have read it before it was gone. */
export async function eraseCopies(tx: UnitOfWork): Promise<Part> {
  for (const noun of nouns) {
    const copy = await tx.find(Copies, { noun });
    if (copy === undefined) continue;
    if (isUnderWay(copy, tx.now)) return { isLeft: true, place: { isWaiting: true } };
    if (copy.version === null && copy.next === null) continue;
    await removeFolder(copyFolder(tx.tenant, noun));
    tx.update(Copies, { ...copy, version: null, asOf: null, next: null });
  }
  return { isLeft: false };
}

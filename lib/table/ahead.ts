import { commitAtOnce } from './commit.ts';
import type { Key } from './keys.ts';
import { putRows } from './rows.ts';
import { newSaga, type SagaKind, Sagas } from './saga.ts';
import { UnitOfWork } from './unit-of-work.ts';

const perPart = 90;

/** Removes index entries that were written ahead of rows which never came, and those of deleted rows. */
export const removingEntries: SagaKind<{ entries: Key[] }, 'remove-entries'> = {
  name: 'remove-entries',
  async step(tx, { entries }) {
    for (const key of entries.slice(0, perPart)) tx.write({ key, item: null });
    return entries.length > perPart ? { entries: entries.slice(perPart) } : undefined;
  },
};

/**
 * Writes the index entries of new rows ahead of a commit that has no room for them: nobody finds a row by them that is not there. A saga
 * that ends with the commit removes them if it never comes, and nothing is written once the saga has begun to.
 */
export async function writeEntriesAhead(
  tx: UnitOfWork,
  finish: (kind: typeof removingEntries, id: string) => Promise<void>,
): Promise<void> {
  const entries = tx.work.changes.filter(({ isEntryOfNewKey }) => isEntryOfNewKey);
  if (entries.length === 0) return;
  tx.hasEntriesAhead = true;
  const begun = new UnitOfWork(tx.tenant, tx.actor);
  const { id } = begun.create(Sagas, newSaga(begun, removingEntries, { entries: entries.map(({ key }) => key) }));
  await commitAtOnce(begun);
  tx.otherwise(() => finish(removingEntries, id));
  await putRows(entries.map(({ key, item }) => ({ ...item, ...key })));
  tx.delete(Sagas, await tx.get(Sagas, { id }));
}

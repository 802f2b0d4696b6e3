import { type Conditional, conditional, fitsOne, send } from './change.ts';
import { type Key, requireOwn } from './keys.ts';
import { outboxItems } from './outbox.ts';
import { putRows } from './rows.ts';
import { newSaga, type SagaKind, Sagas } from './saga.ts';
import { requireSize } from './size.ts';
import { UnitOfWork } from './unit-of-work.ts';

/**
 * Returns all that a unit of work writes, events and audit entry included. Throws when a row of another tenant is among
 * it, and UnfitRow for a row that is too large.
 */
function actionsOf(tx: UnitOfWork): Conditional[] {
  const { changes, writes, events, audit } = tx.work;
  const outbox = outboxItems(tx.tenant, tx.id, tx.now, tx.actor, events, audit);
  for (const { key } of [...changes, ...writes, ...outbox.map((key) => ({ key }))]) requireOwn(tx.tenant, key, true);
  for (const { key, item, set } of [...changes, ...writes]) if (item || set) requireSize({ ...(item ?? set), ...key });
  return [...changes, ...writes, ...outbox.map((item) => ({ key: item, item }))].map(conditional);
}

/**
 * Writes a unit of work in one transaction of DynamoDB, all or nothing. Returns false,
 * with nothing done, when it is too large for one. Throws the refusal of a failed condition, or WriteConflict when it is worth running again.
 */
export async function commitAtOnce(tx: UnitOfWork): Promise<boolean> {
  const actions = actionsOf(tx);
  if (!fitsOne(actions)) return false;
  if (actions.length > 0) await send(actions, tx.id);
  return true;
}

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

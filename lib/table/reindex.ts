import { secondMs, sleep } from '#lib/core/clock.ts';
import { type Place, someRows } from './all-rows.ts';
import { type Entity, latestVersion } from './entity.ts';
import type { Row } from './rows.ts';
import { newSaga, type SagaKind, Sagas } from './saga.ts';
import { readable, writtenAs } from './stored.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** How far it is: the entity that comes next is the first, its rows up to the place are done. */
export type Reindexing = { left: string[]; place: Place; read: number; rewritten: number; isBusy: boolean };

/** A tenant has one at a time. */
export const reindexSagaId = 'reindex';
/** Looked at together in each partition; of those that are rewritten, as many as a transaction has room for. */
const maxRows = 25;
/** Between two transactions that write, so that customers' writes have room: about a hundred rows a second. */
const pauseMs = 250;
/** Then the workers that all workspaces share are free for what others wait for. */
const budgetMs = 4 * secondMs;
const start: Place = { partition: 0, after: null };

/**
 * Writes the rows of older versions as the latest one does, index entries and counters included. No event, no `updatedAt` and no ETag
 * changes.
 */
export const reindexing = (entities: readonly Entity[]): SagaKind<Reindexing, 'reindex'> => ({
  name: 'reindex',
  budgetMs,
  async step(tx, state) {
    const [first, ...others] = state.left;
    const of = entities.find(({ name }) => name === first);
    if (of === undefined) return others.length === 0 ? undefined : { ...state, left: others, place: start };
    if (state.isBusy) await sleep(pauseMs);
    const { rows, next } = await someRows(tx.tenant, of, state.place, maxRows);
    let { place, read, rewritten } = state;
    for (const { row, place: behind } of rows) {
      if (!tx.hasRoom) return { ...state, place, read, rewritten, isBusy: true };
      place = behind;
      read += 1;
      if (rewrite(tx, of, row)) rewritten += 1;
    }
    const isBusy = rewritten > state.rewritten;
    if (next !== undefined) return { ...state, place: next, read, rewritten, isBusy };
    return others.length === 0 ? undefined : { left: others, place: start, read, rewritten, isBusy };
  },
});

/** Whether the row was of an older version. One that cannot be read stays as it is: it has no entries in any version. */
function rewrite(tx: UnitOfWork, of: Entity, row: Row): boolean {
  if (writtenAs(row) >= latestVersion(of) || readable(of, row) === undefined) return false;
  tx.update(of, tx.remember(of, row));
  return true;
}

/** Starts to reindex a tenant unless that is under way. */
export async function startReindexing(
  tx: UnitOfWork,
  entities: readonly Entity[],
  { dueAt = tx.now }: { dueAt?: string } = {},
): Promise<void> {
  const left = entities
    // Rows that both environments share are reindexed with the live one.
    .filter(({ scope }) => scope === undefined || tx.tenant.env === 'live')
    .map(({ name }) => name);
  if (left.length === 0 || (await tx.find(Sagas, { id: reindexSagaId })) !== undefined) return;
  const state: Reindexing = { left, place: start, read: 0, rewritten: 0, isBusy: false };
  tx.create(Sagas, { ...newSaga(tx, reindexing(entities), state), id: reindexSagaId, dueAt });
}

/** How far the reindexing of a tenant is; undefined when none is under way. */
export const findReindexing = async (tx: UnitOfWork): Promise<Reindexing | undefined> =>
  (await tx.find(Sagas, { id: reindexSagaId }))?.state as Reindexing | undefined;

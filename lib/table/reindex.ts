import { isDeepStrictEqual } from 'node:util';
import { secondMs, sleep } from '../clock.ts';
import { log } from '../log.ts';
import type { Tenant } from '../tenant.ts';
import { type Place, someRows } from './all-rows.ts';
import { type Mark, marksKey, readMarks, releaseKey, versioned } from './completeness.ts';
import { type Entity, entryRows, type IsWritten, latestVersion } from './entity.ts';
import { identity, rowPartition, scopeKey } from './keys.ts';
import { pages } from './pages.ts';
import { type Row, readRow, readRows } from './rows.ts';
import { newSaga, type SagaKind, Sagas } from './saga.ts';
import { formsOf, readable, rowIn, writtenAs } from './stored.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** An entity whose rows are brought to a version. */
type Target = Mark & { name: string };

/** How far it is: the entity that comes next is the first, its rows up to the place are done. */
export type Reindexing = { left: Target[]; place: Place; read: number; rewritten: number; isBusy: boolean };

/** A tenant has one at a time. */
export const reindexSagaId = 'reindex';
/** Looked at together in each partition; of those that are rewritten, as many as a transaction has room for. */
const maxRows = 25;
/** Between two transactions that write, so that customers' writes have room: about a hundred rows a second. */
const pauseMs = 250;
/** Then the workers that all workspaces share are free for what others wait for. */
const turnMs = 4 * secondMs;
const start: Place = { partition: 0, after: null };

/**
 * Writes the rows of older versions as the latest one does, entries and counters included, and says in the end that the entity is
 * complete. No event, no `updatedAt` and no ETag changes.
 */
export const reindexing = (entities: readonly Entity[]): SagaKind<Reindexing, 'reindex'> => ({
  name: 'reindex',
  turnMs,
  async step(tx, state) {
    const [target, ...others] = state.left;
    const of = entities.find(({ name }) => name === target?.name);
    // A release with other versions has taken over; its own reindexing follows.
    if (target === undefined || of === undefined || latestVersion(of) !== target.version) return undefined;
    if (state.isBusy) await sleep(pauseMs);
    if (state.place.partition === 0 && state.place.after === null && (await clearLeftBehind(tx, of))) return state;
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
    mark(tx, of, target);
    return others.length === 0 ? undefined : { left: others, place: start, read, rewritten, isBusy };
  },
});

/** Whether the row was of an older version. One that cannot be read stays as it is: it has no entries in any version. */
function rewrite(tx: UnitOfWork, of: Entity, row: Row): boolean {
  if (writtenAs(row) >= latestVersion(of) || readable(of, row) === undefined) return false;
  tx.update(of, tx.remember(of, row));
  return true;
}

/**
 * Takes back what a row has left that an older release removed, which knew only of a part of what stood beside it. Returns whether
 * there was one. An entry that is another row's by now stays.
 */
async function clearLeftBehind(tx: UnitOfWork, of: Entity): Promise<boolean> {
  const pk = rowPartition('leftBehind', { scope: scopeKey(tx.tenant, of), entity: of.name });
  const [row] = await firstOf(pages({ pk, limit: 1, ascending: true }));
  if (row === undefined) return false;
  const newer = rowIn(row, 'newer');
  for (const { item, isWritten } of newer === undefined ? [] : formsOf(of, newer)) {
    const later: IsWritten = (span) => isWritten(span) && (span.since ?? 1) > 1;
    const entries = await readRows([...entryRows(tx.tenant, of, item, later).values()]);
    for (const entry of entries.values()) {
      const owner = rowIn(entry, 'of');
      if (owner === undefined || identity(owner) !== row.sk) continue;
      tx.write({ key: { pk: entry.pk, sk: entry.sk }, item: null, if: { is: { of: owner } } });
    }
    tx.countOut(of, item, later);
  }
  tx.write({ key: { pk: row.pk, sk: row.sk }, item: null, if: { present: ['pk'] } });
  return true;
}

async function firstOf(all: AsyncIterable<Row[]>): Promise<Row[]> {
  for await (const page of all) return page;
  return [];
}

function mark(tx: UnitOfWork, of: Entity, { version, generation }: Target): void {
  tx.write({ key: marksKey(tx.tenant, of), set: { [of.name]: { version, generation } } });
}

/**
 * Starts to reindex whatever is not complete of a tenant, if it is not under way: its worker goes on with it from `dueAt`. Returns
 * whether all is complete or on its way; it is not while an earlier release's reindexing goes on.
 */
export async function startReindexing(
  tx: UnitOfWork,
  entities: readonly Entity[],
  { dueAt = tx.now }: { dueAt?: string } = {},
): Promise<boolean> {
  const kind = reindexing(entities);
  const [marks, release, saga] = await Promise.all([
    readMarks(tx.tenant, entities),
    readRow(releaseKey),
    tx.find(Sagas, { id: reindexSagaId }),
  ]);
  const generations = (release?.['generations'] ?? {}) as Record<string, number>;
  const left = versioned(entities)
    // What both environments share is done with the live one.
    .filter(({ scope }) => scope === undefined || tx.tenant.env === 'live')
    .filter((of) => (marks.get(of)?.version ?? 1) < latestVersion(of))
    .map((of) => ({ name: of.name, version: latestVersion(of), generation: generations[of.name] ?? 0 }));
  if (left.length === 0) return true;
  if (saga !== undefined) {
    const under = (saga.state as Reindexing).left;
    const isSame = under.every((one) => left.some((other) => isDeepStrictEqual(other, one)));
    if (!isSame) log().info('an earlier reindexing goes on', { tenant: tx.tenant });
    return isSame;
  }
  const state: Reindexing = { left, place: start, read: 0, rewritten: 0, isBusy: false };
  tx.create(Sagas, { ...newSaga(tx, kind, state), id: reindexSagaId, dueAt });
  return true;
}

/** How far the reindexing of a tenant is; undefined when none is under way. */
export const findReindexing = async (tx: UnitOfWork): Promise<Reindexing | undefined> =>
  (await tx.find(Sagas, { id: reindexSagaId }))?.state as Reindexing | undefined;

/** What is not complete of a tenant. */
export async function incomplete(tenant: Tenant, entities: readonly Entity[]): Promise<string[]> {
  const marks = await readMarks(tenant, entities);
  return versioned(entities)
    .filter((of) => (marks.get(of)?.version ?? 1) < latestVersion(of))
    .map(({ name }) => name);
}

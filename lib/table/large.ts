import * as v from 'valibot';
import { epochSeconds } from '../clock.ts';
import { count } from '../schema.ts';
import { type Tenant, tenantKey } from '../tenant.ts';
import { type Change, type Conditional, conditional, rounds, send, WriteConflict } from './change.ts';
import { commitAtOnce } from './commit.ts';
import { keyOf } from './entity.ts';
import { type Key, lockedBy, requireOwn, rowKey, sortableId } from './keys.ts';
import { type Event, rowsOf } from './outbox.ts';
import { untilFirst } from './retry.ts';
import { readRow } from './rows.ts';
import { newSaga, type Saga, type SagaKind, Sagas } from './saga.ts';
import { cut, requireFit } from './size.ts';
import { UnitOfWork, type Work } from './unit-of-work.ts';
import { writeIf } from './update.ts';
import type { Write } from './write.ts';

/**
 * A commit of more than a hundred actions or 3 MB, all or nothing. What shall be written is kept first; then every item whose state was
 * relied on is locked; one transaction decides; then the writes are done, piece by piece, each exactly once; then the locks go. Who
 * meets a locked item waits for it, and so finds everything beside it: an erasure that begins with a contact of this commit leaves
 * none of its rows and events. After a crash the saga's worker completes what was decided and releases what was not.
 */
export async function commitLarge(tx: UnitOfWork, finish: Finish): Promise<void> {
  const { work } = tx;
  const kept = piecesOf(tx).flatMap(keptRows);
  const saga = newSaga(tx, largeCommit, { phase: 'lock', next: 0, pieces: kept.length });
  await Promise.all(kept.map((row, index) => keep(tx.tenant, saga.id, index, row)));
  await once(tx, async (first) => {
    first.create(Sagas, saga);
  });
  try {
    await lockAll(saga.id, keyOf(tx.tenant, Sagas, saga), work.changes.filter(isLocked));
    await once(tx, (decision) => decide(decision, saga.id, work));
  } catch (error) {
    if (!(await isDecided(tx, saga.id))) {
      await finish(tx.tenant, largeCommit, saga);
      throw error;
    }
  }
  tx.afterwards(() => finish(tx.tenant, largeCommit, saga));
}

/** Does the parts of a saga that are left. */
type Finish = (tenant: Tenant, kind: SagaKind<State>, saga: Saga) => Promise<void>;

export const phases = ['lock', 'apply', 'release'] as const;
/** Counts rows, of which a piece has one or, if it is large, several. */
const State = v.object({ phase: v.picklist(phases), next: count(), pieces: count() });
type State = v.InferOutput<typeof State>;

interface Piece {
  changes: Kept[];
  events: Event[];
}

/** A change that is kept, or (with nothing to write) a lock that goes when all is written. */
interface Kept extends Change {
  /** Its own write leaves the lock where it is, or sets it. An older version has kept none. */
  staysLocked?: true;
}

/** Goes on with a large commit: writes what was decided, releases what never will be. */
export const largeCommit: SagaKind<State, 'commit'> = {
  name: 'commit',
  async step(tx, state, sagaId) {
    const { phase, next, pieces } = state;
    // Its request died before the decision.
    if (phase === 'lock') return { ...state, phase: 'release' };
    const { changes, events, rows } = await pieceOf(tx.tenant, sagaId, next);
    if (phase === 'apply') {
      for (const change of changes.filter(isWritten)) tx.write(applied(sagaId, change));
      for (const event of events) tx.emit(event);
      const locks = changes.filter((change) => !isWritten(change));
      await Promise.all(locks.map(({ key }) => release(sagaId, { key })));
    } else {
      const locks = changes.filter((change) => isLocked(change) && !change.staysLocked);
      await Promise.all(locks.map((change) => release(sagaId, change)));
    }
    for (const key of rows) tx.write({ key, item: null });
    return next + rows.length === pieces ? undefined : { ...state, next: next + rows.length };
  },
};

async function once<Result>(of: UnitOfWork, work: (tx: UnitOfWork) => Promise<Result>): Promise<Result> {
  const tx = new UnitOfWork(of.tenant, of.actor);
  const result = await work(tx);
  if (!(await commitAtOnce(tx))) throw new Error('a step of a large commit is too large');
  return result;
}

async function decide(tx: UnitOfWork, sagaId: string, { writes, audit }: Work): Promise<void> {
  const saga = await tx.find(Sagas, { id: sagaId });
  if (saga === undefined || v.parse(State, saga.state).phase !== 'lock')
    throw new WriteConflict('the saga was given up');
  tx.update(Sagas, { ...saga, state: { ...saga.state, phase: 'apply' } });
  for (const { refusal, ...write } of writes) tx.write(write, refusal);
  if (audit) tx.audit(audit);
}

/** Whether the decision was made, although its answer was lost; from now on it is not if it was not. */
const isDecided = (of: UnitOfWork, sagaId: string): Promise<boolean> =>
  untilFirst(() =>
    once(of, async (tx) => {
      const saga = await tx.find(Sagas, { id: sagaId });
      if (saga === undefined) return false;
      const state = v.parse(State, saga.state);
      if (state.phase === 'lock') tx.update(Sagas, { ...saga, state: { ...state, phase: 'release' } });
      return state.phase === 'apply';
    }),
  );

const maxPieceChanges = 90;
const maxPieceBytes = 300_000;

/**
 * In the order in which they are written: what is new or changed, then what goes, then the events, so that what they announce can be
 * read, and the locks at last.
 */
function piecesOf({ id, work: { changes, events } }: UnitOfWork): Piece[] {
  const kept = changes.map(({ refusal: _, ...change }): Kept => {
    const staysLocked = isWritten(change) && change.item !== null && (isLocked(change) || change.isMet === true);
    return staysLocked ? { ...change, staysLocked } : change;
  });
  // Later, when DynamoDB would refuse it, nothing can be refused any more.
  for (const { item, set, add, key } of kept) requireFit({ ...item, ...set, ...add, [lockedBy]: id, ...key });
  const isGoing = (change: Kept) => isLocked(change) && change.item === null;
  const written = kept.filter((change) => isWritten(change) && !isGoing(change));
  const locks = kept
    .filter((change) => change.staysLocked || !isWritten(change))
    .map(({ key, holds }): Kept => ({ key, holds }));
  return [
    ...inPieces([...written, ...kept.filter(isGoing)]),
    ...rowsOf(events).map((row) => ({ changes: [], events: row })),
    ...inPieces(locks),
  ];
}

function inPieces(changes: readonly Kept[]): Piece[] {
  const pieces: Piece[] = [];
  let piece: Piece = { changes: [], events: [] };
  let bytes = 0;
  for (const change of changes) {
    const size = Math.max(Buffer.byteLength(JSON.stringify(change)), change.stands ?? 0);
    if (piece.changes.length > 0 && (piece.changes.length === maxPieceChanges || bytes + size > maxPieceBytes)) {
      pieces.push(piece);
      piece = { changes: [], events: [] };
      bytes = 0;
    }
    piece.changes.push(change);
    bytes += size;
  }
  return [...pieces, piece];
}

/** A part of a piece, and how many more parts of it follow. */
const Part = v.object({
  /** An older version kept a text. */
  piece: v.union([v.instance(Uint8Array), v.string()]),
  more: v.optional(count(), 0),
});
type Part = v.InferOutput<typeof Part>;

const keptRows = (piece: Piece): Part[] =>
  cut(Buffer.from(JSON.stringify(piece))).map((part, index, parts) => ({
    piece: part,
    more: parts.length - 1 - index,
  }));

const pieceKey = (tenant: Tenant, sagaId: string, index: number): Key =>
  rowKey('piece', { tenant: tenantKey(tenant), sagaId, index: sortableId(index) });

const keptSeconds = 30 * 24 * 3600;

async function keep(tenant: Tenant, sagaId: string, index: number, row: Part): Promise<void> {
  const key = pieceKey(tenant, sagaId, index);
  await writeIf({ key, item: { ...row, expiresAtSeconds: epochSeconds() + keptSeconds } });
}

/** The piece that begins in a row, and the rows that it has. */
async function pieceOf(tenant: Tenant, sagaId: string, index: number): Promise<Piece & { rows: Key[] }> {
  const first = await keptAt(pieceKey(tenant, sagaId, index));
  const others = Array.from({ length: first.more }, (_, other) => pieceKey(tenant, sagaId, index + 1 + other));
  const parts = [first, ...(await Promise.all(others.map(keptAt)))];
  const piece: Piece = JSON.parse(Buffer.concat(parts.map((part) => Buffer.from(part.piece))).toString());
  for (const { key } of piece.changes) requireOwn(tenant, key, true);
  return { ...piece, rows: [pieceKey(tenant, sagaId, index), ...others] };
}

async function keptAt(key: Key): Promise<Part> {
  const kept = await readRow(key);
  // Another runner has just done this piece.
  if (kept === undefined) throw new WriteConflict('the piece is done');
  return v.parse(Part, kept);
}

/** Whether others could touch the item meanwhile: not where its key is new, nor beside an item that is locked itself. */
const isLocked = ({ holds, isFresh }: Change) => holds !== undefined && !isFresh;

async function lockAll(sagaId: string, sagaKey: Key, changes: readonly Change[]): Promise<void> {
  const locks = changes.map((change) => lock(sagaId, change));
  // A saga that was given up must not lock anything any more.
  const stillWanted = conditional({ key: sagaKey, holds: 1 });
  for (const round of rounds(locks, stillWanted)) await send(round, crypto.randomUUID());
}

/** The new version makes everybody read the item again who has read it before; then they see the lock. */
const lock = (sagaId: string, { key, holds, stands, refusal }: Change): Conditional =>
  conditional(
    holds === 'absent'
      ? { key, item: { v: 0, [lockedBy]: sagaId }, holds, refusal }
      : { key, set: { [lockedBy]: sagaId }, add: { v: 1 }, ...(holds !== undefined && { holds }), stands, refusal },
  );

/** Whether there is anything to write but a lock. */
const isWritten = ({ item, set, add, remove }: Change) => [item, set, add, remove].some((part) => part !== undefined);

/** The write itself, with the lock that stays, or without one. */
function applied(sagaId: string, change: Kept): Write {
  const { holds: _, refusal: __, isFresh: ___, staysLocked, ...write } = change;
  if (staysLocked && change.item) return { ...write, item: { ...versioned(change.item), [lockedBy]: sagaId } };
  if (change.item) return { ...write, item: versioned(change.item) };
  if (staysLocked || change.item === null || !isLocked(change)) return write;
  return { ...write, remove: [...(change.remove ?? []), lockedBy] };
}

/** One version was the lock. */
const versioned = (item: NonNullable<Change['item']>) =>
  typeof item['v'] === 'number' ? { ...item, v: item['v'] + 1 } : item;

/** Frees an item, without what a commit that was not decided held a place for; doing so again does no harm. */
async function release(sagaId: string, { key, holds }: Change): Promise<void> {
  await writeIf({
    key,
    ...(holds === 'absent' ? { item: null } : { remove: [lockedBy] }),
    if: { is: { [lockedBy]: sagaId } },
  });
}

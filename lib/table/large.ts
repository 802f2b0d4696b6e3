import * as v from 'valibot';
import { epochSeconds } from '../clock.ts';
import { type Tenant, tenantKey } from '../tenant.ts';
import { type Change, type Conditional, conditional, Overtaken, send } from './change.ts';
import { commitAtOnce } from './commit.ts';
import { keyOf } from './entity.ts';
import { demandOwn, type Key, rowKey, sortableId } from './keys.ts';
import { type Event, rowsOf } from './outbox.ts';
import { newPlan, type Plan, type PlanKind, Plans } from './plan.ts';
import { untilFirst } from './retry.ts';
import { readRow } from './rows.ts';
import { UnitOfWork, type Work } from './unit-of-work.ts';
import { writeIf } from './update.ts';
import type { Write } from './write.ts';

/**
 * A commit of more than a hundred actions, all or nothing. What shall be written is kept first; then every item whose state was
 * relied on is locked; one transaction decides; then the writes are done, piece by piece, each exactly once. Who meets a locked
 * item waits for it. After a crash the plan's worker completes what was decided and releases what was not.
 */
export async function commitLarge(tx: UnitOfWork, finish: Finish): Promise<void> {
  const { work } = tx;
  const pieces = piecesOf(work);
  const plan = newPlan(tx, largeCommit, { phase: 'lock', next: 0, pieces: pieces.length });
  await Promise.all(pieces.map((piece, index) => keep(tx.tenant, plan.id, index, piece)));
  await once(tx, async (first) => {
    first.create(Plans, plan);
  });
  try {
    await lockAll(plan.id, keyOf(tx.tenant, Plans, plan), work.changes.filter(isLocked));
    await once(tx, (decision) => decide(decision, plan.id, work));
  } catch (error) {
    if (!(await isDecided(tx, plan.id))) {
      await finish(tx.tenant, largeCommit, plan);
      throw error;
    }
  }
  tx.afterwards(() => finish(tx.tenant, largeCommit, plan));
}

/** Does the parts of a plan that are left. */
type Finish = (tenant: Tenant, kind: PlanKind<State>, plan: Plan) => Promise<void>;

export const phases = ['lock', 'apply', 'release'] as const;
const State = v.object({ phase: v.picklist(phases), next: v.number(), pieces: v.number() });
type State = v.InferOutput<typeof State>;

interface Piece {
  changes: Change[];
  events: Event[];
}

/** Goes on with a large commit: writes what was decided, releases what never will be. */
export const largeCommit: PlanKind<State, 'commit'> = {
  name: 'commit',
  async step(tx, state, planId) {
    const { phase, next, pieces } = state;
    // Its request died before the decision.
    if (phase === 'lock') return { ...state, phase: 'release' };
    const { changes, events } = await pieceOf(tx.tenant, planId, next);
    if (phase === 'apply') {
      for (const change of changes) tx.write(applied(change));
      for (const event of events) tx.emit(event);
    } else {
      await Promise.all(changes.filter(isLocked).map((change) => release(planId, change)));
    }
    tx.write({ key: pieceKey(tx.tenant, planId, next), item: null });
    return next + 1 === pieces ? undefined : { ...state, next: next + 1 };
  },
};

async function once<Result>(of: UnitOfWork, work: (tx: UnitOfWork) => Promise<Result>): Promise<Result> {
  const tx = new UnitOfWork(of.tenant, of.actor);
  const result = await work(tx);
  if (!(await commitAtOnce(tx))) throw new Error('a step of a large commit is too large');
  return result;
}

async function decide(tx: UnitOfWork, planId: string, { writes, audit }: Work): Promise<void> {
  const plan = await tx.find(Plans, { id: planId });
  if (plan === undefined || v.parse(State, plan.state).phase !== 'lock') throw new Overtaken('the plan was given up');
  tx.update(Plans, { ...plan, state: { ...plan.state, phase: 'apply' } });
  for (const { refusal, ...write } of writes) tx.write(write, refusal);
  if (audit) tx.audit(audit);
}

/** Whether the decision was made, although its answer was lost; from now on it is not if it was not. */
const isDecided = (of: UnitOfWork, planId: string): Promise<boolean> =>
  untilFirst(() =>
    once(of, async (tx) => {
      const plan = await tx.find(Plans, { id: planId });
      if (plan === undefined) return false;
      const state = v.parse(State, plan.state);
      if (state.phase === 'lock') tx.update(Plans, { ...plan, state: { ...state, phase: 'release' } });
      return state.phase === 'apply';
    }),
  );

const maxPieceChanges = 90;
const maxPieceBytes = 300_000;

function piecesOf({ changes, events }: Work): Piece[] {
  const pieces: Piece[] = [];
  let piece: Piece = { changes: [], events: [] };
  let bytes = 0;
  for (const { refusal: _, ...change } of changes) {
    const size = sizeOf(change);
    if (piece.changes.length > 0 && (piece.changes.length === maxPieceChanges || bytes + size > maxPieceBytes)) {
      pieces.push(piece);
      piece = { changes: [], events: [] };
      bytes = 0;
    }
    piece.changes.push(change);
    bytes += size;
  }
  // Events last: what they tell of can then be read.
  return [...pieces, piece, ...rowsOf(events).map((row) => ({ changes: [], events: row }))];
}

const maxItemBytes = 380_000;

/** Bytes as kept. Throws for what DynamoDB would refuse later, when nothing can be refused any more. */
function sizeOf(change: Change): number {
  const size = Buffer.byteLength(JSON.stringify(change, finite));
  if (size > maxItemBytes) throw new Error(`an item of ${size} bytes is too large`);
  return size;
}

function finite(name: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${name} is ${value}`);
  return value;
}

const pieceKey = (tenant: Tenant, planId: string, index: number): Key =>
  rowKey('piece', { tenant: tenantKey(tenant), planId, index: sortableId(index) });

const keptSeconds = 30 * 24 * 3600;

async function keep(tenant: Tenant, planId: string, index: number, piece: Piece): Promise<void> {
  const key = pieceKey(tenant, planId, index);
  await writeIf({ key, item: { piece: JSON.stringify(piece), expiresAtSeconds: epochSeconds() + keptSeconds } });
}

async function pieceOf(tenant: Tenant, planId: string, index: number): Promise<Piece> {
  const kept = await readRow(pieceKey(tenant, planId, index));
  // Another runner has just done this piece.
  if (kept === undefined) throw new Overtaken('the piece is done');
  const piece: Piece = JSON.parse(String(kept['piece']));
  for (const { key } of piece.changes) demandOwn(tenant, key, true);
  return piece;
}

/** Whether others could touch the item meanwhile: not where its key is new, nor beside an item that is locked itself. */
const isLocked = ({ holds, isFresh }: Change) => holds !== undefined && !isFresh;

async function lockAll(planId: string, planKey: Key, changes: readonly Change[]): Promise<void> {
  const perTransaction = 99;
  for (let start = 0; start < changes.length; start += perTransaction) {
    const locks = changes.slice(start, start + perTransaction).map((change) => lock(planId, change));
    // A plan that was given up must not lock anything any more.
    const stillWanted = conditional({ key: planKey, holds: 1 });
    await send([stillWanted, ...locks], crypto.randomUUID());
  }
}

/** The new version makes everybody read the item again who has read it before; then they see the lock. */
const lock = (planId: string, { key, holds, refusal }: Change): Conditional =>
  conditional(
    holds === 'absent'
      ? { key, item: { v: 0, plan: planId }, holds, refusal }
      : { key, set: { plan: planId }, add: { v: 1 }, ...(holds !== undefined && { holds }), refusal },
  );

/** The write itself; what was locked is free with it. */
function applied(change: Change): Write {
  const { holds: _, refusal: __, isFresh: ___, ...write } = change;
  if (change.item !== undefined || !isLocked(change)) return { ...write, ...withVersion(change.item) };
  return { ...write, remove: [...(change.remove ?? []), 'plan'] };
}

/** One version was the lock. */
const withVersion = (item: Change['item']) => {
  if (item === undefined || item === null) return item === null ? { item } : {};
  return { item: typeof item['v'] === 'number' ? { ...item, v: item['v'] + 1 } : item };
};

/** Frees an item of a commit that was not decided; doing so again does no harm. */
async function release(planId: string, { key, holds }: Change): Promise<void> {
  await writeIf({ key, ...(holds === 'absent' ? { item: null } : { remove: ['plan'] }), if: { is: { plan: planId } } });
}

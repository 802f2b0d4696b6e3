import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { epochSeconds } from '../clock.ts';
import { env } from '../env.ts';
import { type Event, rowsOf } from '../events/outbox.ts';
import type { Tenant } from '../tenant.ts';
import {
  type Action,
  addition,
  type Change,
  type Conditional,
  conditional,
  holding,
  Overtaken,
  send,
} from './change.ts';
import { documentClient } from './client.ts';
import { keyOf } from './entity.ts';
import { type Key, partition, sortableId } from './keys.ts';
import { finishPlan, newPlan, type PlanKind, Plans } from './plan.ts';
import { Transaction, transact } from './transaction.ts';

/**
 * A commit of more than a hundred actions, all or nothing. What shall be written is kept first; then every item whose state was
 * relied on is locked; one transaction decides; then the writes are done, piece by piece, each exactly once. Who meets a locked
 * item waits for it. After a crash the plan's worker completes what was decided and releases what was not.
 */
export async function commitLarge(tx: Transaction, work: Work): Promise<void> {
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
      await finishPlan(tx.tenant, largeCommit, plan);
      throw error;
    }
  }
  tx.afterwards(() => finishPlan(tx.tenant, largeCommit, plan));
}

interface Work {
  changes: readonly Change[];
  /** Actions with conditions of their own; they are part of the decision. */
  raw: readonly Conditional[];
  events: readonly Event[];
  audit: Record<string, unknown> | undefined;
}

type State = { phase: 'lock' | 'apply' | 'release'; next: number; pieces: number };

interface Piece {
  changes: Change[];
  events: Event[];
}

/** Goes on with a large commit: writes what was decided, releases what never will be. */
export const largeCommit: PlanKind<State> = {
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
    tx.write({ Delete: { TableName: env('TABLE_NAME'), Key: pieceKey(tx.tenant, planId, next) } });
    return next + 1 === pieces ? undefined : { ...state, next: next + 1 };
  },
};

async function once(of: Transaction, work: (tx: Transaction) => Promise<void>): Promise<void> {
  const tx = new Transaction(of.tenant, of.actor);
  await work(tx);
  await tx.commit();
}

async function decide(tx: Transaction, planId: string, { raw, audit }: Work): Promise<void> {
  const plan = await tx.find(Plans, { id: planId });
  if (plan === undefined || (plan.state as State).phase !== 'lock') throw new Overtaken('the plan was given up');
  tx.update(Plans, { ...plan, state: { ...plan.state, phase: 'apply' } });
  for (const { action, refusal } of raw) tx.write(action, refusal);
  if (audit) tx.audit(audit);
}

/** Whether the decision was made, although its answer was lost; from now on it is not if it was not. */
const isDecided = (of: Transaction, planId: string): Promise<boolean> =>
  transact(of.tenant, of.actor, async (tx) => {
    const plan = await tx.find(Plans, { id: planId });
    if (plan === undefined) return false;
    const state = plan.state as State;
    if (state.phase === 'lock') tx.update(Plans, { ...plan, state: { ...state, phase: 'release' } });
    return state.phase === 'apply';
  });

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

const pieceKey = (tenant: Tenant, planId: string, index: number): Key => ({
  pk: partition(tenant, `plan/${planId}`),
  sk: sortableId(index),
});

const keptSeconds = 30 * 24 * 3600;

async function keep(tenant: Tenant, planId: string, index: number, piece: Piece): Promise<void> {
  await documentClient().send(
    new PutCommand({
      TableName: env('TABLE_NAME'),
      Item: {
        ...pieceKey(tenant, planId, index),
        piece: JSON.stringify(piece),
        expiresAtSeconds: epochSeconds() + keptSeconds,
      },
    }),
  );
}

async function pieceOf(tenant: Tenant, planId: string, index: number): Promise<Piece> {
  const { Item } = await documentClient().send(
    new GetCommand({
      TableName: env('TABLE_NAME'),
      Key: pieceKey(tenant, planId, index),
      ConsistentRead: true,
    }),
  );
  // Another runner has just done this piece.
  if (Item === undefined) throw new Overtaken('the piece is done');
  return JSON.parse(Item['piece'] as string) as Piece;
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
function lock(planId: string, { key, holds, refusal }: Change): Conditional {
  const TableName = env('TABLE_NAME');
  const condition = holding(holds);
  if (holds === 'absent')
    return { action: { Put: { TableName, Item: { ...key, v: 0, plan: planId }, ...condition } }, refusal };
  const action: Action = {
    Update: {
      TableName,
      Key: key,
      UpdateExpression: 'SET #plan = :plan ADD #v :one',
      ...condition,
      ExpressionAttributeNames: { ...condition.ExpressionAttributeNames, '#plan': 'plan', '#v': 'v' },
      ExpressionAttributeValues: { ...condition.ExpressionAttributeValues, ':plan': planId, ':one': 1 },
    },
  };
  return { action, refusal };
}

/** The write itself; what was locked is free with it. */
function applied(change: Change): Action {
  const { key, item, add } = change;
  if (item !== undefined || !isLocked(change))
    return conditional({ key, ...withVersion(item), ...(add ? { add } : {}) }).action;
  const sums = add ? addition(Object.entries(add)) : undefined;
  return {
    Update: {
      TableName: env('TABLE_NAME'),
      Key: key,
      ...sums,
      UpdateExpression: `${sums?.UpdateExpression ?? ''} REMOVE #plan`,
      ExpressionAttributeNames: { ...sums?.ExpressionAttributeNames, '#plan': 'plan' },
    },
  };
}

/** One version was the lock. */
const withVersion = (item: Change['item']) => {
  if (item === undefined || item === null) return item === null ? { item } : {};
  return { item: typeof item['v'] === 'number' ? { ...item, v: item['v'] + 1 } : item };
};

/** Frees an item of a commit that was not decided; doing so again does no harm. */
async function release(planId: string, { key, holds }: Change): Promise<void> {
  const own = {
    TableName: env('TABLE_NAME'),
    Key: key,
    ConditionExpression: '#plan = :plan',
    ExpressionAttributeNames: { '#plan': 'plan' },
    ExpressionAttributeValues: { ':plan': planId },
  };
  try {
    if (holds === 'absent') await documentClient().send(new DeleteCommand(own));
    else await documentClient().send(new UpdateCommand({ ...own, UpdateExpression: 'REMOVE #plan' }));
  } catch (error) {
    if ((error as { name?: string }).name !== 'ConditionalCheckFailedException') throw error;
  }
}

import { isDeepStrictEqual } from 'node:util';
import { isThrottled } from '#lib/aws/aws.ts';
import { Problem } from '#lib/core/problem.ts';
import { asRead, cancellations, conditionFailed, dynamodb, failedCondition, isConflict } from './client.ts';
import type { Key } from './keys.ts';
import { bytesOf } from './size.ts';
import { countWriteUnits, writeUnitsOf } from './usage.ts';
import { type Action, actionOf, type Condition, type Write } from './write.ts';

/** Limit of actions in one transaction (DynamoDB's limit). */
const maxActions = 100;
/** DynamoDB's limit is 4 MB, of which what an unread item has is not known here. */
const maxBytes = 3_500_000;

/** Bytes that a change comes to in a transaction: of what it writes or, if that is more, of what it meets. */
export const weightOf = (change: Change): number => Math.max(bytesOf(change), change.storedBytes ?? 0);

/** Turns a failed condition into the answer. */
export type Refusal = (item: Record<string, unknown> | undefined) => Problem;

/** Change of one item in a unit of work. */
export interface Change extends Write {
  /** Condition on the item until the commit: the version that was read, or its presence. */
  expectedVersion?: number | 'absent' | 'present' | undefined;
  /** An index entry of a row whose key nobody else knows yet. */
  isEntryOfNewKey?: boolean;
  /** An index entry of a deleted row whose id is never given again. */
  isEntryOfDeleted?: boolean;
  /** Bytes of what stands there, where that was read. */
  storedBytes?: number | undefined;
  refusal?: Refusal | undefined;
}

/** A DynamoDB action with the answer that its failed condition means. */
export interface Conditional {
  key: Key;
  action: Action;
  /** Bytes that it takes of a transaction. */
  bytes: number;
  refusal?: Refusal | undefined;
  /** It puts another state of a row in the place of the one that was read: that needs no transaction if it is all. */
  isNextState?: boolean;
}

/** Somebody else changed what was read, or another transaction touches the same items: the work is worth running again. */
export class WriteConflict extends Error {}

/** The same for a reason that is nothing of the work's own: the table takes fewer writes than are made, or others are at it and go on. */
export class Busy extends WriteConflict {}

/** Whether work went on meeting somebody else's writes until it was given up (lib/table/transact.ts), and not for a reason of theirs. */
export const isContention = (error: unknown): boolean =>
  error instanceof Problem && error.cause instanceof WriteConflict && !(error.cause instanceof Busy);

/** The change as one action of a transaction. */
export function conditional({
  expectedVersion,
  isEntryOfNewKey,
  isEntryOfDeleted,
  storedBytes = 0,
  refusal,
  ...write
}: Change): Conditional {
  const condition = expectedVersion === undefined ? write.if : conditionOf(expectedVersion);
  const decides = refusal !== undefined || expectedVersion === 'present';
  const action = actionOf({ ...write, if: condition }, decides);
  const isNextState = Boolean(write.item) && typeof expectedVersion === 'number' && refusal === undefined;
  return { key: write.key, action, bytes: Math.max(bytesOf(action), storedBytes), refusal, isNextState };
}

function conditionOf(holds: NonNullable<Change['expectedVersion']>): Condition {
  if (holds === 'absent') return { absent: ['pk'] };
  return holds === 'present' ? { present: ['pk'] } : { is: { v: holds } };
}

/** Whether one transaction takes them all. */
export const fitsOne = (actions: readonly Conditional[]): boolean =>
  actions.length <= maxActions && actions.reduce((sum, { bytes }) => sum + bytes, 0) <= maxBytes;

/** The actions in rounds that one transaction takes together with another action. */
export function* rounds(actions: readonly Conditional[], beside: Conditional): Generator<Conditional[]> {
  let round = [beside];
  for (const action of actions) {
    if (!fitsOne([...round, action])) {
      yield round;
      round = [beside];
    }
    round.push(action);
  }
  if (round.length > 1) yield round;
}

/**
 * Writes everything or nothing; the next state of a single row without a transaction, at half the price. Throws the refusal of a failed
 * condition, or WriteConflict when it is worth running again.
 */
export async function send(actions: readonly Conditional[], token: string, signal?: AbortSignal): Promise<void> {
  const [first, ...others] = actions;
  if (first?.isNextState && first.action.Put && others.length === 0) return put(first.action.Put, signal);
  const input = { TransactItems: actions.map(({ action }) => action), ClientRequestToken: token };
  try {
    await dynamodb.send('TransactWriteItems', input, signal);
  } catch (error) {
    // A transaction that fails costs about as much, and does not say so.
    countWriteUnits(actions.reduce((sum, { bytes }) => sum + writeUnitsOf(bytes), 0));
    throw refusalOf(error, actions);
  }
}

/** Without a transaction's token a call that is repeated may meet what it has written itself. */
async function put(action: NonNullable<Action['Put']>, signal: AbortSignal | undefined): Promise<void> {
  const input = { ...action, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const };
  try {
    await dynamodb.send('PutItem', input, signal);
  } catch (error) {
    const failed = failedCondition(error);
    if (failed && isDeepStrictEqual(failed.item, asRead(action.Item ?? {}))) return;
    if (isThrottled(error)) throw new Busy('the table is busy', { cause: error });
    throw failed || isConflict(error) ? new WriteConflict('somebody else has written', { cause: error }) : error;
  }
}

/** Codes of a failed action that may succeed when the work runs again. */
const conflicts = [conditionFailed, 'TransactionConflict'];
const busy = ['ThrottlingError', 'ProvisionedThroughputExceeded'];

/** The answer that a failed commit means: a domain refusal, WriteConflict, or the error itself. */
function refusalOf(error: unknown, actions: readonly Conditional[]): unknown {
  const reasons = cancellations(error);
  for (const [index, { code, item }] of reasons.entries()) {
    const refusal = code === conditionFailed && actions[index]?.refusal;
    if (refusal) return refusal(item);
  }
  if (reasons.some(({ code }) => busy.includes(code))) return new Busy('the table is busy', { cause: error });
  const isPassing = isConflict(error) || reasons.some(({ code }) => conflicts.includes(code));
  return isPassing ? new WriteConflict('somebody else has written', { cause: error }) : error;
}

import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Problem } from '../problem.ts';
import { documentClient } from './client.ts';
import { cancellations, conditionFailed, isConflict } from './errors.ts';
import type { Key } from './keys.ts';
import { bytesOf } from './size.ts';
import { type Action, actionOf, type Condition, type Write } from './write.ts';

/** What one transaction may hold (DynamoDB's limit). */
const maxActions = 100;
/** DynamoDB's limit is 4 MB, of which what an update or a check meets in the table is not known here. */
const maxBytes = 3_000_000;

/** Turns a failed condition into the answer. */
export type Refusal = (item: Record<string, unknown> | undefined) => Problem;

/** What a unit of work does to one item, in a form that can be kept and done later (lib/table/large.ts). */
export interface Change extends Write {
  /** What must hold of the item until the commit: the version that was read, or whether it is there. */
  holds?: number | 'absent' | 'present' | undefined;
  /** Nobody else knows its key yet. */
  isFresh?: boolean;
  refusal?: Refusal | undefined;
}

/** A DynamoDB action with the answer that its failed condition means. */
export interface Conditional {
  key: Key;
  action: Action;
  refusal?: Refusal | undefined;
}

/** Somebody else changed what was read, or another transaction touches the same items: the work is worth running again. */
export class WriteConflict extends Error {}

/** The change as one action of a transaction. */
export function conditional({ holds, isFresh: _, refusal, ...write }: Change): Conditional {
  const condition = holds === undefined ? write.if : conditionOf(holds);
  const decides = refusal !== undefined || holds === 'present';
  return { key: write.key, action: actionOf({ ...write, if: condition }, decides), refusal };
}

/** An item that a large commit has locked (attribute `plan`) is neither as it was read nor there for anybody else. */
function conditionOf(holds: NonNullable<Change['holds']>): Condition {
  if (holds === 'absent') return { absent: ['pk'] };
  return holds === 'present' ? { present: ['pk'], absent: ['plan'] } : { is: { v: holds } };
}

/** Whether one transaction takes them all. */
export const fitsOne = (actions: readonly Conditional[]): boolean =>
  actions.length <= maxActions && actions.reduce((bytes, { action }) => bytes + bytesOf(action), 0) <= maxBytes;

/** Writes everything or nothing. Throws the refusal of a failed condition, or WriteConflict when it is worth running again. */
export async function send(actions: readonly Conditional[], token: string): Promise<void> {
  try {
    await documentClient().send(
      new TransactWriteCommand({ TransactItems: actions.map(({ action }) => action), ClientRequestToken: token }),
    );
  } catch (error) {
    throw refusalOf(error, actions);
  }
}

/** Of one action; whoever runs the work again may find it otherwise. */
const passing = [conditionFailed, 'TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'];

/** The answer that a failed commit means: a domain refusal, WriteConflict, or the error itself. */
function refusalOf(error: unknown, actions: readonly Conditional[]): unknown {
  const reasons = cancellations(error);
  for (const [index, { code, item }] of reasons.entries()) {
    const refusal = code === conditionFailed && item?.['plan'] === undefined && actions[index]?.refusal;
    if (refusal) return refusal(item);
  }
  const isPassing = isConflict(error) || reasons.some(({ code }) => passing.includes(code));
  return isPassing ? new WriteConflict('somebody else has written', { cause: error }) : error;
}

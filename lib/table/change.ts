import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import type { Problem } from '../problem.ts';
import { documentClient } from './client.ts';
import type { Key } from './keys.ts';

export type Action = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** What one transaction may hold (DynamoDB's limit). */
const maxActions = 100;
/** DynamoDB's limit is 4 MB, counted otherwise than JSON. */
const maxBytes = 3_000_000;

/** Turns a failed condition into the answer. */
export type Refusal = (item: Record<string, unknown> | undefined) => Problem;

/** What a unit of work does to one item, in a form that can be kept and done later (lib/table/large.ts). */
export interface Change {
  key: Key;
  /** What stands there afterwards; null = nothing, undefined = what stands there now. */
  item?: Record<string, unknown> | null;
  /** Numbers added to what stands there. */
  add?: Record<string, number>;
  /** What must hold of the item until the commit: the version that was read, or whether it is there. */
  holds?: number | 'absent' | 'present';
  /** Nobody else knows its key yet. */
  isFresh?: boolean;
  refusal?: Refusal | undefined;
}

/** A DynamoDB action with the answer that its failed condition means. */
export interface Conditional {
  action: Action;
  refusal?: Refusal | undefined;
}

/** Somebody else changed what was read, or another transaction touches the same items: the work is worth running again. */
export class Overtaken extends Error {}

/** The change as one action of a transaction. */
export function conditional({ key, item, add, holds, refusal }: Change): Conditional {
  const TableName = env('TABLE_NAME');
  const condition = holding(holds);
  if (item === null) return { action: { Delete: { TableName, Key: key, ...condition } }, refusal };
  if (item !== undefined) return { action: { Put: { TableName, Item: { ...item, ...key }, ...condition } }, refusal };
  if (add === undefined)
    return { action: { ConditionCheck: { TableName, Key: key, ...(condition as Required<Condition>) } }, refusal };
  const { UpdateExpression, ...sums } = addition(Object.entries(add));
  return {
    action: {
      Update: {
        TableName,
        Key: key,
        UpdateExpression,
        ...condition,
        ExpressionAttributeNames: { ...condition.ExpressionAttributeNames, ...sums.ExpressionAttributeNames },
        ExpressionAttributeValues: { ...condition.ExpressionAttributeValues, ...sums.ExpressionAttributeValues },
      },
    },
    refusal,
  };
}

interface Condition {
  ConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
  ReturnValuesOnConditionCheckFailure?: 'ALL_OLD';
}

/** An item that a large commit has locked (attribute `plan`) is neither as it was read nor there for anybody else. */
export function holding(holds: Change['holds']): Condition {
  if (holds === undefined) return {};
  if (holds === 'absent') return { ConditionExpression: 'attribute_not_exists(pk)' };
  if (holds === 'present') {
    return {
      ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(#plan)',
      ExpressionAttributeNames: { '#plan': 'plan' },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    };
  }
  return {
    ConditionExpression: '#v = :read',
    ExpressionAttributeNames: { '#v': 'v' },
    ExpressionAttributeValues: { ':read': holds },
  };
}

/** An update expression that adds. */
export function addition(deltas: readonly (readonly [string, number])[]) {
  return {
    UpdateExpression: `ADD ${deltas.map((_, index) => `#a${index} :a${index}`).join(', ')}`,
    ExpressionAttributeNames: Object.fromEntries(deltas.map(([name], index) => [`#a${index}`, name])),
    ExpressionAttributeValues: Object.fromEntries(deltas.map(([, delta], index) => [`:a${index}`, delta])),
  };
}

/** Whether one transaction takes them all. */
export const fitsOne = (actions: readonly Conditional[]): boolean =>
  actions.length <= maxActions &&
  (actions.length <= 20 || JSON.stringify(actions.map(({ action }) => action)).length <= maxBytes);

/** Writes everything or nothing. Throws the refusal of a failed condition, or Overtaken when it is worth running again. */
export async function send(actions: readonly Conditional[], token: string): Promise<void> {
  try {
    await documentClient().send(
      new TransactWriteCommand({ TransactItems: actions.map(({ action }) => action), ClientRequestToken: token }),
    );
  } catch (error) {
    throw refusalOf(error, actions);
  }
}

interface Cancellation {
  name: 'TransactionCanceledException';
  CancellationReasons?: { Code?: string; Item?: Record<string, unknown> }[];
}

/** The answer that a failed commit means: a domain refusal, Overtaken, or the error itself. */
function refusalOf(error: unknown, actions: readonly Conditional[]): unknown {
  const name = (error as { name?: string }).name;
  if (name === 'TransactionInProgressException' || name === 'TransactionConflictException')
    return new Overtaken(name, { cause: error });
  if (name !== 'TransactionCanceledException') return error;
  const reasons = (error as Cancellation).CancellationReasons ?? [];
  for (const [index, reason] of reasons.entries()) {
    if (reason.Code !== 'ConditionalCheckFailed' || reason.Item?.['plan'] !== undefined) continue;
    const refusal = actions[index]?.refusal;
    if (refusal) return refusal(reason.Item);
  }
  const retryable = [
    'ConditionalCheckFailed',
    'TransactionConflict',
    'ThrottlingError',
    'ProvisionedThroughputExceeded',
  ];
  if (reasons.some(({ Code }) => retryable.includes(Code ?? ''))) return new Overtaken('overtaken', { cause: error });
  return error;
}

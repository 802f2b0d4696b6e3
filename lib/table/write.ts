import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { env } from '#lib/core/env.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { dynamodb, failedCondition } from './client.ts';
import { type Entity, type Item, keyOf } from './entity.ts';
import type { Key } from './keys.ts';
import type { Row } from './rows.ts';
import { bytesOf } from './size.ts';
import { countWriteUnits, writeUnitsOf } from './usage.ts';

export type Action = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

type Attributes = Record<string, unknown>;

/** Another attribute of the same item, to be compared with. */
export class Attribute {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const signs = [
  ['is', '='],
  ['isNot', '<>'],
  ['below', '<'],
  ['atMost', '<='],
  ['above', '>'],
  ['atLeast', '>='],
] as const;

/** Condition on an item: every attribute named, every condition in `all`, and one in `any`. */
export interface Condition extends Partial<Record<(typeof signs)[number][0], Attributes>> {
  absent?: readonly string[];
  present?: readonly string[];
  all?: readonly Condition[];
  any?: readonly Condition[];
}

/** One write of one item; with nothing to write, a check. */
export interface Write {
  key: Key;
  /** Item after the write; null deletes it, undefined keeps the stored item with the changes below. */
  item?: Attributes | null;
  /** Numbers added to what stands there. */
  add?: Record<string, number>;
  /** Attributes that are written into what stands there, and those that are taken out of it. */
  set?: Attributes;
  remove?: readonly string[];
  if?: Condition | undefined;
}

/**
 * The write as an action of a transaction, which is also the input of the command of its kind. With `tellsWhy` a refusal holds the
 * item as it stands.
 */
export function actionOf(write: Write, tellsWhy: boolean): Action {
  const { key, item, add = {}, set = {}, remove = [], if: condition } = write;
  const expression = new Expression();
  const ConditionExpression = expression.conditionOf(condition);
  const on = () => ({
    TableName: env('TABLE_NAME'),
    ...(ConditionExpression !== '' && { ConditionExpression }),
    ...(tellsWhy && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const }),
    ...expression.placeholders(),
  });
  if (item) return { Put: { ...on(), Item: { ...item, ...key } } };
  if (item === null) return { Delete: { ...on(), Key: key } };
  const clauses = {
    ADD: Object.entries(add).map(([name, delta]) => `${expression.named(name)} ${expression.valued(delta)}`),
    SET: Object.entries(set).map(([name, value]) => `${expression.named(name)} = ${expression.valued(value)}`),
    REMOVE: remove.map((name) => expression.named(name)),
  };
  const UpdateExpression = Object.entries(clauses)
    .flatMap(([clause, parts]) => (parts.length > 0 ? `${clause} ${parts.join(', ')}` : []))
    .join(' ');
  if (UpdateExpression === '') return { ConditionCheck: { ...on(), ConditionExpression, Key: key } };
  return { Update: { ...on(), Key: key, UpdateExpression } };
}

/** Names and values by the placeholders that stand for them. */
class Expression {
  readonly #placeholders = new Map<string, string>();
  #names: Record<string, string> | undefined;
  #values: Attributes | undefined;
  #valueCount = 0;

  named(attribute: string): string {
    const known = this.#placeholders.get(attribute);
    if (known !== undefined) return known;
    const placeholder = `#n${this.#placeholders.size}`;
    this.#placeholders.set(attribute, placeholder);
    this.#names ??= {};
    this.#names[placeholder] = attribute;
    return placeholder;
  }

  valued(value: unknown): string {
    const placeholder = `:v${this.#valueCount}`;
    this.#valueCount += 1;
    this.#values ??= {};
    this.#values[placeholder] = value;
    return placeholder;
  }

  conditionOf(condition: Condition | undefined): string {
    return condition === undefined ? '' : this.#partsOf(condition).join(' AND ');
  }

  /** Returns the parts of a condition; DynamoDB takes no parentheses that are not needed. */
  #partsOf({ absent = [], present = [], all = [], any = [], ...compared }: Condition): string[] {
    const parts: string[] = [];
    for (const [comparison, sign] of signs)
      for (const [name, to] of Object.entries(compared[comparison] ?? none))
        parts.push(`${this.named(name)} ${sign} ${to instanceof Attribute ? this.named(to.name) : this.valued(to)}`);
    for (const name of absent) parts.push(`attribute_not_exists(${this.named(name)})`);
    for (const name of present) parts.push(`attribute_exists(${this.named(name)})`);
    for (const each of all) parts.push(...this.#partsOf(each));
    const alternatives = any.map((one) => this.conditionOf(one));
    parts.push(...(alternatives.length > 1 ? [`(${alternatives.join(' OR ')})`] : alternatives));
    return parts;
  }

  placeholders() {
    return {
      ...(this.#names && { ExpressionAttributeNames: this.#names }),
      ...(this.#values && { ExpressionAttributeValues: this.#values }),
    };
  }
}

const none: Attributes = {};

/** The item as the write left it (of a removed one its key), or as it stands because it was not as the write requires. */
export type Written = { item: Row; refused?: never } | { item?: never; refused: Row | undefined };

/** Writes one item in one round trip, if it is as it must be. */
export async function writeIf(write: Write): Promise<Written> {
  try {
    return { item: { ...(await sent(write)), ...write.key } };
  } catch (error) {
    const failed = failedCondition(error);
    if (!failed) throw error;
    // A condition that fails is billed as the row that it was asked of.
    countWriteUnits(writeUnitsOf(bytesOf(failed.item), 1));
    return { refused: failed.item && { ...failed.item, ...write.key } };
  }
}

async function sent(write: Write): Promise<Record<string, unknown> | undefined> {
  const { Put, Delete, Update } = actionOf(write, write.if !== undefined);
  if (Update) {
    const { Attributes } = await dynamodb.send('UpdateItem', { ...Update, ReturnValues: 'ALL_NEW' });
    return Attributes;
  }
  if (Put) await dynamodb.send('PutItem', Put);
  if (Delete) await dynamodb.send('DeleteItem', Delete);
  return write.item ?? undefined;
}

/** Adds to numbers of a row, which need not be there. Returns the sums. */
export async function addTo(key: Key, add: Record<string, number>): Promise<Record<string, number>> {
  const { Update } = actionOf({ key, add }, false);
  if (!Update) throw new Error('there is nothing to add');
  const { Attributes } = await dynamodb.send('UpdateItem', { ...Update, ReturnValues: 'UPDATED_NEW' });
  return Attributes ?? {};
}

interface Update<E extends Entity> {
  set?: Partial<Item<E>>;
  add?: Partial<Record<keyof Item<E>, number>>;
  if?: Condition;
}

/** A write of an entity by itself: its version rises. Nothing that its index entries or its timer derive from may be written so. */
export const updateOf = <E extends Entity>(
  tenant: Tenant,
  of: E,
  place: Partial<Item<E>>,
  { set, add, if: condition }: Update<E>,
): Write => ({
  key: keyOf(tenant, of, place),
  set: { ...set },
  add: { ...add, v: 1 },
  if: condition,
});

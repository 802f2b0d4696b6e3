import type { Tenant } from '#lib/core/tenant.ts';
import { dynamodb } from './client.ts';
import { type Entity, type Item, keyOf } from './entity.ts';
import { failedCondition } from './errors.ts';
import type { Key } from './keys.ts';
import type { Row } from './rows.ts';
import { bytesOf } from './size.ts';
import { countWriteUnits, writeUnitsOf } from './usage.ts';
import { actionOf, type Condition, type Write } from './write.ts';

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

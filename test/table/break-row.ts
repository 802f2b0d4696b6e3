import { env } from '#lib/core/env.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { dynamodb } from '#lib/table/client.ts';
import { type Entity, type Item, keyOf } from '#lib/table/entity.ts';
import type { Key } from '#lib/table/keys.ts';

/** What no schema of a stored item takes, and no log may tell. */
const unreadable = 'a secret text';

/** Writes a field of a stored item past all code, as an engine or a bug might. Returns what puts it right again. */
export async function breakRow<E extends Entity>(
  tenant: Tenant,
  of: E,
  place: Partial<Item<E>>,
  field: keyof Item<E> & string,
): Promise<() => Promise<void>> {
  const key = keyOf(tenant, of, place);
  const before = await set(key, field, { unreadable });
  return async () => {
    await set(key, field, before);
  };
}

async function set({ pk, sk }: Key, field: string, value: unknown): Promise<unknown> {
  const { Attributes } = await dynamodb.send('UpdateItem', {
    TableName: env('TABLE_NAME'),
    Key: { pk, sk },
    UpdateExpression: 'SET #field = :value',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: { '#field': field },
    ExpressionAttributeValues: { ':value': value },
    ReturnValues: 'UPDATED_OLD',
  });
  return Attributes?.[field];
}

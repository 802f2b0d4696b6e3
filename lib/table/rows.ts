import { chunks } from '#lib/core/async.ts';
import { sleep } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { unavailable } from '#lib/core/problem.ts';
import { dynamodb } from './client.ts';
import { identity, type Key } from './keys.ts';

export type Row = Key & Record<string, unknown>;

/** As every item of the table is; for its client they are anything. */
export const isRow = (item: Record<string, unknown> | undefined): item is Row =>
  typeof item?.['pk'] === 'string' && typeof item['sk'] === 'string';

const maxReads = 100;
const maxWrites = 25;
const maxAttempts = 7;

/** A row by key, strongly consistent. */
export async function readRow(key: Key, abortSignal?: AbortSignal): Promise<Row | undefined> {
  const input = { TableName: env('TABLE_NAME'), Key: key, ConsistentRead: true };
  const { Item } = await dynamodb.send('GetItem', input, abortSignal);
  return isRow(Item) ? Item : undefined;
}

/** Any number of rows by key, strongly consistent, in rounds of a hundred side by side; by their `identity`. Raises 503. */
export async function readRows(keys: readonly Key[]): Promise<Map<string, Row>> {
  const found = new Map<string, Row>();
  const distinct = [...new Map(keys.map(({ pk, sk }) => [identity({ pk, sk }), { pk, sk }])).values()];
  const TableName = env('TABLE_NAME');
  await inRounds(distinct, maxReads, async (round) => {
    const { rows, left: Keys } = await readNear(round);
    for (const row of rows) found.set(identity(row), row);
    if (Keys.length === 0) return [];
    const { Responses, UnprocessedKeys } = await dynamodb.send('BatchGetItem', {
      RequestItems: { [TableName]: { Keys, ConsistentRead: true } },
    });
    for (const row of (Responses?.[TableName] ?? []).filter(isRow)) found.set(identity(row), row);
    return (UnprocessedKeys?.[TableName]?.Keys ?? []).filter(isRow);
  });
  return found;
}

/** Upper bound of ids read per wanted one, where rows are read together. */
const maxSpread = 2;

/**
 * Rows whose ids lie near each other by one query of all between them, strongly consistent: that is billed by their bytes, where each
 * by its key is a unit of 4 KB. What is not so near is left, and what one page of DynamoDB does not hold.
 */
async function readNear(keys: Key[]): Promise<{ rows: Row[]; left: Key[] }> {
  const places = keys.map(({ sk }) => sk).sort();
  const [first] = places;
  const last = places.at(-1);
  const pk = keys[0]?.pk;
  const isFar = !(Number(last) - Number(first) < maxSpread * keys.length);
  if (isFar || keys.some((key) => key.pk !== pk)) return { rows: [], left: keys };
  const { Items = [], LastEvaluatedKey: end } = await dynamodb.send('Query', {
    TableName: env('TABLE_NAME'),
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':pk': pk, ':first': first, ':last': last },
    // Between names, which strangers may have given, there can be any number of others.
    Limit: maxSpread * keys.length,
  });
  const rows = Items.filter(isRow).filter(({ sk }) => places.includes(sk));
  return { rows, left: end ? keys.filter(({ sk }) => sk > end['sk']) : [] };
}

type Write = { PutRequest: { Item: Row } } | { DeleteRequest: { Key: Key } };

/** Puts or deletes any number of rows, each by itself and without a condition. Raises 503 when some are left. */
export async function writeRows(writes: readonly Write[]): Promise<void> {
  const TableName = env('TABLE_NAME');
  await inRounds(writes, maxWrites, async (round) => {
    const { UnprocessedItems } = await dynamodb.send('BatchWriteItem', { RequestItems: { [TableName]: round } });
    return (UnprocessedItems?.[TableName] ?? []) as Write[];
  });
}

/** Puts any number of rows, each by itself. Raises 503 when some are left. */
export const putRows = (rows: readonly Row[]): Promise<void> =>
  writeRows(rows.map((Item) => ({ PutRequest: { Item } })));

/** Removes any number of rows, each by itself. Raises 503 when some are left. */
export const removeRows = (keys: readonly Key[]): Promise<void> =>
  writeRows(keys.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })));

/** Rounds side by side; what the table leaves of one is tried again, a little later each time. */
async function inRounds<T>(all: readonly T[], size: number, work: (round: T[]) => Promise<T[]>): Promise<void> {
  const rounds = await Promise.allSettled(
    chunks(all, size).map(async (round) => {
      let left = round;
      for (let attempt = 0; left.length > 0; attempt += 1) {
        if (attempt === maxAttempts) throw unavailable(1);
        if (attempt > 0) await sleep(Math.random() * 50 * 2 ** attempt);
        left = await work(left);
      }
    }),
  );
  // Not before all have ended: what undoes the work of one that failed must not be overtaken by another one.
  for (const round of rounds) if (round.status === 'rejected') throw round.reason;
}

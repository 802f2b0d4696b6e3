import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { now, secondMs } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { dynamodb } from './client.ts';
import type { Spellings } from './entity.ts';
import { sortableId } from './keys.ts';
import { isRow, type Row } from './rows.ts';
import { isExpired } from './stored.ts';

/** Budget of a call's reads in units and time, and the place where it stopped. */
export interface Meter {
  unitsLeft: number;
  endsAtMs: number;
  /** Sort key below which nothing was read in one of the unfinished partitions. */
  stoppedAt?: string;
}

/** How long a list, a search or a sum reads (contract, revision 1.4). */
const readMs = 2 * secondMs;

/** A page of DynamoDB, 1 MB, has fewer; a local engine reads a whole partition for each page that has no limit. */
const mostRows = 10_000;

/** Returns a meter of what one call may read. */
export const newMeter = ({ units = env('READ_UNITS_PER_LIST') }: { units?: number | undefined } = {}): Meter => ({
  unitsLeft: units,
  endsAtMs: now() + readMs,
});

/** Whether it has read all that it may, or for as long: of small rows a second holds fewer units. */
export const isSpent = ({ unitsLeft, endsAtMs }: Meter): boolean => unitsLeft < 0 || now() > endsAtMs;

/** Returns the units that DynamoDB bills for a strongly consistent read by key: one per 4 KB. */
export const unitsOf = (bytes: number) => Math.max(1, Math.ceil(bytes / 4096));

/** The call has read all that it may, in descending order down to this sort key. */
export function stop(meter: Meter, sk: string): void {
  if (meter.stoppedAt === undefined || meter.stoppedAt < sk) meter.stoppedAt = sk;
}

/** A part of a partition. */
export interface Range {
  ascending?: boolean;
  /** Exclusive upper bound of the sort key. */
  below?: string | undefined;
  /** Exclusive lower bound of the sort key; together with `below`, no key may equal either. */
  above?: string | undefined;
  limit?: number;
  /** Only the first page is limited, the following are as large as DynamoDB makes them. */
  grows?: boolean;
  /** Also what has expired and is not yet removed. */
  withExpired?: boolean;
  /** Which rows are kept; the others are passed over like those that have expired. */
  isWanted?: (row: Row) => boolean;
  /** Keeps entries whose `text` contains all of these, each in one of its spellings. */
  texts?: readonly Spellings[];
  /** Counts what is read, and ends the pages when that is too much. */
  meter?: Meter;
}

/**
 * The pages of a partition, strongly consistent, without what has expired or is not wanted. That lies together, days of it: where a
 * page has nothing else, the following ones are as large as DynamoDB makes them.
 */
export async function* pages({ pk, ...range }: Range & { pk: string }): AsyncGenerator<Row[]> {
  const { below, above, withExpired = false, isWanted = () => true, texts = [], meter } = range;
  // DynamoDB refuses a range that ends before it begins.
  if (below !== undefined && above !== undefined && above > below) return;
  const words = texts.map((text, index) => [text].flat().map((one, at) => [`:t${index}_${at}`, one] as const));
  const filter = words.flat();
  const between = above !== undefined && below !== undefined && ' AND sk BETWEEN :above AND :below';
  const bound = between || (below !== undefined ? ' AND sk < :below' : above !== undefined ? ' AND sk > :above' : '');
  const input: QueryCommandInput = {
    TableName: env('TABLE_NAME'),
    ConsistentRead: true,
    ScanIndexForward: range.ascending ?? false,
    KeyConditionExpression: `pk = :pk${bound}`,
    ExpressionAttributeValues: {
      ':pk': pk,
      ...(below !== undefined && { ':below': below }),
      ...(above !== undefined && { ':above': above }),
      ...Object.fromEntries(filter),
    },
    // With a text filter the limit would count what is looked at, not what is found.
    Limit: filter.length > 0 ? mostRows : (range.limit ?? mostRows),
    ...(filter.length > 0 && {
      FilterExpression: words
        .map((spellings) => `(${spellings.map(([name]) => `contains(#t, ${name})`).join(' OR ')})`)
        .join(' AND '),
      ExpressionAttributeNames: { '#t': 'text' },
    }),
  };
  let from: QueryCommandInput['ExclusiveStartKey'];
  do {
    const {
      Items = [],
      LastEvaluatedKey,
      ConsumedCapacity,
    } = await dynamodb.send('Query', { ...input, ExclusiveStartKey: from });
    if (meter) meter.unitsLeft -= ConsumedCapacity?.CapacityUnits ?? 0;
    const live = Items.filter(isRow).filter((row) => (withExpired || !isExpired(row)) && isWanted(row));
    if (live.length > 0) yield live;
    from = LastEvaluatedKey;
    if (from && meter && isSpent(meter)) return stop(meter, String(from['sk']));
    if (range.grows || live.length === 0) input.Limit = mostRows;
  } while (from);
}

/** From an id downwards, exclusive. */
export const belowId = (id: number | undefined) =>
  id === undefined ? undefined : sortableId(Math.max(0, Math.min(id, 9_999_999_999)));

export async function* flatten<T>(source: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const page of source) yield* page;
}

/** Batches of the size that is asked for when each begins to fill. */
export async function* batches<T>(source: AsyncIterable<T>, size: () => number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const one of source) {
    batch.push(one);
    if (batch.length >= size()) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/** Descending rows or keys down to an id, exclusive. */
export async function* until<T extends { sk: string }>(source: AsyncIterable<T>, above: number | undefined) {
  const bottom = above === undefined ? undefined : sortableId(above);
  for await (const one of source) {
    if (bottom !== undefined && one.sk <= bottom) return;
    yield one;
  }
}

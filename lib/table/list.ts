import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import { documentClient } from './client.ts';
import { type Entity, entityPartition, type Item, indexPartition } from './entity.ts';
import { type Key, sortableId } from './keys.ts';
import { isAbsent, type Transaction } from './transaction.ts';

/** Items read side by side at most. */
const maxBatch = 1600;

/** The list envelope (base document, "List envelope"). */
export interface Page<Row> {
  items: Row[];
  nextCursor: number | null;
  hasMore: boolean;
}

export interface Listing<E extends Entity> {
  /** Only ids strictly less than this. */
  after?: number | undefined;
  /** Only ids strictly greater than this; not together with `ids`. */
  above?: number | undefined;
  limit: number;
  /** The partition when it is not the entity's name: `contact/5/activity`. */
  within?: string;
  /** Only these ids. */
  ids?: readonly number[] | undefined;
  /** Index partitions (`stage=new`) whose entries an item must be in, all of them. */
  indexes?: readonly string[];
  /** Index partitions whose entries' `text` must contain something, lower case. */
  texts?: readonly { index: string; contains: string }[];
  /** Whatever else must hold. */
  matches?: (item: Item<E>) => boolean;
}

/** The index entry that makes an entity findable by a substring of any of the texts. */
export const searchEntry = (texts: readonly (string | null | undefined)[]) => ({
  name: 'search',
  copy: {
    text: texts
      .filter((text) => text)
      .join('\n')
      .toLowerCase(),
  },
});

/** The `texts` of a listing that a `q` means; none without it. */
export const searching = (q: string | undefined) =>
  q === undefined ? [] : [{ index: 'search', contains: q.toLowerCase() }];

/**
 * One page in descending order of id, strongly consistent, never short while there is more. Without filters one query;
 * with index filters one query per index side by side, then one batch read.
 */
export async function listPage<E extends Entity>(tx: Transaction, of: E, listing: Listing<E>): Promise<Page<Item<E>>> {
  const items: Item<E>[] = [];
  const wanted = listing.limit + 1;
  const entries = [
    ...(listing.indexes ?? []).map((name) => ({ name, text: undefined })),
    ...(listing.texts ?? []).map(({ index, contains }) => ({ name: index, text: contains })),
  ];
  const matches = listing.matches ?? (() => true);
  const chunk = listing.matches ? Math.max(100, wanted) : wanted;
  // Most matches are found soon; what is rare shall not cost a round trip per hundred.
  const grows = listing.matches !== undefined;
  if (listing.ids) {
    const below = listing.after ?? Number.POSITIVE_INFINITY;
    const ids = [...new Set(listing.ids)].filter((id) => id < below).sort((a, b) => b - a);
    const found = await tx.findAll(
      of,
      ids.map((id) => ({ id }) as Partial<Item<E>>),
    );
    items.push(...found.filter((item) => matches(item) && isIndexed(of, item, entries)).slice(0, wanted));
  } else if (entries.length === 0) {
    const pages = descending(entityPartition(tx.tenant, of, listing.within), listing.after, chunk, undefined, grows);
    for await (const stored of until(flatten(pages), listing.above)) {
      const item = tx.remember(of, stored);
      if (matches(item)) items.push(item);
      if (items.length === wanted) break;
    }
  } else {
    // A text filter reads many entries for few matches, so it asks for whole pages of the index.
    const streams = entries.map(({ name, text }) =>
      descending(indexPartition(tx.tenant, of, name), listing.after, entries.length > 1 ? 1000 : chunk, text, grows),
    );
    for await (const keys of batches(until(intersection(streams), listing.above), chunk, grows ? maxBatch : chunk)) {
      for (const item of await tx.findAllByKey(of, keys)) {
        // The entry was read before the item, which may have changed in between.
        if (matches(item) && isIndexed(of, item, entries) && items.length < wanted) items.push(item);
      }
      if (items.length === wanted) break;
    }
  }
  const hasMore = items.length === wanted;
  if (hasMore) items.pop();
  const last = items.at(-1) as { id: number } | undefined;
  return { items, nextCursor: hasMore && last ? last.id : null, hasMore };
}

/** Whether an item would be found by way of all the index entries. */
function isIndexed<E extends Entity>(
  of: E,
  item: Item<E>,
  wanted: readonly { name: string; text?: string | undefined }[],
): boolean {
  const entries = (of.indexes?.(item) ?? []).filter((entry) => !!entry);
  return wanted.every(({ name, text }) =>
    entries.some((entry) => entry.name === name && (text === undefined || String(entry.copy?.['text']).includes(text))),
  );
}

/** Every entity of a partition, ascending by its sort key: for small dictionaries only. */
export async function listAll<E extends Entity>(tx: Transaction, of: E, within?: string): Promise<Item<E>[]> {
  const items: Item<E>[] = [];
  for await (const page of pages({ pk: entityPartition(tx.tenant, of, within), ascending: true })) {
    for (const stored of page) items.push(tx.remember(of, stored));
  }
  return items;
}

/** Every entity that has this index entry, descending by id: where one parent has few. */
export async function listIndexed<E extends Entity>(tx: Transaction, of: E, index: string): Promise<Item<E>[]> {
  const keys: Key[] = [];
  for await (const entry of flatten(pages({ pk: indexPartition(tx.tenant, of, index) }))) keys.push(pointedAt(entry));
  return (await tx.findAllByKey(of, keys)).filter((item) => isIndexed(of, item, [{ name: index }]));
}

/** The copies that an index keeps, descending by id, without reading the entities: one round trip. */
export async function listCopies(tx: Transaction, of: Entity, index: string): Promise<Record<string, unknown>[]> {
  const copies: Record<string, unknown>[] = [];
  for await (const entry of flatten(pages({ pk: indexPartition(tx.tenant, of, index) }))) copies.push(entry);
  return copies;
}

interface Range {
  pk: string;
  ascending?: boolean;
  /** Exclusive upper bound of the sort key. */
  below?: string | undefined;
  /** Exclusive lower bound of the sort key; together with `below`, no key may equal either. */
  above?: string | undefined;
  limit?: number;
  /** Only the first page is limited, the following are as large as DynamoDB makes them. */
  grows?: boolean;
  /** Keeps entries whose `text` contains this. */
  text?: string | undefined;
}

/** The pages of a partition, strongly consistent, without what has expired. */
export async function* pages(range: Range): AsyncGenerator<Record<string, unknown>[]> {
  const { below, above, text } = range;
  const between = above !== undefined && below !== undefined && ' AND sk BETWEEN :above AND :below';
  const bound = between || (below !== undefined ? ' AND sk < :below' : above !== undefined ? ' AND sk > :above' : '');
  const input: QueryCommandInput = {
    TableName: env('TABLE_NAME'),
    ConsistentRead: true,
    ScanIndexForward: range.ascending ?? false,
    KeyConditionExpression: `pk = :pk${bound}`,
    ExpressionAttributeValues: {
      ':pk': range.pk,
      ...(below !== undefined && { ':below': below }),
      ...(above !== undefined && { ':above': above }),
      ...(text !== undefined && { ':text': text }),
    },
    // With a text filter the limit would count what is looked at, not what is found.
    ...(range.limit !== undefined && text === undefined && { Limit: range.limit }),
    ...(text !== undefined && {
      FilterExpression: 'contains(#text, :text)',
      ExpressionAttributeNames: { '#text': 'text' },
    }),
  };
  let from: QueryCommandInput['ExclusiveStartKey'];
  do {
    const { Items = [], LastEvaluatedKey } = await documentClient().send(
      new QueryCommand({ ...input, ExclusiveStartKey: from }),
    );
    const live = Items.filter((item) => !isAbsent(item));
    if (live.length > 0) yield live;
    from = LastEvaluatedKey;
    if (range.grows) delete input.Limit;
  } while (from);
}

const descending = (pk: string, after: number | undefined, limit: number, text?: string, grows = false) =>
  pages({
    pk,
    grows,
    below: after === undefined ? undefined : sortableId(Math.max(0, Math.min(after, 9_999_999_999))),
    limit,
    text,
  });

async function* flatten<T>(source: AsyncIterable<T[]>): AsyncGenerator<T> {
  for await (const page of source) yield* page;
}

/** Descending rows or keys down to an id, exclusive. */
async function* until<T extends { sk?: unknown }>(source: AsyncIterable<T>, id: number | undefined): AsyncGenerator<T> {
  for await (const one of source) {
    if (id !== undefined && (one.sk as string) <= sortableId(id)) return;
    yield one;
  }
}

/** Batches of `size`, each four times the one before, up to `maxSize`. */
async function* batches<T>(source: AsyncIterable<T>, size: number, maxSize: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  let wanted = size;
  for await (const one of source) {
    batch.push(one);
    if (batch.length === wanted) {
      yield batch;
      batch = [];
      wanted = Math.min(wanted * 4, maxSize);
    }
  }
  if (batch.length > 0) yield batch;
}

const pointedAt = (entry: Record<string, unknown>): Key => entry['of'] as Key;

/** The keys that all descending streams have in common; the streams' first pages are fetched side by side. */
async function* intersection(sources: AsyncGenerator<Record<string, unknown>[]>[]): AsyncGenerator<Key> {
  const cursors = sources.map((source) => ({
    source,
    page: [] as Record<string, unknown>[],
    at: 0,
    next: source.next() as ReturnType<typeof source.next> | undefined,
  }));
  type Cursor = (typeof cursors)[number];
  const head = async (cursor: Cursor): Promise<Record<string, unknown> | undefined> => {
    while (cursor.at >= cursor.page.length) {
      const { value, done } = await (cursor.next ?? cursor.source.next());
      if (done) return undefined;
      cursor.page = value;
      cursor.at = 0;
      cursor.next = undefined;
    }
    return cursor.page[cursor.at];
  };
  for (;;) {
    const heads = await Promise.all(cursors.map(head));
    if (heads.some((entry) => entry === undefined)) return;
    const lowest = heads.map((entry) => entry?.['sk'] as string).sort()[0] as string;
    if (heads.every((entry) => entry?.['sk'] === lowest)) {
      yield pointedAt(heads[0] as Record<string, unknown>);
      for (const cursor of cursors) cursor.at += 1;
    } else {
      for (const [index, cursor] of cursors.entries()) {
        if ((heads[index]?.['sk'] as string) > lowest) cursor.at += 1;
      }
    }
  }
}

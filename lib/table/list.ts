import { hourMs, shifted } from '#lib/core/clock.ts';
import { foldCase, type Spellings, wordsOf } from '#lib/core/text.ts';
import {
  type ArchivedFilter,
  type Contains,
  type Entity,
  entityPartition,
  type Item,
  idOf,
  isIndexed,
  isKeptArchived,
  isListed,
  keyOf,
  type Wanted,
  type Where,
  wantedBy,
  wantedOf,
} from './entity.ts';
import { type EntryRow, entriesOfIndex, intersection } from './entries.ts';
import { batches, belowId, flatten, isSpent, type Meter, newMeter, pages, type Range, stop, until } from './pages.ts';
import type { Row } from './rows.ts';
import { bytesOf } from './size.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Items read side by side at most, and how many bytes they may be expected to have. */
const maxBatch = 400;
const maxBatchBytes = 16_000_000;

/** Limit of the items of one page in bytes of JSON (contract, revision 1.3): a longer page ends earlier. */
export const maxPageBytes = 5_000_000;

/** `createdAt` rises with the ids but for units of work that went on at the same time, none of them for so long. */
const maxOverlapMs = hourMs;

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
  /** Values for the partition name of an entity with several partitions: `{ contactId: 5 }`. */
  within?: Partial<Item<E>>;
  /** Only these ids. */
  ids?: readonly number[] | undefined;
  /** The indexes that an item must be in, all of them. */
  where?: Where<E>;
  /** Texts that the entries of these indexes must contain. */
  contains?: Contains<E>;
  /** Whether it has archived items: none unless said. */
  archived?: ArchivedFilter | undefined;
  /** It fails where an item cannot be read, also where it is for an answer alone. */
  requiresAll?: boolean;
  /** Condition that every listed row meets besides the indexes. */
  matches?: (item: Item<E>) => boolean;
  /** Columns of a copy that hold all fields that `matches` asks for. */
  columns?: readonly string[] | undefined;
  /** Words that `matches` asks for among others, which all searched texts of an item hold together. */
  words?: Wanted['texts'] | undefined;
  /** Returns keys in descending order, among which are those of all items that meet `matches`. */
  among?: (range: Range) => AsyncGenerator<EntryRow[]>;
  /** Read units after which a page ends early. */
  maxUnits?: number | undefined;
  /** Part of what `matches` asks: nothing created before this is wanted, so that the search can end there. */
  createdSince?: string | undefined;
  /** At least so many bytes that an item takes in an answer, where a hundred of them may be more than a page holds. */
  shownBytes?: (item: Item<E>) => number;
}

/** Returns the text that an index keeps, so that an entity is found by a substring of any of the texts. */
export const searchable = (...texts: (string | null)[]) => ({
  text: foldCase(texts.filter((text) => text).join('\n')),
});

/** Returns the texts that such entries must contain for a `q`: every word, in any order. */
export const searched = (q: string | undefined, spellings?: Spellings) =>
  q === undefined ? undefined : wordsOf(q, spellings);

/**
 * One page in descending order of id, strongly consistent, short while there is more only where more would not fit an answer or
 * where the search has read READ_UNITS_PER_LIST, or for two seconds: it goes on with the cursor.
 * In a GET an item that cannot be read is left out. Without filters one query; with index filters one query per index, whatever it must contain, side by side, then one batch read.
 */
export async function listPage<E extends Entity>(tx: UnitOfWork, of: E, listing: Listing<E>): Promise<Page<Item<E>>> {
  const found = new Found<Item<E>>(listing);
  const wanted = wantedOf(of, listing);
  const { archived, ids, limit } = listing;
  if (of.isArchivable && archived === 'all' && !ids && wanted.some(({ index }) => !isKeptArchived(of, index))) {
    const pages = (['false', 'true'] as const).map((one) => listPage(tx, of, { ...listing, archived: one }));
    return unitePages((await Promise.all(pages)) as Page<never>[], undefined, limit);
  }
  if (listing.ids) await findByIds(tx, of, listing, listing.ids, wanted, found);
  else if (wanted.length === 0 && archived !== 'true' && !listing.among) await findInPartition(tx, of, listing, found);
  else await findByIndexes(tx, of, listing, wanted, found);
  return found.page();
}

/**
 * Returns the newest items up to the limit that are wanted, however much must be read for them: a page may end before it has found any.
 * Unlike `matches`, `isWanted` expects that most are.
 */
export async function listUpTo<E extends Entity>(
  tx: UnitOfWork,
  of: E,
  listing: Listing<E>,
  isWanted: (item: Item<E>) => boolean = () => true,
): Promise<Item<E>[]> {
  const items: Item<E>[] = [];
  for (
    let { after }: { after?: number | undefined | null } = listing;
    after !== null && items.length < listing.limit;
  ) {
    const page: Page<Item<E>> = await listPage(tx, of, { ...listing, after });
    items.push(...page.items.filter(isWanted));
    after = page.nextCursor;
  }
  return items.slice(0, listing.limit);
}

const leavesOut = <E extends Entity>(tx: UnitOfWork, { requiresAll = false }: Listing<E>) =>
  tx.isForAnswer && !requiresAll;

/** Where a walk through a list goes on: below an id, or at its newest item. */
interface Step {
  after: number | null;
}

/**
 * Does something with the items of one page of a list, newest first, as long as the unit of work has room. Returns from where some
 * may be left, though a page was empty; undefined at the end of the list.
 */
export async function stepThrough<E extends Entity>(
  tx: UnitOfWork,
  of: E,
  { after, ...listing }: Omit<Listing<E>, 'after'> & Step,
  work: (item: Item<E>) => unknown,
): Promise<Step | undefined> {
  const { items, nextCursor } = await listPage(tx, of, { ...listing, after: after ?? undefined });
  let last = after;
  for (const item of items) {
    if (!tx.hasRoom) return { after: last };
    await work(item);
    last = idOf(item);
  }
  return nextCursor === null ? undefined : { after: nextCursor };
}

async function findByIds<E extends Entity>(
  tx: UnitOfWork,
  of: E,
  listing: Listing<E>,
  ids: readonly number[],
  wanted: readonly Wanted[],
  found: Found<Item<E>>,
): Promise<void> {
  const { after = Number.POSITIVE_INFINITY, matches = () => true } = listing;
  const descending = [...new Set(ids)].filter((id) => id < after).sort((a, b) => b - a);
  const keys = descending.map((id) => keyOf(tx.tenant, of, { id } as Partial<Item<E>>));
  const isWanted = (item: Item<E>) => matches(item) && isIndexed(of, item, wanted, listing.archived);
  found.take(await tx.findAllByKey(of, keys, isWanted, leavesOut(tx, listing), found.meter));
}

async function findInPartition<E extends Entity>(
  tx: UnitOfWork,
  of: E,
  listing: Listing<E>,
  found: Found<Item<E>>,
): Promise<void> {
  const { matches = () => true } = listing;
  const isPast = pastOf(listing);
  const { meter } = found;
  const isRowListed = (row: Row) => isListed(of, row, listing.archived);
  const range = { below: belowId(listing.after), limit: firstLook(listing), grows: isSearch(listing), meter };
  const rows = flatten(pages({ ...range, pk: entityPartition(tx.tenant, of, listing.within), isWanted: isRowListed }));
  let isOver = false;
  const isWanted = (item: Item<E>) => {
    isOver = isPast(item);
    return matches(item);
  };
  for await (const stored of until(rows, listing.above)) {
    found.take(tx.rememberIf(of, stored, isWanted, leavesOut(tx, listing)));
    if (isOver || found.isFull) return;
  }
}

async function findByIndexes<E extends Entity>(
  tx: UnitOfWork,
  of: E,
  listing: Listing<E>,
  wanted: readonly Wanted[],
  found: Found<Item<E>>,
): Promise<void> {
  const { after, above, archived, among, matches = () => true } = listing;
  const isPast = pastOf(listing);
  const read = archived === 'true' ? archivedAmong(of, wanted) : wanted;
  const grows = isSearch(listing) || read !== wanted || among !== undefined;
  let size = firstLook(listing);
  // A text filter reads many entries for few matches, so it asks for whole pages of the index.
  const { meter } = found;
  const range = { below: belowId(after), limit: read.length > 1 || among ? 1000 : size, grows, meter };
  const streams = read.map((one) => entriesOfIndex(tx, of, one, range));
  const common = intersection(among ? [...streams, among(range)] : streams);
  let isOver = false;
  for await (const keys of batches(until(common, above), () => size)) {
    let bytes = 0;
    const isWanted = (item: Item<E>) => {
      bytes += bytesOf(item);
      isOver ||= isPast(item);
      // The entry was read before the item, which may have changed in between.
      return matches(item) && isIndexed(of, item, wanted, archived);
    };
    found.take(await tx.findAllByKey(of, keys, isWanted, leavesOut(tx, listing), meter));
    if (isOver || found.isFull) return;
    const last = keys.at(-1);
    if (last && isSpent(meter)) return stop(meter, last.sk);
    if (grows) size = Math.ceil(Math.min(size * 4, maxBatch, (maxBatchBytes * keys.length) / (bytes + 1)));
  }
}

/** The indexes that find archived items; what others say is compared in every row. */
const archivedAmong = <E extends Entity>(of: E, wanted: readonly Wanted[]): Wanted[] => [
  wantedBy(of, { archived: true } as never),
  ...wanted.filter(({ index }) => isKeptArchived(of, index)),
];

interface Looked {
  matches?: unknown;
  among?: unknown;
}

/** Most matches are found soon; what is rare shall not cost a round trip per hundred. */
const isSearch = ({ matches, among }: Looked) => matches !== undefined && among === undefined;

/** How many items are read at first. */
const firstLook = (listing: Looked & { limit: number }) =>
  isSearch(listing) ? Math.max(100, listing.limit + 1) : listing.limit + 1;

/** Whether nothing that is wanted can come any more. */
function pastOf<E extends Entity>({ createdSince }: Listing<E>): (item: Item<E>) => boolean {
  const oldest = createdSince && shifted(createdSince, -maxOverlapMs);
  return (item) => oldest !== undefined && (item as { createdAt: string }).createdAt < oldest;
}

interface Bounds<T> {
  limit: number;
  above?: number | undefined;
  shownBytes?: (item: T) => number;
  maxUnits?: number | undefined;
}

/** The items of a page as they are found, in their order, and one more that says that there is more. */
class Found<T> {
  readonly #items: T[] = [];
  readonly #limit: number;
  readonly #above: number;
  readonly #shownBytes: (item: T) => number;
  readonly meter: Meter;
  #bytes = 0;
  isFull = false;

  constructor({ limit, above = 0, shownBytes = () => 0, maxUnits }: Bounds<T>) {
    this.meter = newMeter({ units: maxUnits });
    this.#limit = limit;
    this.#above = above;
    this.#shownBytes = shownBytes;
  }

  take(items: readonly T[]): void {
    for (const item of items) {
      if (this.isFull) return;
      this.#items.push(item);
      this.#bytes += this.#shownBytes(item);
      this.isFull = this.#items.length > Math.min(this.#limit, this.#bytes > maxPageBytes ? 1 : this.#limit);
    }
  }

  page(): Page<T> {
    const items = this.isFull ? this.#items.slice(0, -1) : this.#items;
    const last = items.at(-1) as { id: number } | undefined;
    if (this.isFull) return { items, nextCursor: last?.id ?? null, hasMore: true };
    const stoppedAt = Number(this.meter.stoppedAt ?? 0);
    return stoppedAt > this.#above
      ? { items, nextCursor: stoppedAt, hasMore: true }
      : { items, nextCursor: null, hasMore: false };
  }
}

/**
 * Returns one page of several lists of an entity, each item once, possibly without one of them. Each list was then asked for an item
 * more than the limit.
 */
export function unitePages<Row extends { id: number }>(
  pages: readonly Page<Row>[],
  without: number | undefined,
  limit: number,
): Page<Row> {
  const others = new Map(pages.flatMap(({ items }) => items.map((item) => [item.id, item])));
  if (without !== undefined) others.delete(without);
  const found = [...others.values()].sort((a, b) => b.id - a.id);
  // Below where one of the pages ends there may be others that it has not come to.
  const floor = Math.max(0, ...pages.map(({ nextCursor }) => nextCursor ?? 0));
  const items = found.filter(({ id }) => id >= floor).slice(0, limit);
  const hasMore = found.length > items.length || floor > 0;
  const last = items.length === limit ? items.at(-1) : undefined;
  return { items, nextCursor: hasMore ? (last?.id ?? floor) : null, hasMore };
}

/** Every entity of a partition, ascending by its sort key, in a GET without those that cannot be read: for small dictionaries only. */
export async function listAll<E extends Entity>(tx: UnitOfWork, of: E, within?: Partial<Item<E>>): Promise<Item<E>[]> {
  const items: Item<E>[] = [];
  for await (const page of pages({ pk: entityPartition(tx.tenant, of, within), ascending: true })) {
    for (const stored of page) items.push(...tx.rememberIf(of, stored, () => true, tx.isForAnswer));
  }
  return items;
}

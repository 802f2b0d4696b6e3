import {
  type ArchivedFilter,
  type By,
  type Entity,
  entriesPartition,
  type Item,
  isIndexed,
  uniqueKey,
  type Wanted,
  type Where,
  wantedBy,
  wantedOf,
} from './entity.ts';
import type { Key } from './keys.ts';
import { batches, belowId, flatten, type Meter, pages, type Range } from './pages.ts';
import { type Row, readRow } from './rows.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** An index entry as it is stored: what the index keeps of the entity, and where that is. */
export type EntryRow = Row & { of: Key };

/** The pages of an index, strongly consistent, in the order of its entries; descending unless asked otherwise. */
export const entries = <E extends Entity>(
  tx: UnitOfWork,
  of: E,
  by: By<E>,
  range: Range = {},
): AsyncGenerator<EntryRow[]> => entriesOfIndex(tx, of, wantedBy(of, by), range);

/** The same for an index that a listing asks for. */
export const entriesOfIndex = (tx: UnitOfWork, of: Entity, wanted: Wanted, range: Range): AsyncGenerator<EntryRow[]> =>
  pages({
    ...range,
    texts: wanted.texts,
    pk: entriesPartition(tx.tenant, of, wanted.name),
  }) as AsyncGenerator<EntryRow[]>;

/** Read side by side when the first one is not it. */
const perLook = 100;

/** The first entity in the order of an index that is wanted; however many there are, it mostly reads that one alone. */
export async function firstIndexed<E extends Entity>(
  tx: UnitOfWork,
  of: E,
  by: By<E>,
  isWanted: (item: Item<E>) => boolean = () => true,
  archived?: ArchivedFilter,
): Promise<Item<E> | undefined> {
  const wanted = [wantedBy(of, by)];
  const ascending = flatten(entriesOfIndex(tx, of, wantedBy(of, by), { ascending: true, limit: 1, grows: true }));
  let size = 1;
  for await (const some of batches(ascending, () => size)) {
    const keys = some.map((entry) => entry.of);
    const [first] = await tx.findAllByKey(of, keys, (item) => isWanted(item) && isIndexed(of, item, wanted, archived));
    if (first !== undefined) return first;
    size = perLook;
  }
  return undefined;
}

/** Returns the one entity that has a value of an index that `isUnique`. One read finds where it is, another one reads it. */
export async function holderOf<E extends Entity>(tx: UnitOfWork, of: E, by: By<E>): Promise<Item<E> | undefined> {
  const [own] = tx.written(of).filter((item) => isIndexed(of, item, [wantedBy(of, by)]));
  if (own !== undefined) return own;
  const entry = (await readRow(uniqueKey(tx.tenant, of, by))) as EntryRow | undefined;
  const [item] = entry ? await tx.findAllByKey(of, [entry.of]) : [];
  return item !== undefined && isIndexed(of, item, [wantedBy(of, by)]) ? item : undefined;
}

/** Every entity that has this index entry, descending by id: where one parent has few. */
export async function listIndexed<E extends Entity>(tx: UnitOfWork, of: E, by: By<E>): Promise<Item<E>[]> {
  const keys: Key[] = [];
  const wanted = [wantedBy(of, by)];
  for await (const entry of flatten(entriesOfIndex(tx, of, wantedBy(of, by), {}))) keys.push(entry.of);
  return (await tx.findAllByKey(of, keys)).filter((item) => isIndexed(of, item, wanted));
}

/** The copies that an index keeps, descending by id, the newest or all, without reading the entities: one round trip. */
export async function listCopies<E extends Entity>(
  tx: UnitOfWork,
  of: E,
  by: By<E>,
  { limit }: { limit?: number } = {},
): Promise<EntryRow[]> {
  const copies: EntryRow[] = [];
  for await (const entry of flatten(entries(tx, of, by, limit === undefined ? {} : { limit })))
    if (copies.push(entry) === limit) break;
  return copies;
}

/** How many items are in all of the indexes below an id, without reading them; fewer where the meter has stopped. */
export async function countEntries<E extends Entity>(
  tx: UnitOfWork,
  of: E,
  where: Where<E>,
  after: number | undefined,
  meter: Meter,
): Promise<number> {
  const streams = wantedOf(of, { where }).map((one) =>
    entriesOfIndex(tx, of, one, { below: belowId(after), limit: 1000, grows: true, meter }),
  );
  let count = 0;
  for await (const _ of intersection(streams)) count += 1;
  return count;
}

/** How far a stream was read. */
interface Cursor {
  source: AsyncGenerator<EntryRow[]>;
  page: EntryRow[];
  at: number;
  /** Its first page, which was asked for before. */
  next: Promise<IteratorResult<EntryRow[]>> | undefined;
}

/** The keys that all descending streams have in common; the streams' first pages are fetched side by side. */
export async function* intersection(sources: readonly AsyncGenerator<EntryRow[]>[]): AsyncGenerator<Key> {
  const cursors = sources.map((source): Cursor => ({ source, page: [], at: 0, next: source.next() }));
  const head = async (cursor: Cursor): Promise<EntryRow | undefined> => {
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
    const found = await Promise.all(cursors.map(head));
    const heads = found.filter((entry) => entry !== undefined);
    const [first] = heads;
    if (first === undefined || heads.length < cursors.length) return;
    const lowest = heads.reduce((least, one) => (one.sk < least.sk ? one : least), first).sk;
    if (heads.every(({ sk }) => sk === lowest)) {
      yield first.of;
      for (const cursor of cursors) cursor.at += 1;
    } else {
      for (const [index, cursor] of cursors.entries()) {
        if (heads[index]?.sk !== lowest) cursor.at += 1;
      }
    }
  }
}

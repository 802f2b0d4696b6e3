import type { GenericSchema, InferOutput } from 'valibot';
import type { QueueName } from '#lib/core/queues.ts';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { holdsWords } from '#lib/core/text.ts';
import { blank, fillKey, identity, type Key, rowKey, scopeKey, shardOf, sharedPrefixes, sortableId } from './keys.ts';

/** Partition keys of the rows that wait for their time, all tenants together. */
export const duePrefix = sharedPrefixes.due;

/** When a row wants attention, which queue is sent what. Rows of one `group` share the queue fairly with other groups. */
interface Timer {
  at: string;
  queue: QueueName;
  message: Record<string, unknown>;
  group: string;
  /** One message makes the worker do whatever is due of the group: the sweeper need not send one for every row. */
  isForGroup?: boolean;
  /** Its worker keeps a pace for the whole deployment: that many wait past their time is no fault. */
  isPaced?: boolean;
}

/** Names that a query fills in for an index. Several together fill a partition with another name (`at`). */
type Value = string | number | true | Fields;
type Fields = Readonly<Record<string, string | number>>;
/** Values of an item in an index: one, several, or none. */
type Values = Value | false | null | undefined | readonly (string | number | Fields)[];
type ValueIn<Given> = Given extends readonly (infer One)[] ? One : Exclude<Given, false | null | undefined>;

/** Which versions of an entity write an index or a counter: from `since` (the first one unless said) to the one before `until`. */
interface Span {
  since?: number;
  until?: number;
}

/** A second place where an entity is found: by a value that it has, or by being what the index is called after. */
interface Index<Row> extends Span {
  /** Returns the values of an item; without it every item is in the index. */
  of?(row: Row): Values;
  /** Its partition when that is neither `stage=new` nor, for `true`, `unread`: `{sequenceId}/status={status}`. */
  at?: string;
  /** Sorted by this before the id, for queues and time ranges that `entries` reads; a page cannot be made of it. */
  order?(row: Row): string;
  /** Kept there, so that a query needs no second read. */
  copy?(row: Row): Record<string, unknown> | undefined;
  /** An archived item keeps its entries, as it does in the indexes by which references are found. */
  isKeptArchived?: true;
  /** One item at most has a value: the commit of another one with it meets a conflict. Asked by `holderOf` (lib/table/entries.ts). */
  isUnique?: true;
  /** Where the entry of an item lies for who does not know the workspace: such an index is asked by its key alone, and `of` says nothing. */
  across?(row: Row, tenant: Tenant): Key;
}

/** The short form: what an item has of the index. */
type IndexBy<Row> = (row: Row) => Values;
type AnyIndex<Row> = IndexBy<Row> | Index<Row>;
export type Indexes<Row> = Readonly<Record<string, AnyIndex<Row>>>;

/**
 * A field that holds the id of another entity, or several ids. A row begins to name one that `isMergeable` only while that is as the unit
 * of work has read it, or is there (`tx.requireExists`): so none appears behind a merge, or with a name that has just changed.
 */
export interface Reference<Field extends string = string> {
  /** The name of the other entity. */
  to: string;
  field: Field;
  /** The field that shows the other one's `name`. */
  shows?: Field;
  /** The entity whose rows name these and take them along, so that both always name the same. */
  with?: string;
  /** How the field holds ids, where it is neither one id nor a list of ids. */
  holds?: Holding;
  /** Attribute of the other entity's row that counts the rows which name it, kept by the transactions that change them; it is `countedBeside`. */
  counts?: string;
  /** Which rows are counted; all without it. */
  isCounted?(row: AnyRow): boolean;
  /** The row is about the other one alone, and goes with it; any other row goes on without naming it. */
  isOwned?: true;
}

type AnyRow = Readonly<Record<string, unknown>>;

/** Entity that other rows name: it has an id and may have a name. */
export interface Named {
  id: number;
  name: string | null;
}

/** How a field holds the ids of another entity. */
export interface Holding {
  ids(row: AnyRow): readonly number[];
  /** The index value by which rows are found that name one. */
  where(id: number): Readonly<Record<string, number | Readonly<Record<string, string | number>>>>;
  /** Returns what is set in a row that named one, and names another one instead, or none. */
  moved(row: AnyRow, from: number, to: Named | null): Record<string, unknown>;
  /** Returns what is set in a row when one has got another name. */
  renamed?(row: AnyRow, named: Named): Record<string, unknown>;
}

/** A custom field's value that is another record. */
export interface Link {
  fieldId: number;
  /** Name of the other entity. */
  to: string;
  id: number;
}

/** Links to one entity among those of a row. */
export const linksTo = (to: string): Holding => {
  const linksOf = (row: AnyRow) => (row['links'] ?? []) as readonly Link[];
  return {
    ids: (row) => linksOf(row).flatMap((link) => (link.to === to ? [link.id] : [])),
    where: (id) => ({ links: { to, id } }),
    moved: (row, from, target) => ({
      links: linksOf(row).flatMap((link) => {
        if (link.to !== to || link.id !== from) return [link];
        return target === null ? [] : [{ ...link, id: target.id }];
      }),
    }),
  };
};

/**
 * Marks a mergeable entity whose name other rows show, or once did. It is written with the first of them and raises the
 * version. A rename therefore reads the mark or meets a conflict; a query of an index could see half of a transaction.
 */
export const nameShown = 'isNameShown';

/** Counter that an item adds to. */
interface Counted {
  /** Name of the counter in its group. */
  name: string;
  add: Readonly<Record<string, number>>;
  /** Field that fills the name of the group. */
  in?: Readonly<Record<string, string>>;
}

/** Counters that follow from each row by itself; what follows from more than one is for `UnitOfWork.count`. */
interface Counter<Row> extends Span {
  of(row: Row): Counted | false | null | undefined;
  /** Its group when that is not what the declaration calls it: `realized/{month}`. */
  group?: string;
}
export type Counters<Row> = Readonly<Record<string, Counter<Row>>>;

/** One declaration per entity: what is stored, where it lies, and where else it is found. */
export interface Entity<
  Schema extends GenericSchema = GenericSchema,
  Own extends Indexes<never> = Indexes<never>,
  Sums extends Counters<never> = Counters<never>,
> {
  name: string;
  /** Schema of the stored item; every read is parsed with it. */
  schema: Schema;
  /**
   * Its version is one more than there are of them: the first turns what version 1 wrote into what version 2 would have written. What
   * they are given was not parsed (docs/changing-an-entity.md).
   */
  upgrades?: readonly ((older: Readonly<Record<string, unknown>>) => Record<string, unknown>)[];
  /** `workspace`: shared by both environments of a workspace. */
  scope?: 'workspace';
  /** Its whole partition key when it must be found without knowing the tenant. */
  partitionKey?(item: InferOutput<Schema>): string;
  /** The partition it lies in when that is not its name, with the fields that fill it: `contact/{contactId}/activity`. */
  within?: string;
  /** Its sort key when that is not the padded id. */
  sortKey?(item: InferOutput<Schema>): string;
  /**
   * Attributes that others count in the row without raising its version: an update adds to them the difference from what it has read.
   * Not with `expiresAtSeconds`.
   */
  countedBeside?: readonly string[];
  /** Where else it is found, by the names that queries use. */
  indexes?: Own;
  /** Entities that a row names and that must exist. A merge, rename, or check finds the rows by this. */
  references?: readonly Reference[];
  /** One of them may become another one, or get another name, while rows name it. Its schema has `isNameShown`. */
  isMergeable?: true;
  /** Its rows have `archive` while they are archived (lib/entities/archive.ts), and are then in no counter and in few indexes. */
  isArchivable?: true;
  /** Sums over all items, kept in the transactions that change them. */
  counters?: Sums;
  timer?(item: InferOutput<Schema>, tenant: Tenant): Timer | null;
  /** Unix seconds after which it is gone. */
  expiresAtSeconds?(item: InferOutput<Schema>): number | undefined;
}

export type Item<E extends Entity> = InferOutput<E['schema']>;

type IndexesOf<E extends Entity> = E extends { indexes?: infer Own } ? Exclude<Own, undefined> : never;
type ValueOf<One> = One extends (row: never) => infer Given
  ? ValueIn<Given>
  : One extends { of(row: never): infer Given }
    ? ValueIn<Given>
    : true;
type Unordered<Own> = string extends keyof Own
  ? string & keyof Own
  : {
      [Name in keyof Own]: Own[Name] extends
        | { order: unknown }
        | { until: number }
        | { across: unknown }
        | { isUnique: true }
        ? never
        : Name;
    }[keyof Own];
type WithText<Own> = {
  [Name in keyof Own]: Own[Name] extends { copy(row: never): { text: string } } ? Name : never;
}[keyof Own];

/** The indexes that an item must be in, by their names; an ordered one has no place in a page. */
export type Where<E extends Entity> = {
  readonly [Name in Unordered<IndexesOf<E>>]?: ValueOf<IndexesOf<E>[Name]> | undefined;
};
/** A text, or several of which one is enough. */
export type Spellings = string | readonly string[];
/** The indexes whose entries' `text` must contain something, each time it is named. */
export type Contains<E extends Entity> = {
  readonly [Name in WithText<IndexesOf<E>>]?: string | readonly Spellings[] | undefined;
};
/** One index, ordered or not, and the value. */
export type By<E extends Entity> = {
  [Name in keyof IndexesOf<E>]: IndexesOf<E>[Name] extends { until: number } | { across: unknown }
    ? never
    : { readonly [Own in Name]: ValueOf<IndexesOf<E>[Name]> };
}[keyof IndexesOf<E>];

/** The names of an entity's counters. */
export type CounterOf<E extends Entity> = E extends { counters?: infer Sums }
  ? keyof Exclude<Sums, undefined> & string
  : never;

/** Indexes of an entity that is found only by its partition. */
type NoIndexes = Readonly<Record<string, never>>;

/** Gives the declaration its exact type. */
export const entity = <
  const Schema extends GenericSchema,
  const Own extends Indexes<InferOutput<Schema>>,
  const Sums extends Counters<InferOutput<Schema>>,
>(
  declaration: Entity<Schema, Own, Sums> & { references?: readonly Reference<keyof InferOutput<Schema> & string>[] },
): Entity<Schema, string extends keyof Own ? NoIndexes : Own, Sums> => declaration as never;

/** Returns the id of an item whose place derives from it. */
export const idOf = (item: unknown): number => (item as { id: number }).id;

export function keyOf<E extends Entity>(tenant: Tenant, of: E, place: Partial<Item<E>> | Item<E>): Key {
  const item = place as Item<E>;
  return {
    pk: of.partitionKey?.(item) ?? entityPartition(tenant, of, item),
    sk: of.sortKey?.(item) ?? sortableId(idOf(item)),
  };
}

/** The partition of an entity: `7:live#contact`, or `7#member` where both environments share it. */
export const entityPartition = <E extends Entity>(tenant: Tenant, of: E, place: Partial<Item<E>> = {}): string =>
  scopedPartition(tenant, of, of.within === undefined ? of.name : fillKey(of.within, place));

/** A partition of the tenant, or of the workspace if the entity is. */
const scopedPartition = (tenant: Tenant, of: Entity, name: string) => `${scopeKey(tenant, of)}#${name}`;

/** One of its partitions by the id that fills its name; the first is without one. */
export const partitionOf = (tenant: Tenant, of: Entity, id: number): string =>
  scopedPartition(tenant, of, (of.within ?? of.name).replace(blank, id === 0 ? 'none' : String(id)));

/** The fields that fill the name of its partition. */
export const fieldsWithin = ({ within = '' }: Entity): string[] =>
  [...within.matchAll(blank)].map(([, name]) => String(name));

/** Returns the field that fills the partition of an entity with several partitions. */
export function parentOf(of: Entity): string {
  const [field] = fieldsWithin(of);
  const named = of.references?.find((reference) => reference.field === field)?.to;
  return named ?? String(of.within?.split('/')[0]);
}

/** The partitions of an entity, whatever fills them, without the tenant. */
export const kindOf = (of: Entity) => (of.within ?? of.name).replaceAll(blank, '*');

/** Returns the name of an index in the table for a value: `stage=new`. */
function entryName(name: string, at: string | undefined, value: Value): string {
  if (typeof value === 'object') return fillKey(at ?? name, value);
  return value === true ? (at ?? name) : `${at ?? name}=${value}`;
}

/** The partition of an index, by what it is called in the table: `7:live#contact?stage=new`. */
export const entriesPartition = (tenant: Tenant, of: Entity, name: string) =>
  scopedPartition(tenant, of, `${of.name}?${name}`);

/** The same by a value that is asked for. */
export const indexPartition = <E extends Entity>(tenant: Tenant, of: E, by: By<E>): string =>
  entriesPartition(tenant, of, wantedBy(of, by).name);

/** Where the entry of an item is. */
export const entryKey = <E extends Entity>(tenant: Tenant, of: E, by: By<E>, id: number, order?: string): Key => ({
  pk: indexPartition(tenant, of, by),
  sk: entrySortKey(id, order),
});

/** Where the entry of the one item with a value is. */
export const uniqueKey = <E extends Entity>(tenant: Tenant, of: E, by: By<E>): Key => ({
  pk: indexPartition(tenant, of, by),
  sk: uniqueSortKey,
});
export const isUniqueEntry = ({ sk }: Key): boolean => sk === uniqueSortKey;

const entrySortKey = (id: number, order: string | undefined) =>
  order === undefined ? sortableId(id) : `${order}#${sortableId(id)}`;

/** An index as a query asks for it. */
export interface Wanted {
  index: string;
  value: unknown;
  /** In the table: `stage=new`. */
  name: string;
  /** Texts that the entry's `text` must all contain, each in one of its spellings. */
  texts: readonly Spellings[];
}

export function wantedBy<E extends Entity>(of: E, by: By<E>): Wanted {
  const [wanted] = wantedOf(of, { where: by as Where<E> });
  if (wanted === undefined) throw new Error(`no index of ${of.name} is named`);
  return wanted;
}

/** Returns the index values that a query asks for; a name without a value, or without text, is left out. */
export function wantedOf<E extends Entity>(
  of: E,
  { where = {}, contains = {} }: { where?: Where<E> | undefined; contains?: Contains<E> | undefined },
): Wanted[] {
  const values = where as Record<string, Value | undefined>;
  const texts = contains as Record<string, string | readonly Spellings[] | undefined>;
  return Object.keys({ ...values, ...texts }).flatMap((index): Wanted[] => {
    const value = values[index];
    const text = texts[index] ?? [];
    const sought = typeof text === 'string' ? [text] : text;
    if (sought.length === 0 && value === undefined) return [];
    return [{ index, value, name: entryName(index, indexOf(of, index).at, value ?? true), texts: sought }];
  });
}

/** Whether an entry's `text` contains all of these. */
const hasTexts = (entry: Record<string, unknown> | undefined, texts: readonly Spellings[]): boolean =>
  holdsWords(String(entry?.['text']), texts);

/** Whether an item is archived. */
export const isArchived = ({ isArchivable }: Entity, item: unknown): boolean =>
  isArchivable === true && (item as { archive?: unknown } | null | undefined)?.archive !== undefined;

/** Which items of an entity a list has. */
export type ArchivedFilter = 'false' | 'true' | 'all';

/** Whether a list has an item, or its row. */
export const isListed = (of: Entity, item: unknown, archived: ArchivedFilter = 'false'): boolean =>
  archived === 'all' || isArchived(of, item) === (archived === 'true');

const indexOfReference = ({ to, holds }: Reference): string => (holds ? String(Object.keys(holds.where(0))[0]) : to);

/** Whether archived items keep their entries in an index. */
export const isKeptArchived = (of: Entity, name: string): boolean =>
  indexOf(of, name).isKeptArchived === true ||
  (of.references ?? []).some((reference) => indexOfReference(reference) === name);

/** Whether an item is in all of the indexes, an archived one as if it were not. */
export function isIndexed<E extends Entity>(
  of: E,
  item: Item<E>,
  wanted: readonly Wanted[],
  archived?: ArchivedFilter,
): boolean {
  if (!isListed(of, item, archived)) return false;
  return wanted.every(({ index, name, texts }) =>
    entriesIn(of, index, item).some((entry) => entry.name === name && hasTexts(entry.copy, texts)),
  );
}

/** The version of an entity that this code writes. */
export const latestVersion = ({ upgrades = [] }: Entity): number => upgrades.length + 1;

/** Whether a version writes an index or a counter. */
export type IsWritten = (span: Span) => boolean;
export const writtenBy =
  (version: number): IsWritten =>
  ({ since = 1, until = Number.POSITIVE_INFINITY }) =>
    since <= version && version < until;

function indexOf(of: Entity, name: string): Index<unknown> {
  const index = of.indexes?.[name] as AnyIndex<unknown> | undefined;
  if (index === undefined) throw new Error(`${of.name} has no index ${name}`);
  return typeof index === 'function' ? { of: index } : index;
}

interface Entry {
  /** In the table: `stage=new`. */
  name: string;
  order: string | undefined;
  copy: Record<string, unknown> | undefined;
  isUnique: boolean;
}

/** Sort key of an entry that only one item can have. */
const uniqueSortKey = 'only';

/** The entries that an item has in an index. */
function entriesIn<E extends Entity>(of: E, name: string, item: Item<E>): Entry[] {
  const index = indexOf(of, name);
  return [index.of === undefined ? true : index.of(item)].flat().flatMap((value) => {
    if (value === false || value === null || value === undefined) return [];
    const isUnique = index.isUnique === true;
    return [{ name: entryName(name, index.at, value), order: index.order?.(item), copy: index.copy?.(item), isUnique }];
  });
}

/** The group in which a counter is kept. */
export const counterGroup = (of: Entity, counter: string, parts: Readonly<Record<string, string>> = {}): string =>
  fillKey(of.counters?.[counter]?.group ?? counter, parts);

/** Returns the amounts that an item adds to the counters of its entity. */
export function countedOf<E extends Entity>(
  of: E,
  item: Item<E>,
  isWritten: IsWritten = writtenBy(latestVersion(of)),
): { group: string; name: string; add: Counted['add'] }[] {
  if (isArchived(of, item)) return [];
  return Object.entries(of.counters ?? {}).flatMap(([name, counter]) => {
    const counted = isWritten(counter) && counter.of(item as never);
    return counted ? [{ ...counted, group: counterGroup(of, name, counted.in) }] : [];
  });
}

type EntryRow = Record<string, unknown> & Key;

/** The entries of an item in an index, as they are stored. */
export function entryRowsIn<E extends Entity>(tenant: Tenant, of: E, index: string, item: Item<E>): EntryRow[] {
  const expiresAtSeconds = of.expiresAtSeconds?.(item);
  const own = indexOf(of, index).across?.(item, tenant);
  return entriesIn(of, index, item).map(({ name, order, copy, isUnique }) => ({
    ...copy,
    pk: own?.pk ?? entriesPartition(tenant, of, name),
    sk: own?.sk ?? (isUnique ? uniqueSortKey : entrySortKey(idOf(item), order)),
    of: keyOf(tenant, of, item),
    ...(expiresAtSeconds === undefined ? {} : { expiresAtSeconds }),
  }));
}

/** The index entries that stand beside an entity, by their keys. */
const entryRows = <E extends Entity>(
  tenant: Tenant,
  of: E,
  item: Item<E>,
  isWritten: IsWritten = writtenBy(latestVersion(of)),
): Map<string, EntryRow> =>
  new Map(
    Object.keys(of.indexes ?? {})
      .filter((index) => isWritten(indexOf(of, index)) && (!isArchived(of, item) || isKeptArchived(of, index)))
      .flatMap((index) => entryRowsIn(tenant, of, index, item))
      .map((row) => [identity(row), row]),
  );

/** The items that stand beside an entity: its index entries and its timer, by their keys. */
export function indexEntries<E extends Entity>(
  tenant: Tenant,
  of: E,
  item: Item<E>,
  isWritten?: IsWritten,
): Map<string, EntryRow> {
  const found = entryRows(tenant, of, item, isWritten);
  const key = keyOf(tenant, of, item);
  const expiresAtSeconds = of.expiresAtSeconds?.(item);
  const timer = isArchived(of, item) ? null : of.timer?.(item, tenant);
  if (timer) {
    const row = {
      ...timer,
      ...rowKey('due', { shard: shardOf('due', timer.group), time: timer.at, place: `${key.pk}#${key.sk}` }),
      tenant: tenantKey(tenant),
      ...(expiresAtSeconds === undefined ? {} : { expiresAtSeconds }),
    };
    found.set(identity(row), row);
  }
  return found;
}

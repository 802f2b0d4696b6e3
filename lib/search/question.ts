import { metadataKeyIn } from '#lib/core/metadata.ts';
import type { FieldError } from '#lib/core/problem.ts';
import { zoneOf } from '#lib/core/zone.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { fieldsOf } from '#lib/workspaces/fields.ts';
import { getWorkspace } from '#lib/workspaces/store.ts';
import { readingCopies } from './copied-row.ts';
import { searchFieldOf } from './custom.ts';
import { FilterReader, type Predicate } from './filter.ts';
import { text } from './kinds.ts';
import type { Filtered, SearchField } from './nouns.ts';
import { type Order, orderOf, type SortStep } from './order.ts';

/** Filters of which all must hold, and an order, as callers give them. */
export interface Asked {
  filters: readonly unknown[];
  sort: readonly SortStep[];
  /** The time of the first page. */
  at: string;
  timeZone?: string | undefined;
  /** Names of further fields that `fieldOf` is asked for. */
  columns?: readonly string[];
}

/** The same, read; `wrong` names all that is not as it should be. */
export interface Question {
  wrong: FieldError[];
  predicates: Predicate[];
  order: Order;
  fieldOf(name: string): SearchField | undefined;
  /** The fields that were asked for. */
  used: ReadonlySet<SearchField>;
}

/** Returns what is asked of the records of an object, as it can be evaluated. */
export async function readQuestion(
  tx: UnitOfWork,
  noun: Filtered,
  { filters, sort, at, timeZone, columns = [] }: Asked,
): Promise<Question> {
  const used = new Set<SearchField>();
  const [known, zone] = await Promise.all([
    fieldsFor(tx, noun, JSON.stringify([filters, sort, columns])),
    timeZone ?? getWorkspace(tx).then((workspace) => workspace.timeZone),
  ]);
  const fieldOf = (name: string) => {
    const field = known(name);
    if (field) used.add(field);
    return field;
  };
  const reading = { tx, nowMs: Date.parse(at), zone: zoneOf(zone), fieldOf };
  // Each has the levels and conditions of its own.
  const readers = filters.map(() => new FilterReader(reading));
  const { order, wrong } = orderOf(sort, fieldOf);
  const predicates = await Promise.all(readers.map((reader, index) => reader.read(filters[index], 'filter')));
  return { wrong: [...inOrder(readers.flatMap((reader) => reader.wrong)), ...wrong], predicates, order, fieldOf, used };
}

/** Conditions are read side by side. */
const inOrder = (wrong: readonly FieldError[]) =>
  [...wrong].sort((a, b) => a.field.localeCompare(b.field, 'en', { numeric: true }));

/** Returns the fields of an object by their names, custom ones and keys of metadata among them. */
async function fieldsFor(tx: UnitOfWork, { object, fields }: Filtered, named: string): Promise<Question['fieldOf']> {
  const custom = (object !== undefined && named.includes('"fields.') ? await fieldsOf(tx, object) : []).filter(
    ({ isArchived }) => !isArchived,
  );
  const bySlug = new Map(custom.map((field) => [`fields.${field.slug}`, searchFieldOf(field)]));
  return (name) => {
    const own = Object.hasOwn(fields, name) ? fields[name] : bySlug.get(name);
    const key = own || object === undefined ? undefined : metadataKeyIn(name);
    const field = key === undefined ? own : metadataField(key);
    return field && readingCopies(field);
  };
}

const metadataField = (key: string): SearchField<never> => ({
  kind: text,
  of: ({ metadata }: { metadata: Record<string, string> }) => (Object.hasOwn(metadata, key) ? metadata[key] : null),
  from: ['metadata'],
  isMade: true,
});

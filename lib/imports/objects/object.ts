import { isDeepStrictEqual } from 'node:util';
import type { CellKind } from '#lib/sheets/cells.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** Values that a row sets, by the names of targets; custom fields and metadata as objects of their own. */
export type RowInput = Readonly<Record<string, unknown>>;

/** Values of a record by their names (`name`, `fields.size`, `metadata.source`), as an undo compares them. */
export type Values = Readonly<Record<string, unknown>>;

/** Rules of an import for its rows. */
export interface Rules {
  matchOn: string | null;
  onConflict: 'skip' | 'update' | 'fail';
  makesTags: boolean;
  makesCompanies: boolean;
}

/** Result of a row. */
export interface Outcome {
  outcome: 'created' | 'updated' | 'skipped';
  recordId: number;
  of?: 'contact' | 'company' | 'deal';
  noteId?: number;
  /** Changed values of a record that was there, before and after. */
  changes?: Readonly<Record<string, { from: unknown; to: unknown }>>;
}

/** A kind of records that rows become. */
export interface ImportedObject {
  /** Names that columns are mapped to, besides those of custom fields and metadata. */
  targets: Readonly<Record<string, CellKind>>;
  /** Targets that take several columns, and what stands between their texts. */
  joined: Readonly<Record<string, string>>;
  /** Names that tell records apart. */
  matchKeys: readonly string[];
  /** Whether records are told apart by metadata, too. */
  matchesMetadata: boolean;
  /** Does what a row says. Raises what the single calls raise. */
  take(tx: UnitOfWork, input: RowInput, rules: Rules): Promise<Outcome>;
  /** Archives what a row has created, or removes it. Returns false where that is gone already. */
  remove(tx: UnitOfWork, made: Pick<Outcome, 'recordId' | 'of' | 'noteId'>): Promise<boolean>;
  /** Returns the values of a record, and when it was changed last; undefined where it is gone or archived. */
  read(tx: UnitOfWork, id: number): Promise<{ values: Values; updatedAt: string | null } | undefined>;
  /** Gives a record some of its old values back. */
  giveBack(tx: UnitOfWork, id: number, old: Values): Promise<void>;
}

/** Returns the values that differ, each before and after. */
export function changesBetween(before: Values, after: Values): NonNullable<Outcome['changes']> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter((name) => !isDeepStrictEqual(before[name] ?? null, after[name] ?? null));
  return Object.fromEntries(changed.map((name) => [name, { from: before[name] ?? null, to: after[name] ?? null }]));
}

/** Returns members of an object as values of their own: `metadata.source`. */
export const named = (prefix: string, values: Values): Values =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [`${prefix}.${key}`, value]));

/** Returns the values whose names begin so, without that beginning. */
export const within = (prefix: string, values: Values): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      name.startsWith(`${prefix}.`) ? [[name.slice(prefix.length + 1), value]] : [],
    ),
  );

/** Returns some of the values. */
export const only = (names: readonly string[], values: Values): Record<string, unknown> =>
  Object.fromEntries(names.flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name]]] : [])));

/** Returns metadata without the pairs that are to go. */
export const withoutNull = (metadata: Values) =>
  Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null)) as Record<string, string>;

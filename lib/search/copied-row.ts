import { archivedColumn, type Column, textColumn } from './copy-columns.ts';
import type { SearchField } from './nouns.ts';

/** Values of columns of some rows, as the file has them. */
export interface Group {
  rows: number;
  values: ReadonlyMap<string, ArrayLike<unknown>>;
}

/** A row of a copy, one after another of a group: fields, filters, and orders take it like a row of the table. */
export class CopiedRow {
  index = 0;
  readonly #group: Group;
  readonly #columns: ReadonlyMap<string, Column>;
  readonly #readers = new Map<SearchField, (now: string) => unknown>();

  constructor(group: Group, columns: ReadonlyMap<string, Column>) {
    this.#group = group;
    this.#columns = columns;
  }

  get id(): number {
    return this.#group.values.get('id')?.[this.index] as number;
  }

  get archive(): unknown {
    return this.#group.values.get(archivedColumn)?.[this.index] ?? undefined;
  }

  get searchText(): string {
    return String(this.#group.values.get(textColumn)?.[this.index] ?? '');
  }

  /** Returns what the file has of the row in a column, such as the milliseconds of a time. */
  raw(name: string): unknown {
    return this.#group.values.get(name)?.[this.index];
  }

  /** Returns a row of the table that has only these columns. */
  part(names: readonly string[]): Record<string, unknown> {
    return Object.fromEntries(names.map((name) => [name, this.#readerIn(name)()]));
  }

  /** Returns a row of the table that has only these columns. It is always of the row that this one is at. */
  view(names: readonly string[]): object {
    const missing = names.find((name) => !this.#columns.has(name));
    if (missing !== undefined) throw new Error(`a copy has no column ${missing}`);
    const readers = names.map((name) => [name, { get: this.#readerIn(name) }] as const);
    return Object.defineProperties({}, { ...Object.fromEntries(readers), archive: { get: () => this.archive } });
  }

  /** Returns what the row has of a field, as it is compared or as rows have it. */
  of(field: SearchField, now: string): unknown {
    let read = this.#readers.get(field);
    if (read === undefined) {
      read = this.#readerOf(field);
      this.#readers.set(field, read);
    }
    return read(now);
  }

  #readerOf({ from, isMade, of }: SearchField): (now: string) => unknown {
    const readers = from.map((name) => [name, this.#readerIn(name)] as const);
    if (isMade) return (now) => of(Object.fromEntries(readers.map(([name, read]) => [name, read()])) as never, now);
    const [name] = from;
    if (name !== undefined && this.#columns.get(name)?.form.isComparable) return () => this.raw(name);
    return readers[0]?.[1] ?? (() => null);
  }

  /** A field that is newer than the copy has no column: no row of it has a value. */
  #readerIn(name: string): () => unknown {
    const values = this.#group.values.get(name);
    const form = this.#columns.get(name)?.form;
    return () => {
      const value = values?.[this.index] ?? null;
      return value === null ? (form?.none ?? null) : form?.read(value as never);
    };
  }
}

/** Returns a field that takes rows of a copy as well as those of the table. */
export const readingCopies = (field: SearchField): SearchField => ({
  ...field,
  of: (row, now) => ((row as object) instanceof CopiedRow ? (row as CopiedRow).of(field, now) : field.of(row, now)),
});

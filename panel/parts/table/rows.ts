import { useEffect, useReducer, useState } from 'preact/hooks';
import { type AnyEvent, onEvents } from '../../app/live.ts';
import { isOfOwnChange } from '../../app/own-changes.ts';
import { current, environment, workspaceId } from '../../app/session.ts';

export type Cursor = number | string;

/** A page of a list or of a search. */
export interface Page<Item> {
  items: readonly Item[];
  hasMore: boolean;
  nextCursor: Cursor | null;
  /** How many rows there are on all pages. */
  total?: number;
}

/** Where the rows of a table come from. */
export interface Source<Item> {
  noun: string;
  /** Reads the page behind a cursor; the first one without. */
  read(signal: AbortSignal, cursor: Cursor | undefined): Promise<Page<Item>>;
  /** Counts all rows, where the pages do not say how many there are. */
  count?(signal: AbortSignal): Promise<number>;
}

interface Part<Item> {
  cursor: Cursor | undefined;
  items: readonly Item[];
  /** Something has happened since it was read. */
  isStale: boolean;
}

/** So long a count is believed, whatever happens: it reads every record. */
const countedForMs = 15_000;

/** Reads the pages of a source as they are needed, and those that are seen again after a change. */
class Reader<Item extends { id: number }> {
  items: readonly Item[] = [];
  total: number | undefined;
  error: unknown;
  isLoading = true;
  /** How many sources it has begun with. */
  turn = 0;
  #parts: readonly Part<Item>[] = [];
  /** The cursor behind the last page; null where there is none. */
  #next: Cursor | null = null;
  #source: Source<Item> | undefined;
  #reading = new AbortController();
  #counting = new AbortController();
  #askedAt = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  #isStale = false;
  #seen: readonly [first: number, last: number] = [0, 0];
  #key = '';
  /** Shows it again. */
  onChange: () => void = () => undefined;

  /** The first row that is seen. */
  get first(): number {
    return this.#seen[0];
  }

  /** Whether it has rows of what a key stands for. */
  isOf(key: string): boolean {
    return this.#key === key && this.items.length > 0;
  }

  get hasMore(): boolean {
    return this.#next !== null;
  }

  /** Begins with the first page of a source; the rows of the one before are shown until it is there. */
  begin(source: Source<Item>, key: string): void {
    this.#source = source;
    this.#key = key;
    this.turn += 1;
    this.#seen = [0, 0];
    this.#countedAt = Number.NEGATIVE_INFINITY;
    this.#isStale = false;
    this.#counting.abort();
    void this.#readParts(0, 0, true);
  }

  end(): void {
    this.#reading.abort();
    this.#counting.abort();
    this.isLoading = false;
    this.onChange = () => undefined;
  }

  /** Reads one page more. */
  readMore(): void {
    if (this.isLoading || this.#next === null) return;
    void this.#readParts(this.#parts.length, this.#parts.length);
  }

  /** Reads what is seen again, and counts again. */
  reload(): void {
    this.#countedAt = Number.NEGATIVE_INFINITY;
    this.refresh();
  }

  /** Reads the pages that are seen again; the ones before when they are seen, the ones behind when they are needed. */
  refresh(): void {
    if (this.isLoading) {
      this.#isStale = true;
      return;
    }
    this.#parts = this.#parts.map((part) => ({ ...part, isStale: true }));
    void this.#readParts(this.#partAt(this.#seen[0]), this.#partAt(this.#seen[1]));
  }

  /** Notes which rows are seen. */
  see(first: number, last: number): void {
    this.#seen = [first, last];
    const [from, to] = [this.#partAt(first), this.#partAt(last)];
    if (!this.isLoading && this.error === undefined && this.#parts.slice(from, to + 1).some(({ isStale }) => isStale))
      void this.#readParts(from, to);
  }

  /** Whether an event is news to what was read. */
  isNews = (event: AnyEvent): boolean => !isOfOwnChange(event, this.#askedAt);

  /** Shows rows in another way until they are read again. */
  change(to: (item: Item) => Item): void {
    this.#take(this.#parts.map((part) => ({ ...part, items: part.items.map(to) })));
    this.onChange();
  }

  #take(parts: readonly Part<Item>[]): void {
    this.#parts = parts;
    this.items = parts.flatMap(({ items }) => items);
  }

  #partAt(row: number): number {
    let before = 0;
    for (const [at, { items }] of this.#parts.entries()) {
      before += items.length;
      if (row < before) return at;
    }
    return Math.max(0, this.#parts.length - 1);
  }

  async #readParts(from: number, to: number, isOther = false): Promise<void> {
    this.#reading.abort();
    this.#reading = new AbortController();
    const { signal } = this.#reading;
    this.isLoading = true;
    this.#askedAt = performance.now();
    this.onChange();
    try {
      const read: Part<Item>[] = [];
      let cursor = from === 0 ? null : (this.#parts[from]?.cursor ?? this.#next);
      do {
        const page = await this.#source?.read(signal, cursor ?? undefined);
        if (!page || signal.aborted) return;
        read.push({ cursor: cursor ?? undefined, items: page.items, isStale: false });
        cursor = page.hasMore ? page.nextCursor : null;
        if (from === 0 && page.total !== undefined) this.total = page.total;
      } while (cursor !== null && read.length <= to - from);
      this.#show(isOther ? [] : this.#parts.slice(0, from), read, cursor);
    } catch (error) {
      if (signal.aborted) return;
      this.isLoading = false;
      this.error = error;
      if (isOther) this.#show([], [], null);
    }
    this.onChange();
    if (this.#isStale) {
      this.#isStale = false;
      this.refresh();
    }
  }

  #show(before: readonly Part<Item>[], read: readonly Part<Item>[], next: Cursor | null): void {
    const ids = new Set(read.flatMap(({ items }) => items.map(({ id }) => id)));
    const others = before.map((part) => ({ ...part, items: part.items.filter(({ id }) => !ids.has(id)) }));
    this.#take([...others, ...read]);
    this.#next = next;
    this.isLoading = false;
    if (read.length > 0) this.error = undefined;
    void this.#count();
  }

  async #count(): Promise<void> {
    if (this.#next === null) this.total = this.items.length;
    else if (this.#source?.count && performance.now() - this.#countedAt > countedForMs) {
      this.#countedAt = performance.now();
      this.#counting = new AbortController();
      const { signal } = this.#counting;
      // The number is left out where it cannot be had: the rows are there.
      const total = await this.#source.count(signal).catch(() => undefined);
      if (signal.aborted) return;
      this.total = total;
      this.onChange();
    }
  }
}

/** Rows of a table, as far as they are read. */
export interface Rows<Item> {
  items: readonly Item[];
  hasMore: boolean;
  /** Undefined until they are counted. */
  total: number | undefined;
  error: unknown;
  isLoading: boolean;
  /** Changes when other rows are asked for. */
  turn: number;
  /** The first row that was seen when it was left. */
  first: number;
  readMore(): void;
  /** Reads what is seen again. */
  reload(): void;
  see(first: number, last: number): void;
  change(to: (item: Item) => Item): void;
}

/** The table that was left last: somebody who comes back finds it where it was. */
let left: Reader<{ id: number }> | undefined;

/** The rows of a source, read anew when one of `given` changes, and those that are seen after an event that touches them. */
export function useRows<Item extends { id: number }>(
  source: Source<Item>,
  given: readonly unknown[],
  isTouchedBy: (event: AnyEvent) => boolean,
): Rows<Item> {
  const [, redraw] = useReducer((turn: number) => turn + 1, 0);
  const key = JSON.stringify([current.value?.member?.id, workspaceId.value, environment.value, source.noun, given]);
  const [reader] = useState(() => (left?.isOf(key) ? (left as Reader<Item>) : new Reader<Item>()));
  reader.onChange = () => redraw(undefined);
  useEffect(() => {
    if (reader.isOf(key)) reader.reload();
    else reader.begin(source, key);
  }, [key]);
  useEffect(() => {
    const stop = onEvents((events) => {
      if (events.some((event) => isTouchedBy(event) && reader.isNews(event))) reader.refresh();
    });
    return () => {
      stop();
      reader.end();
      left = reader as Reader<never>;
    };
  }, []);
  return {
    items: reader.items,
    hasMore: reader.hasMore,
    total: reader.total,
    error: reader.error,
    isLoading: reader.isLoading,
    turn: reader.turn,
    first: reader.first,
    readMore: () => reader.readMore(),
    reload: () => reader.reload(),
    see: (first, last) => reader.see(first, last),
    change: (to) => reader.change(to),
  };
}

/** Reads the first rows of a source, at most so many. */
export async function readAll<Item>(
  source: Source<Item>,
  most: number,
  signal: AbortSignal,
  onRead: (rows: number) => void,
): Promise<Item[]> {
  const found: Item[] = [];
  let cursor: Cursor | null = null;
  do {
    const page: Page<Item> = await source.read(signal, cursor ?? undefined);
    found.push(...page.items);
    cursor = page.hasMore ? page.nextCursor : null;
    onRead(Math.min(found.length, most));
  } while (cursor !== null && found.length < most);
  return found.slice(0, most);
}

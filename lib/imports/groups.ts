import type { RowEnding } from './run.ts';
import type { GivenRow } from './take.ts';

/** Rows that follow each other and are taken in together, with all that they touch. */
export interface Group {
  rows: readonly GivenRow[];
  touched: readonly string[];
}

/** Names of records that are remembered because they are there. */
const maxKnown = 10_000;

/** Parts the rows of a file into groups. */
export class Groups {
  readonly #most: number;
  readonly #known = new Set<string>();
  #rows: GivenRow[] = [];
  #touched = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Adds a row. Returns the group before it, if it has no place there. */
  add(given: GivenRow): Group | undefined {
    const group = this.#hasRoomFor(given) ? undefined : this.rest();
    this.#rows.push(given);
    for (const one of [...given.matches, ...given.names]) this.#touched.add(one);
    return group;
  }

  /** Returns the rows of the last group, which may be none. */
  rest(): Group {
    const group = { rows: this.#rows, touched: [...this.#touched] };
    this.#rows = [];
    this.#touched = new Set();
    return group;
  }

  /** Notes that a row is done: what it names is there, and may be named by several rows of a group. */
  end({ names }: GivenRow, ending: RowEnding): void {
    if (ending !== 'created' && ending !== 'updated') return;
    for (const name of names) if (this.#known.size < maxKnown) this.#known.add(name);
  }

  #hasRoomFor({ matches, names }: GivenRow): boolean {
    if (this.#rows.length >= this.#most || matches.some((one) => this.#touched.has(one))) return false;
    return names.every((one) => this.#known.has(one) || !this.#touched.has(one));
  }
}

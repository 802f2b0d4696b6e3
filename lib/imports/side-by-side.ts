import type { RowEnding } from './run.ts';

/** Endings of rows that run side by side, counted in their order. */
export class Ended {
  #next: number;
  readonly #early = new Map<number, RowEnding>();
  readonly #count: (ending: RowEnding) => void;

  constructor(last: number, count: (ending: RowEnding) => void) {
    this.#next = last + 1;
    this.#count = count;
  }

  add(place: number, ending: RowEnding): void {
    this.#early.set(place, ending);
    for (let early = this.#early.get(this.#next); early; early = this.#early.get(this.#next)) {
      this.#early.delete(this.#next);
      this.#next += 1;
      this.#count(early);
    }
  }

  /** Counts also those behind rows that are never taken in. */
  rest(): void {
    for (const ending of this.#early.values()) this.#count(ending);
    this.#early.clear();
  }
}

/** Rows that are at work: some side by side, those that touch the same record one after the other. */
export class Hands {
  readonly #width: number;
  readonly #atWork = new Set<Promise<void>>();
  /** The last row that touches a record. */
  readonly #last = new Map<string, Promise<void>>();
  #failure: { error: unknown } | undefined;

  constructor(width: number) {
    this.#width = width;
  }

  /** Waits until another row may begin. Throws what one has failed with. */
  async free(): Promise<void> {
    while (this.#atWork.size >= this.#width) await Promise.race(this.#atWork);
    this.#throwFailure();
  }

  start(touched: readonly string[], work: () => Promise<void>): void {
    const before = touched.flatMap((name) => this.#last.get(name) ?? []);
    const row = Promise.all(before)
      .then(() => (this.#failure ? undefined : work()))
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .then(() => {
        this.#atWork.delete(row);
        for (const name of touched) if (this.#last.get(name) === row) this.#last.delete(name);
      });
    this.#atWork.add(row);
    for (const name of touched) this.#last.set(name, row);
  }

  async rest(): Promise<void> {
    await Promise.all(this.#atWork);
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }
}

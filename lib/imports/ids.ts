import type { Entity } from '#lib/table/entity.ts';
import { IdPool } from '#lib/table/ids.ts';

/** Ids that are fetched together for rows that run side by side. */
const perFetch = 200;

/** Ids for all rows of a run: those that are left at its end are lost. */
export class SharedIds extends IdPool {
  readonly #fetching = new Map<string, Promise<void>>();

  /** Others may take what is reserved, so nothing is. */
  override async reserve(): Promise<void> {}

  override async next(of: Entity): Promise<number> {
    for (let id = this.spare(of); ; id = this.spare(of)) {
      if (id !== undefined) return id;
      const fetching = this.#fetching.get(of.name) ?? super.reserve({ [of.name]: perFetch }, of);
      this.#fetching.set(of.name, fetching);
      await fetching.finally(() => this.#fetching.delete(of.name));
    }
  }
}

/** Ids of records that are never written. */
export class UnusedIds extends IdPool {
  #last = 2 ** 30;

  override async reserve(): Promise<void> {}

  override async next(): Promise<number> {
    this.#last += 1;
    return this.#last;
  }
}

import type { Tenant } from '#lib/core/tenant.ts';
import type { Change } from './change.ts';
import { countedOf, type Entity, type IsWritten, type Item, idOf, writtenBy } from './entity.ts';
import { counterKey, identity, type Key } from './keys.ts';
import type { Row } from './rows.ts';
import { parseStored, type Tracked, writtenAs } from './stored.ts';

/** A counter is spread over so many rows, so that concurrent writers rarely meet. */
export const spreads = 8;

/** Amounts that a unit of work adds to counters. */
export class Sums {
  #deltas: Map<string, { key: Key; deltas: Map<string, number> }>;
  #spread: number | undefined;

  constructor(others?: Sums, spread?: number) {
    this.#spread = spread;
    const known = others === undefined ? [] : [...others.#deltas];
    this.#deltas = new Map(known.map(([name, { key, deltas }]) => [name, { key, deltas: new Map(deltas) }]));
  }

  add(key: Key, deltas: Readonly<Record<string, number>>, times: 1 | -1 = 1): void {
    const counter = this.#deltas.get(identity(key)) ?? { key, deltas: new Map() };
    for (const [attribute, delta] of Object.entries(deltas))
      counter.deltas.set(attribute, (counter.deltas.get(attribute) ?? 0) + times * delta);
    this.#deltas.set(identity(key), counter);
  }

  /** Counts an entity out as it was read and in as it shall be, all that change together in the same rows. */
  addChange(tenant: Tenant, { entity, before, after }: Tracked): void {
    if (entity.counters === undefined) return;
    this.#spread ??= idOf(after ?? before) % spreads;
    if (before !== undefined) this.#remove(tenant, entity, before);
    if (after) this.count(tenant, entity, after, 1);
  }

  /** Counts out whatever a stored item was counted as. */
  #remove(tenant: Tenant, of: Entity, stored: Row): void {
    this.count(tenant, of, parseStored(of, stored), -1, writtenBy(writtenAs(stored)));
  }

  /** Counts an item in or out. */
  count<E extends Entity>(tenant: Tenant, of: E, item: Item<E>, times: 1 | -1, isWritten?: IsWritten): void {
    const spread = this.#spread ?? idOf(item) % spreads;
    for (const { group, name, add } of countedOf(of, item, isWritten))
      this.add(counterKey(tenant, group, name, spread), add, times);
  }

  changes(): Change[] {
    return [...this.#deltas.values()]
      .map(({ key, deltas }) => ({ key, add: Object.fromEntries([...deltas].filter(([, delta]) => delta !== 0)) }))
      .filter(({ add }) => Object.keys(add).length > 0);
  }
}

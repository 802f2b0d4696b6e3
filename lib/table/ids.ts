import type { Tenant } from '#lib/core/tenant.ts';
import type { Entity } from './entity.ts';
import { rowKey, scopeKey } from './keys.ts';
import { addTo } from './write.ts';

/** Ids fetched for one unit of work, and kept over its repetitions; those that are not used are lost. */
export class IdPool {
  readonly #tenant: Tenant;
  /** An id of it is fetched along with others, in case it is wanted in the end. */
  readonly #beside: Entity | undefined;
  #free = new Map<string, number[]>();

  constructor(tenant: Tenant, beside?: Entity) {
    this.#tenant = tenant;
    this.#beside = beside;
  }

  /** Makes sure that so many ids are at hand, by what the table calls their entities. */
  async reserve(counts: Record<string, number>, of: Pick<Entity, 'scope'> = {}): Promise<void> {
    const wanted = Object.entries(counts)
      .map(([name, count]) => [name, count - this.#of(name).length] as const)
      .filter(([, count]) => count > 0);
    if (wanted.length === 0) return;
    if (this.#beside && of.scope === this.#beside.scope && this.#of(this.#beside.name).length === 0)
      wanted.push([this.#beside.name, 1]);
    const key = rowKey('ids', { scope: scopeKey(this.#tenant, of) });
    const counters = await addTo(key, Object.fromEntries(wanted));
    for (const [name, count] of wanted) {
      const last = counters[name] ?? 0;
      for (let id = last - count + 1; id <= last; id += 1) this.#of(name).push(id);
    }
  }

  async next(of: Entity): Promise<number> {
    await this.reserve({ [of.name]: 1 }, of);
    const id = this.spare(of);
    if (id === undefined) throw new Error(`no id of ${of.name} was reserved`);
    return id;
  }

  /** One that is at hand, without a call. */
  spare(of: Entity): number | undefined {
    return this.#of(of.name).shift();
  }

  #of(name: string): number[] {
    const ids = this.#free.get(name) ?? [];
    this.#free.set(name, ids);
    return ids;
  }
}

import { secondMs } from '#lib/clock.ts';

/** More than are busy at once. */
const maxKept = 10_000;

/** What partitions have left of their units in a second. One takes calls until it has none, whatever the last of them costs. */
export class Throughput {
  readonly #unitsPerSecond: number;
  readonly #left = new Map<string, { units: number; atMs: number }>();

  constructor(unitsPerSecond: number) {
    this.#unitsPerSecond = unitsPerSecond;
  }

  isSpent(partition: string): boolean {
    return this.#leftOf(partition) <= 0;
  }

  spend(partition: string, units: number): void {
    this.#left.set(partition, { units: this.#leftOf(partition) - units, atMs: Date.now() });
    if (this.#left.size <= maxKept) return;
    for (const one of this.#left.keys()) if (this.#leftOf(one) === this.#unitsPerSecond) this.#left.delete(one);
  }

  #leftOf(partition: string): number {
    const { units, atMs } = this.#left.get(partition) ?? { units: this.#unitsPerSecond, atMs: 0 };
    const regained = (this.#unitsPerSecond * (Date.now() - atMs)) / secondMs;
    return Math.min(this.#unitsPerSecond, units + regained);
  }
}

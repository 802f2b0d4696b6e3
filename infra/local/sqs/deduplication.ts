import { now } from '#lib/core/clock.ts';

const windowMs = 5 * 60_000;

export interface Accepted {
  messageId: string;
  sequence: number;
}

/** What a FIFO queue took in during the last five minutes, by deduplication id. */
export class Deduplication {
  readonly #accepted = new Map<string, Accepted & { until: number }>();

  find(key: string): Accepted | undefined {
    for (const [old, { until }] of this.#accepted) {
      if (until > now()) break;
      this.#accepted.delete(old);
    }
    return this.#accepted.get(key);
  }

  add(key: string, accepted: Accepted): void {
    this.#accepted.set(key, { ...accepted, until: now() + windowMs });
  }
}

import { AsyncResource } from 'node:async_hooks';
import type { Clock } from '#lib/core/clock.ts';

interface Timer {
  atMs: number;
  work: () => void;
}

/** Hears of each sleep when it begins; the function that it returns hears of the end. */
type Listener = (untilMs: number) => () => void;

/** A clock that runs as the machine's does, in whole milliseconds, and can be moved ahead. It goes back only to the time of the machine. */
export class MovedClock implements Clock {
  #offsetMs = 0;
  /** Sorted by time. */
  readonly #timers: Timer[] = [];
  readonly #onSleep: Listener;

  constructor(onSleep: Listener) {
    this.#onSleep = onSleep;
  }

  now(): number {
    return Date.now() + this.#offsetMs;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const end = this.#onSleep(this.now() + Math.ceil(ms));
    let cancel = () => {};
    let stop = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        cancel = this.after(ms, resolve);
        stop = () => reject(signal?.reason);
        signal?.addEventListener('abort', stop);
      });
    } finally {
      cancel();
      signal?.removeEventListener('abort', stop);
      end();
    }
  }

  after(ms: number, work: () => void): () => void {
    // As a timer of Node: in the context of whoever sets it.
    const timer = { atMs: this.now() + Math.max(0, Math.ceil(ms)), work: AsyncResource.bind(work) };
    const place = this.#timers.findIndex(({ atMs }) => atMs > timer.atMs);
    this.#timers.splice(place === -1 ? this.#timers.length : place, 0, timer);
    return () => {
      const found = this.#timers.indexOf(timer);
      if (found !== -1) this.#timers.splice(found, 1);
    };
  }

  /** When the next timer is due, if there is any. */
  nextMs(): number | undefined {
    return this.#timers[0]?.atMs;
  }

  /** Moves to a time, if it is ahead, and runs what is due by then, each at its own time. */
  moveTo(ms: number): void {
    for (let first = this.#timers[0]; first && first.atMs <= ms; first = this.#timers[0]) {
      this.#timers.shift();
      this.#ahead(first.atMs);
      first.work();
    }
    this.#ahead(ms);
  }

  /** Runs what has become due. */
  runDue(): void {
    this.moveTo(this.now());
  }

  /** Goes back to the time of the machine; timers have as long to go as before. Returns by how many milliseconds. */
  reset(): number {
    const byMs = this.#offsetMs;
    for (const timer of this.#timers) timer.atMs -= byMs;
    this.#offsetMs = 0;
    return byMs;
  }

  #ahead(ms: number): void {
    this.#offsetMs += Math.max(0, ms - this.now());
  }
}

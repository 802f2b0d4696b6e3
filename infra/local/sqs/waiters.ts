import { after } from '#lib/core/clock.ts';

interface Waiter<Item> {
  take(): Item[];
  settle(items: Item[]): void;
}

/** The long polls of a queue, served in the order they came. */
export class Waiters<Item> {
  readonly #waiting = new Set<Waiter<Item>>();
  #isWaking = false;

  /** Resolves with what `take` returns once there is any, or with nothing when the time is over or `signal` aborts. */
  wait(take: () => Item[], waitMs: number, signal: AbortSignal | undefined): Promise<Item[]> {
    return new Promise((resolve) => {
      const giveUp = () => waiter.settle([]);
      const cancel = after(waitMs, giveUp);
      const waiter: Waiter<Item> = {
        take,
        settle: (items) => {
          cancel();
          signal?.removeEventListener('abort', giveUp);
          this.#waiting.delete(waiter);
          resolve(items);
        },
      };
      signal?.addEventListener('abort', giveUp);
      this.#waiting.add(waiter);
    });
  }

  /** Serves them after the current call, so that a batch reaches one of them as a batch. */
  wake(): void {
    if (this.#isWaking || this.#waiting.size === 0) return;
    this.#isWaking = true;
    queueMicrotask(() => {
      for (const waiter of this.#waiting) {
        const items = waiter.take();
        if (items.length === 0) break;
        waiter.settle(items);
      }
      this.#isWaking = false;
    });
  }

  close(): void {
    for (const waiter of this.#waiting) waiter.settle([]);
  }
}

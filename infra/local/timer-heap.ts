import { after, now } from '#lib/core/clock.ts';

/** An item and when it falls due. */
export interface Entry<Item> {
  readonly dueAt: number;
  readonly item: Item;
  index: number;
}

/** Items that fall due in time order: a binary heap watched by one timer. */
export class TimerHeap<Item> {
  readonly #onDue: (item: Item) => void;
  readonly #heap: Entry<Item>[] = [];
  #cancel = () => {};
  #wakeAt = Number.POSITIVE_INFINITY;

  constructor(onDue: (item: Item) => void) {
    this.#onDue = onDue;
  }

  add(dueAt: number, item: Item): Entry<Item> {
    const entry = { dueAt, item, index: this.#heap.length };
    this.#heap.push(entry);
    this.#rise(entry);
    this.#arm();
    return entry;
  }

  remove(entry: Entry<Item>): void {
    // Gone already: it fell due, or was removed before.
    if (this.#heap[entry.index] !== entry) return;
    const last = this.#heap.pop();
    if (!last || last === entry) return;
    this.#put(last, entry.index);
    this.#rise(last);
    this.#sink(last);
  }

  clear(): void {
    this.#cancel();
    this.#wakeAt = Number.POSITIVE_INFINITY;
    this.#heap.length = 0;
  }

  #arm(): void {
    const next = this.#heap[0];
    if (!next || next.dueAt >= this.#wakeAt) return;
    this.#cancel();
    this.#wakeAt = next.dueAt;
    this.#cancel = after(Math.max(next.dueAt - now(), 1), () => this.#wake());
  }

  #wake(): void {
    this.#wakeAt = Number.POSITIVE_INFINITY;
    for (let first = this.#heap[0]; first && first.dueAt <= now(); first = this.#heap[0]) {
      this.remove(first);
      this.#onDue(first.item);
    }
    this.#arm();
  }

  #put(entry: Entry<Item>, index: number): void {
    this.#heap[index] = entry;
    entry.index = index;
  }

  #swap(a: Entry<Item>, b: Entry<Item>): void {
    const index = a.index;
    this.#put(a, b.index);
    this.#put(b, index);
  }

  #rise(entry: Entry<Item>): void {
    while (entry.index > 0) {
      const parent = this.#heap[(entry.index - 1) >> 1] as Entry<Item>;
      if (parent.dueAt <= entry.dueAt) return;
      this.#swap(entry, parent);
    }
  }

  #sink(entry: Entry<Item>): void {
    for (;;) {
      const left = this.#heap[2 * entry.index + 1];
      const right = this.#heap[2 * entry.index + 2];
      const child = right && left && right.dueAt < left.dueAt ? right : left;
      if (!child || child.dueAt >= entry.dueAt) return;
      this.#swap(entry, child);
    }
  }
}

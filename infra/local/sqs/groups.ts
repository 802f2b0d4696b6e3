import type { Message } from './message.ts';

interface Group {
  /** By sequence. */
  ready: Message[];
  inFlight: number;
}

/** The visible messages of a queue by message group, and how many of each group are in flight. */
export class Groups {
  readonly #groups = new Map<string, Group>();

  /** Returns the message to deliver next. Queues are fair: the group with fewest in flight comes first. */
  next(): Message | undefined {
    let best: Group | undefined;
    for (const group of this.#groups.values())
      if (group.ready.length > 0 && (!best || comesBefore(group, best))) best = group;
    return best?.ready[0];
  }

  addReady(message: Message): void {
    const { ready } = this.#of(message);
    ready.splice(positionOf(message, ready), 0, message);
  }

  removeReady(message: Message): void {
    const { ready } = this.#of(message);
    const position = positionOf(message, ready);
    if (position === 0) ready.shift();
    else ready.splice(position, 1);
    this.#forgetIfEmpty(message);
  }

  countInFlight(message: Message, change: 1 | -1): void {
    this.#of(message).inFlight += change;
    this.#forgetIfEmpty(message);
  }

  #of(message: Message): Group {
    const id = groupOf(message);
    const group = this.#groups.get(id) ?? { ready: [], inFlight: 0 };
    this.#groups.set(id, group);
    return group;
  }

  #forgetIfEmpty(message: Message): void {
    const group = this.#of(message);
    if (group.ready.length === 0 && group.inFlight === 0) this.#groups.delete(groupOf(message));
  }
}

const groupOf = (message: Message) => message.groupId ?? '';

const comesBefore = (a: Group, b: Group) => (a.inFlight - b.inFlight || sequenceOf(a) - sequenceOf(b)) < 0;

const sequenceOf = (group: Group) => group.ready[0]?.sequence ?? 0;

function positionOf(message: Message, sorted: readonly Message[]): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as Message).sequence < message.sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}

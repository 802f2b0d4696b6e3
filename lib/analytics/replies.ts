/** A message that was received or sent. */
interface Said {
  id: number;
  contactId: number | null;
  direction: 'inbound' | 'outbound';
  at: string;
  /** A program wrote it: it answers nothing. */
  isAutomatic?: boolean;
}

/** 0 to 1 with four decimals; null when there is nothing to divide by. */
export const ratio = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;

/** Messages of one second stand in the order of their making. */
type Moment = Pick<Said, 'at' | 'id'>;

const isBefore = (a: Moment, b: Moment) => (a.at === b.at ? a.id < b.id : a.at < b.at);

type Conversation = { [Direction in Said['direction']]?: { first: Moment; last: Moment } };

/** Replies of each known contact. Add messages in any order; none is kept. */
export class Conversations {
  #of = new Map<number, Conversation>();

  add({ contactId, direction, at, id, isAutomatic }: Said): void {
    if (contactId === null) return;
    const moment = { at, id };
    const conversation = this.#of.get(contactId) ?? {};
    this.#of.set(contactId, conversation);
    if (isAutomatic) return;
    const { first, last } = conversation[direction] ?? { first: moment, last: moment };
    conversation[direction] = {
      first: isBefore(moment, first) ? moment : first,
      last: isBefore(last, moment) ? moment : last,
    };
  }

  get uniqueContacts(): number {
    return this.#of.size;
  }

  /** Contacts who wrote back after the first message that they were sent, of those who were sent one (contract 0.9). */
  get replyRate(): number | null {
    let reached = 0;
    let replied = 0;
    for (const { inbound, outbound } of this.#of.values()) {
      if (!outbound) continue;
      reached += 1;
      if (inbound && isBefore(outbound.first, inbound.last)) replied += 1;
    }
    return ratio(replied, reached);
  }

  /** The median time from the first message of a conversation to the first answer of the other side, whichever began. */
  get medianFirstReplySeconds(): number | null {
    const waits = [...this.#of.values()].flatMap(({ inbound, outbound }) =>
      inbound && outbound
        ? [Math.abs(new Date(inbound.first.at).getTime() - new Date(outbound.first.at).getTime()) / 1000]
        : [],
    );
    return median(waits);
  }
}

function median(values: number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return Math.round(sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2);
}

import type { SeenMessage } from './traffic.ts';

/** 0 to 1 with four decimals; null when there is nothing to divide by. */
export const ratio = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;

/** Contacts who wrote back after the first message that they were sent, of those who were sent one (contract 0.9). */
export function replyRate(messages: readonly SeenMessage[]): number | null {
  const reached = conversations(messages)
    .map((conversation) => conversation.slice(conversation.findIndex(isOutbound)))
    .filter(([first]) => first && isOutbound(first));
  const replied = reached.filter((conversation) => conversation.some((message) => !isOutbound(message)));
  return ratio(replied.length, reached.length);
}

/** The median time from the first message of a conversation to the first answer of the other side, whichever began. */
export function medianFirstReplySeconds(messages: readonly SeenMessage[]): number | null {
  const waits = conversations(messages).flatMap(([first, ...later]) => {
    const answer = later.find(({ direction }) => direction !== first?.direction);
    return first && answer ? [(new Date(answer.at).getTime() - new Date(first.at).getTime()) / 1000] : [];
  });
  return median(waits);
}

export const uniqueContacts = (messages: readonly SeenMessage[]): number =>
  new Set(messages.flatMap(({ contactId }) => contactId ?? [])).size;

const isOutbound = ({ direction }: SeenMessage) => direction === 'outbound';

/** The messages of each known contact in the order in which they happened; within a second that of their making. */
const conversations = (messages: readonly SeenMessage[]): SeenMessage[][] =>
  [...Map.groupBy(messages, ({ contactId }) => contactId)]
    .filter(([contactId]) => contactId !== null)
    .map(([, conversation]) => conversation.sort((a, b) => (a.at === b.at ? a.id - b.id : a.at < b.at ? -1 : 1)));

function median(values: number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return Math.round(sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2);
}

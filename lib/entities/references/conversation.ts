import { channels } from '#lib/core/channel.ts';
import type { StoredConversation } from '#lib/entities/conversation.ts';

type Kept = StoredConversation;

/** Returns the conversation with these changes; null removes a field. */
export const changed = (kept: Kept, change: { [Field in keyof Kept]?: Kept[Field] | null | undefined }): Kept =>
  Object.fromEntries(
    Object.entries({ ...kept, ...change }).filter(([, value]) => value !== null && value !== undefined),
  ) as unknown as Kept;

/** The changes that open a conversation. */
export const opened = { state: null, snoozedUntil: null };
export const stateOf = ({ state = 'open' }: Kept) => state;
const earliest = (a: string | undefined, b: string | undefined) =>
  a !== undefined && b !== undefined && a < b ? a : (b ?? a);

/** Whether the last message of one is after that of the other. */
export const isAfter = (one: Pick<Kept, 'lastMessageAt' | 'lastMessageId'>, other: Kept) =>
  one.lastMessageAt === other.lastMessageAt
    ? one.lastMessageId > other.lastMessageId
    : one.lastMessageAt > other.lastMessageAt;

export const inOrder = (some: readonly string[]) => channels.filter((one) => some.includes(one));

/** Returns one conversation of two: open if either is, with the assignee of the first, else of the other. */
export function united(one: Kept | undefined, other: Kept | undefined): Kept | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const { lastMessageId, lastMessageAt } = isAfter(one, other) ? one : other;
  const states = [stateOf(one), stateOf(other)];
  const state = (['open', 'snoozed'] as const).find((each) => states.includes(each)) ?? 'done';
  return changed(other, {
    ...one,
    channels: inOrder([...one.channels, ...other.channels]),
    ...{ lastMessageId, lastMessageAt },
    state: state === 'open' ? null : state,
    snoozedUntil: state === 'snoozed' ? earliest(one.snoozedUntil, other.snoozedUntil) : null,
    waitingSince: earliest(one.waitingSince, other.waitingSince),
    createdAt: earliest(one.createdAt, other.createdAt),
  });
}

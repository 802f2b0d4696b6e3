import * as v from 'valibot';
import { channels } from '#lib/core/channel.ts';
import { directions, messageStatuses } from '#lib/core/choices.ts';
import {
  choice,
  count,
  id,
  idInput,
  nullableTimeInput,
  paging,
  queryBoolean,
  queryIdOrNone,
  queryInteger,
  queryText,
  storedChoice,
  time,
} from '#lib/core/schema.ts';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';

const conversationStates = ['open', 'snoozed', 'done'] as const;

/** The last message that was received or sent. */
const LastMessage = v.pipe(
  v.object({
    id: id(),
    channel: storedChoice(channels),
    direction: storedChoice(directions),
    preview: v.string(),
    status: storedChoice(messageStatuses),
    sentAt: v.nullable(time()),
  }),
  v.title('LastMessage'),
);

/** All that was written with a contact, or in a mail thread without one (contract section 36). */
export const Conversation = v.pipe(
  v.object({
    id: id(),
    contactId: v.nullable(id()),
    threadId: v.nullable(id()),
    channels: v.array(storedChoice(channels)),
    state: storedChoice(conversationStates),
    snoozedUntil: v.nullable(time()),
    assignedToUserId: v.nullable(id()),
    unreadCount: count(),
    waitingSince: v.nullable(time()),
    lastMessage: v.nullable(LastMessage),
    createdAt: time(),
    updatedAt: v.nullable(time()),
  }),
  v.title('Conversation'),
);

/** The fields that follow from messages: they make no writer's tag stale. */
export const followingMessages = ['channels', 'unreadCount', 'waitingSince', 'lastMessage'];

export const ConversationList = v.pipe(
  v.object({ items: v.array(Conversation), nextCursor: v.nullable(v.string()), hasMore: v.boolean() }),
  v.title('ConversationList'),
);

/** The sort key of an entry of the index of messages by their time, or the beginning of one: `2026-11-20T23:17:47Z#0000000007#0000000340`. */
const isPlace = (place: string) => /^\d{4}-\d{2}(-\d{2}T[\d:]{8}Z#(none|\d{10})#\d{10})?$/.test(place);
export const cursorOf = (place: string) => Buffer.from(place).toString('base64url');
const placeIn = (cursor: string) => Buffer.from(cursor, 'base64url').toString();

export const ConversationQuery = v.object({
  cursor: v.optional(
    v.pipe(
      queryText(),
      v.check((cursor) => isPlace(placeIn(cursor)), 'must be the nextCursor of an answer'),
      v.transform(placeIn),
    ),
  ),
  limit: paging.limit,
  state: v.optional(choice(conversationStates)),
  assignedToUserId: v.optional(queryIdOrNone()),
  unread: v.optional(queryBoolean()),
  channel: v.optional(choice(channels)),
  accountId: v.optional(queryInteger()),
  tagId: v.optional(queryInteger()),
  q: v.optional(queryText()),
});

export const SetConversationState = v.pipe(
  v.object({ state: choice(conversationStates), snoozedUntil: v.optional(nullableTimeInput()) }),
  v.title('SetConversationState'),
);
export const SetConversationAssignee = v.pipe(
  v.object({ userId: v.nullable(idInput()) }),
  v.title('SetConversationAssignee'),
);

/** As the row of its contact or its thread holds it, without what is null or open: every message writes that row. */
export const StoredConversation = v.object({
  channels: v.array(storedChoice(channels)),
  lastMessageId: id(),
  lastMessageAt: time(),
  createdAt: time(),
  state: v.exactOptional(storedChoice(conversationStates)),
  snoozedUntil: v.exactOptional(time()),
  assignedToUserId: v.exactOptional(id()),
  waitingSince: v.exactOptional(time()),
  updatedAt: v.exactOptional(time()),
});
export type StoredConversation = v.InferOutput<typeof StoredConversation>;

/** Returns the timer that opens a snoozed conversation. */
export const snoozeTimer = (
  conversation: StoredConversation | undefined,
  message: { contactId: number } | { threadId: number },
  tenant: Tenant,
) =>
  conversation?.snoozedUntil === undefined
    ? null
    : { at: conversation.snoozedUntil, queue: 'reminders' as const, message, group: tenantKey(tenant) };

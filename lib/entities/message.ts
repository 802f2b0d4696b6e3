import * as v from 'valibot';
import { channels } from '#lib/core/channel.ts';
import { directions, messageStatuses } from '#lib/core/choices.ts';
import { monthOf, secondMs, shifted } from '#lib/core/clock.ts';
import { choice, count, id, idInput, paging, queryInteger, queryTime, storedChoice, time } from '#lib/core/schema.ts';
import { tenantKey } from '#lib/core/tenant.ts';
import { entity } from '#lib/table/entity.ts';
import { sortableId } from '#lib/table/keys.ts';

/** Limit of one message. */
export const maxAttachments = 100;
const attachment = { id: id(), fileName: v.string(), contentType: v.string(), sizeBytes: count() };
const contentId = v.nullable(v.string());
/** `pending`: its bytes are being fetched; `expired`: nobody has them any more. */
const status = storedChoice(['pending', 'stored', 'too_large', 'failed', 'expired']);

/** A file of a message (contract sections 2 and 23). */
export const Attachment = v.pipe(
  v.object({
    ...attachment,
    status,
    /** By which the HTML of a mail names it, as in `<img src="cid:…">`. */
    contentId: v.optional(contentId, null),
    /** A mail shows it in its text, as it does a logo. */
    isInline: v.optional(v.boolean(), false),
  }),
  v.title('Attachment'),
);

/** As a row holds it. Of what came in before there was a bucket the bytes were not kept. */
export const StoredAttachment = v.object({
  ...attachment,
  status: v.optional(status, 'expired'),
  /** In the bucket, once they are there. */
  key: v.optional(v.nullable(v.string()), null),
  contentId: v.exactOptional(contentId),
  isInline: v.exactOptional(v.boolean()),
  /** Where a caller had put them, once they are copied: that, too, goes with an erasure before the bucket removes it. */
  uploadedAs: v.exactOptional(v.string()),
  /** Id of the file at the platform: the same in every message that carries it. */
  atPlatform: v.exactOptional(v.string()),
});
export type StoredAttachment = v.InferOutput<typeof StoredAttachment>;

/** A part of a text that is more than its words: `bold`, `text_link`. Offset and length are in UTF-16 units. */
export const TextEntity = v.pipe(
  v.object({ type: v.string(), offset: count(), length: count(), url: v.nullable(v.string()) }),
  v.title('TextEntity'),
);
export type TextEntity = v.InferOutput<typeof TextEntity>;

const data = v.nullable(v.record(v.string(), v.unknown()));

/** One message of a conversation (contract section 2, "Conversation message"). */
export const Message = v.pipe(
  v.object({
    id: id(),
    contactId: id(),
    channel: storedChoice(channels),
    direction: storedChoice(directions),
    body: v.string(),
    threadId: v.nullable(v.string()),
    accountId: v.nullable(id()),
    jobId: v.nullable(id()),
    status: storedChoice(messageStatuses),
    isRead: v.boolean(),
    attachments: v.array(Attachment),
    entities: v.array(TextEntity),
    /** Which message it answers. */
    replyToMessageId: v.nullable(id()),
    /** Author of the original message. */
    forwardedFrom: v.nullable(v.string()),
    /** Content besides the text, by the platform's name of its kind: an order form, a poll, buttons. */
    data,
    sentAt: v.nullable(time()),
    editedAt: v.nullable(time()),
    readAt: v.nullable(time()),
    createdAt: time(),
  }),
  v.title('Message'),
);

export const ReadMessages = v.pipe(v.object({ upToMessageId: v.optional(idInput()) }), v.title('ReadMessages'));
export const MessagesRead = v.pipe(v.object({ read: count() }), v.title('MessagesRead'));

export const MessageQuery = v.object({
  ...paging,
  channel: v.optional(choice(channels)),
  direction: v.optional(choice(directions)),
  since: v.optional(queryTime()),
  until: v.optional(queryTime()),
});

export const WorkspaceMessageQuery = v.object({
  ...MessageQuery.entries,
  contactId: v.optional(queryInteger()),
  accountId: v.optional(queryInteger()),
});

/** Ids of one conversation rise with time. */
export const PlatformMessageId = v.pipe(v.string(), v.regex(/^\d{1,20}$/, 'must be 1 to 20 digits'));

/** Id of a message at a platform: ids are unique within one account and one person. */
export const AtPlatform = v.object({ userId: v.string(), messageId: PlatformMessageId });
export type AtPlatform = v.InferOutput<typeof AtPlatform>;

/** Platform ids of one form sort as text as they do as numbers. */
export const platformOrder = (messageId: string) => messageId.padStart(20, '0');

type Shown = v.InferOutput<typeof Message>;

interface Found {
  channel?: string | undefined;
  direction?: string | undefined;
  accountId?: number | null | undefined;
}

/** Returns the texts by which a message is found, as far as they are known; none is a part of another. */
export const messageTexts = ({ channel, direction, accountId }: Found): string[] =>
  [channel, direction, typeof accountId === 'number' ? `account=${accountId};` : undefined].filter(
    (text) => text !== undefined,
  );

/** Whether a message was received or sent. */
export const hasHappened = ({ status }: Pick<Shown, 'status'>) => status === 'received' || status === 'sent';

/** When it was, or else when it was queued. */
export const happenedAt = ({ sentAt, createdAt }: Pick<Shown, 'sentAt' | 'createdAt'>) => sentAt ?? createdAt;

type Placed = Pick<Shown, 'sentAt'> & { contactId: number | null };
const contactOrder = ({ contactId }: Placed) => (contactId === null ? 'none' : sortableId(contactId));
/** Returns the fields that analytics and conversations need. */
const seen = ({
  contactId,
  direction,
  channel,
  accountId,
  status,
  sentAt,
  threadId,
  isAutomatic,
}: Placed & Pick<Shown, 'direction' | 'channel' | 'accountId' | 'status' | 'threadId'> & { isAutomatic: boolean }) => ({
  ...(isAutomatic && { isAutomatic }),
  // The conversation of a stranger is that of the thread.
  ...(contactId === null && channel === 'email' && threadId !== null && { threadId: Number(threadId) }),
  ...{ contactId, direction, channel, accountId, status },
  at: sentAt,
});

/** Telegram's longest period with an end. */
const maxMoveSeconds = 86_400;

/** A place that moves for as long as somebody shares it. */
const Moving = v.object({
  location: v.object({ live_period: v.pipe(v.number(), v.minValue(1), v.maxValue(maxMoveSeconds)) }),
});

/** Returns when a shared place ends that moves; undefined for others, and for one without an end. */
export function movesUntil({ data: shared, sentAt }: Pick<Shown, 'data' | 'sentAt'>): string | undefined {
  const moving = v.safeParse(Moving, shared);
  return moving.success && sentAt ? shifted(sentAt, moving.output.location.live_period * secondMs) : undefined;
}

/** A message of a conversation. */
export const Messages = entity({
  name: 'message',
  schema: v.object({
    ...Message.entries,
    contactId: v.nullable(id()),
    attachments: v.array(StoredAttachment),
    entities: v.optional(v.array(TextEntity), []),
    replyToMessageId: v.optional(v.nullable(id()), null),
    forwardedFrom: v.optional(v.nullable(v.string()), null),
    data: v.optional(data, null),
    atPlatform: v.nullable(AtPlatform),
    /** A program wrote it: it is no answer. */
    isAutomatic: v.optional(v.boolean(), false),
  }),
  references: [
    { to: 'contact', field: 'contactId', isOwned: true },
    { to: 'job', field: 'jobId' },
    { to: 'message', field: 'replyToMessageId' },
  ],
  timer: (message, tenant) => {
    const at = movesUntil(message);
    return at ? { at, queue: 'reminders', message: { messageId: message.id }, group: tenantKey(tenant) } : null;
  },
  // Without a contact (an unknown recipient, an e-mail from a stranger) it counts but is listed nowhere.
  within: 'contact/{contactId}/message',
  indexes: {
    /** When a message was received or sent; analytics counts it then. */
    month: {
      of: (message) => hasHappened(message) && message.sentAt && monthOf(message.sentAt),
      // By contact, so that a message which a merge moves does not write the entry that it removes.
      order: (message) => `${message.sentAt}#${contactOrder(message)}`,
      copy: seen,
    },
    /** Index of all messages of a workspace; one entry each, whose text is searched without reading the row. */
    all: {
      of: ({ contactId }) => contactId !== null,
      copy: (message) => ({ text: messageTexts(message).join(' ') }),
    },
    /** Index of inbound messages that are not marked as read. */
    unread: {
      of: ({ contactId, direction, isRead }) =>
        direction === 'inbound' && !isRead && contactId !== null && { contactId },
      at: 'unread/{contactId}',
      copy: ({ channel }) => (channel === 'email' ? { isMail: true } : undefined),
    },
    /** Index of the messages between an account and a person. */
    platform: {
      of: ({ accountId, atPlatform }) => accountId !== null && atPlatform && { accountId, userId: atPlatform.userId },
      at: 'platform/{accountId}/{userId}',
      order: ({ atPlatform }) => platformOrder(atPlatform?.messageId ?? ''),
      copy: ({ direction, readAt }) => ({ isUnread: direction === 'outbound' && readAt === null, direction }),
    },
  },
});

export type StoredMessage = v.InferOutput<(typeof Messages)['schema']>;

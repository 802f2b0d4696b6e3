import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { Attachment } from '#lib/messages/message.ts';
import { id, nullableText, nullableTimeInput, paging, pattern, text, time } from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { sortableId } from '#lib/table/keys.ts';
import { Mailbox } from './address.ts';

const shown = {
  id: v.number(),
  threadId: v.number(),
  direction: v.picklist(['inbound', 'outbound']),
  from: Mailbox,
  to: v.array(Mailbox),
  cc: v.array(Mailbox),
  subject: v.string(),
  isRead: v.boolean(),
  status: v.picklist(['received', 'queued', 'sent', 'failed']),
  attachments: v.array(Attachment),
  sentAt: v.nullable(time()),
  createdAt: time(),
};

/** One e-mail of a thread (contract section 9). */
export const EmailMessage = v.pipe(
  v.object({ ...shown, bodyText: v.string(), bodyHtml: v.nullable(v.string()) }),
  v.title('EmailMessage'),
);

export const EmailMessageQuery = v.object(paging);

const addresses = v.pipe(
  v.array(pattern(/^[^@\s<>,;"]+@[^@\s<>,;"]+$/, 254, 'an e-mail address')),
  v.maxLength(20, 'must have at most 20 addresses'),
);

export const CreateReply = v.pipe(
  v.object({
    bodyText: text(100_000),
    bodyHtml: v.optional(nullableText(200_000), null),
    cc: v.optional(addresses, []),
    bcc: v.optional(addresses, []),
    replyAll: v.optional(v.boolean(), false),
    runAt: v.optional(nullableTimeInput(), null),
  }),
  v.title('CreateReply'),
);

/** The queued job of a reply; `/v1/jobs/{id}` follows it. */
export const ReplyJob = v.pipe(
  v.object({
    id: id(),
    threadId: v.number(),
    status: v.picklist(['queued', 'sent', 'failed']),
    runAt: time(),
    createdAt: time(),
    updatedAt: v.nullable(time()),
    lastError: v.nullable(v.string()),
  }),
  v.title('ReplyJob'),
);

/** The partition of a thread's messages. */
export const messagesOf = (threadId: number) => `email-thread/${threadId}/message`;

export const EmailMessages = entity({
  name: 'email-message',
  schema: v.object({
    ...shown,
    bcc: v.array(Mailbox),
    jobId: v.nullable(v.number()),
    /** The first part of the packed body, and how many more there are. */
    body: v.string(),
    moreParts: v.number(),
  }),
  within: ({ threadId }) => messagesOf(threadId),
  indexes: ({ jobId }) => [jobId !== null && { name: `job=${jobId}` }],
});

export type StoredEmailMessage = v.InferOutput<(typeof EmailMessages)['schema']>;

/** What does not fit the item of a huge message. */
export const BodyParts = entity({
  name: 'email-body',
  schema: v.object({ threadId: v.number(), messageId: v.number(), part: v.number(), body: v.string() }),
  within: ({ threadId }) => `email-thread/${threadId}/body`,
  sortKey: ({ messageId, part }) => `${sortableId(messageId)}#${part}`,
});

/** SES replaces the Message-ID by its own id at a domain of the region. */
const spelling = (messageId: string) => messageId.replace(/@([\w-]+\.)?amazonses\.com$/i, '@amazonses.com');

/** Which message has a Message-ID: how answers find their thread, and a message that arrives twice is known. */
export const MessageIds = entity({
  name: 'email-message-id',
  schema: v.object({ messageId: v.string(), threadId: v.number(), id: v.number() }),
  sortKey: ({ messageId }) => createHash('sha256').update(spelling(messageId)).digest('base64url'),
});

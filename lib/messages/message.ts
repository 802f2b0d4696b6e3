import * as v from 'valibot';
import { channels } from '#lib/jobs/job.ts';
import { choice, paging, time, timeInput } from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { sortableId } from '#lib/table/keys.ts';

const directions = ['inbound', 'outbound'] as const;

export const Attachment = v.object({
  id: v.number(),
  fileName: v.string(),
  contentType: v.string(),
  sizeBytes: v.number(),
});

/** One message of a conversation (contract section 2, "Conversation message"). */
export const Message = v.pipe(
  v.object({
    id: v.number(),
    contactId: v.number(),
    channel: v.picklist(channels),
    direction: v.picklist(directions),
    body: v.string(),
    threadId: v.nullable(v.string()),
    accountId: v.nullable(v.number()),
    jobId: v.nullable(v.number()),
    status: v.picklist(['received', 'queued', 'sent', 'failed']),
    isRead: v.boolean(),
    attachments: v.array(Attachment),
    sentAt: v.nullable(time()),
    createdAt: time(),
  }),
  v.title('Message'),
);

export const MessageQuery = v.object({
  ...paging,
  channel: v.optional(choice(channels)),
  direction: v.optional(choice(directions)),
  since: v.optional(timeInput()),
  until: v.optional(timeInput()),
});

/** Lies with its contact; without one (an unknown recipient, an e-mail from a stranger) it counts but is listed nowhere. */
export const conversation = (contactId: number | null) => `contact/${contactId ?? 'none'}/message`;

/** When a message was received or sent; analytics counts it then. */
export const Messages = entity({
  name: 'message',
  schema: v.object({ ...Message.entries, contactId: v.nullable(v.number()) }),
  within: ({ contactId }) => conversation(contactId),
  indexes: ({ contactId, direction, channel, accountId, status, sentAt }) => [
    // Sorted by contact, so that a message which a merge moves does not write the entry that it removes.
    (status === 'received' || status === 'sent') &&
      sentAt !== null && {
        name: `day=${sentAt.slice(0, 10)}`,
        order: contactId === null ? 'none' : sortableId(contactId),
        copy: { contactId, direction, channel, accountId, status, at: sentAt },
      },
  ],
});

export type StoredMessage = v.InferOutput<(typeof Messages)['schema']>;

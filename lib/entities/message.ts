import * as v from 'valibot';
import { channels } from '#lib/channels/channel.ts';
import { directions } from '#lib/choices.ts';
import { choice, count, id, paging, storedChoice, time, timeInput } from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { sortableId } from '#lib/table/keys.ts';

export const Attachment = v.object({
  id: id(),
  fileName: v.string(),
  contentType: v.string(),
  sizeBytes: count(),
});

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
    status: storedChoice(['received', 'queued', 'sent', 'failed']),
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

/** When a message was received or sent; analytics counts it then. */
export const Messages = entity({
  name: 'message',
  schema: v.object({ ...Message.entries, contactId: v.nullable(id()) }),
  references: [
    { to: 'contact', field: 'contactId' },
    { to: 'job', field: 'jobId' },
  ],
  // Without a contact (an unknown recipient, an e-mail from a stranger) it counts but is listed nowhere.
  within: 'contact/{contactId}/message',
  indexes: {
    day: {
      of: ({ status, sentAt }) => (status === 'received' || status === 'sent') && sentAt?.slice(0, 10),
      // By contact, so that a message which a merge moves does not write the entry that it removes.
      order: ({ contactId }) => (contactId === null ? 'none' : sortableId(contactId)),
      copy: ({ contactId, direction, channel, accountId, status, sentAt }) => ({
        ...{ contactId, direction, channel, accountId, status },
        at: sentAt,
      }),
    },
  },
});

export type StoredMessage = v.InferOutput<(typeof Messages)['schema']>;

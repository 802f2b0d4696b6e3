import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { choice, id, paging, queryBoolean, queryIdOrNone, queryInteger, queryText, time } from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { searchEntry } from '#lib/table/list.ts';
import { Mailbox } from './address.ts';

const threadStatuses = ['open', 'pending', 'closed', 'spam'] as const;
export type ThreadStatus = (typeof threadStatuses)[number];

/** Base document, "Email thread". */
export const Thread = v.pipe(
  v.object({
    id: v.number(),
    subject: v.string(),
    preview: v.string(),
    status: v.picklist(threadStatuses),
    unreadCount: v.number(),
    isStarred: v.boolean(),
    contactId: v.nullable(v.number()),
    assignedToUserId: v.nullable(v.number()),
    aiLeadScore: v.nullable(v.number()),
    lastMessageAt: time(),
  }),
  v.title('EmailThread'),
);

export const ThreadQuery = v.object({
  ...paging,
  status: v.optional(choice(threadStatuses)),
  contactId: v.optional(queryInteger()),
  unreadOnly: v.optional(queryBoolean()),
  q: v.optional(queryText()),
  assignedToUserId: v.optional(queryIdOrNone()),
  isStarred: v.optional(queryBoolean()),
});

export const SetThreadStatus = v.pipe(v.object({ status: choice(threadStatuses) }), v.title('SetThreadStatus'));
export const SetThreadAssignee = v.pipe(v.object({ userId: v.nullable(id()) }), v.title('SetThreadAssignee'));

const replyPrefix = /^((re|aw|antw|sv|vs|odp|rv|res)(\[\d+\]|\(\d+\))?\s*:\s*)+/i;

export const isReplySubject = (subject: string) => replyPrefix.test(subject);
/** What a subject is about, without the marks of replies. */
export const topicOf = (subject: string) => subject.replace(replyPrefix, '').trim();
/** Mails about one topic have this index entry in common. */
export const topicIndex = (subject: string) =>
  `topic=${createHash('sha256').update(topicOf(subject).toLowerCase()).digest('base64url').slice(0, 22)}`;

/** How many Message-IDs a thread keeps. */
export const maxReferences = 30;

export const Threads = entity({
  name: 'email-thread',
  schema: v.object({
    ...Thread.entries,
    createdAt: time(),
    participants: v.array(Mailbox),
    /** Of the newest inbound message, whom a reply goes to. */
    lastInbound: v.nullable(v.object({ from: Mailbox, others: v.array(Mailbox), messageId: v.nullable(v.string()) })),
    /** The Message-IDs of the thread, oldest first, as a reply names them. */
    references: v.array(v.string()),
  }),
  indexes: (thread) => [
    { name: `status=${thread.status}` },
    { name: `assignee=${thread.assignedToUserId ?? 'none'}` },
    thread.contactId !== null && { name: `contact=${thread.contactId}` },
    thread.unreadCount > 0 && { name: 'unread' },
    thread.isStarred && { name: 'starred' },
    topicOf(thread.subject) !== '' && { name: topicIndex(thread.subject) },
    searchEntry([thread.subject, thread.preview, ...thread.participants.flatMap(({ name, email }) => [name, email])]),
  ],
});

export type StoredThread = v.InferOutput<(typeof Threads)['schema']>;

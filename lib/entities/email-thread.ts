import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { addressKey, spellingsOf } from '#lib/core/mail-address.ts';
import { topicOf } from '#lib/core/mail-subject.ts';
import {
  choice,
  count,
  id,
  idInput,
  paging,
  queryBoolean,
  queryIdOrNone,
  queryInteger,
  queryText,
  storedChoice,
  time,
} from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { CreateContact } from './contact.ts';
import { StoredConversation, snoozeTimer } from './conversation.ts';

/** One side of an e-mail. */
export const Mailbox = v.pipe(v.object({ name: v.nullable(v.string()), email: v.string() }), v.title('Mailbox'));
export type Mailbox = v.InferOutput<typeof Mailbox>;

/** Participant of a thread. */
export const Participant = v.object({
  ...Mailbox.entries,
  /** Others wrote to them; they wrote nothing in the thread, and we nothing to them. */
  isNamedOnly: v.optional(v.literal(true)),
});
export type Participant = v.InferOutput<typeof Participant>;

export const threadStatuses = ['open', 'pending', 'closed', 'spam'] as const;
export type ThreadStatus = (typeof threadStatuses)[number];

/** Base document, "Email thread". */
export const Thread = v.pipe(
  v.object({
    id: id(),
    subject: v.string(),
    preview: v.string(),
    status: storedChoice(threadStatuses),
    unreadCount: count(),
    isStarred: v.boolean(),
    contactId: v.nullable(id()),
    assignedToUserId: v.nullable(id()),
    aiLeadScore: v.nullable(count()),
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
export const SetThreadContact = v.pipe(
  v.object({ contactId: v.optional(idInput()), create: v.optional(CreateContact) }),
  v.title('SetThreadContact'),
);
export const SetThreadAssignee = v.pipe(v.object({ userId: v.nullable(idInput()) }), v.title('SetThreadAssignee'));

/** Threads of one participant about one topic have this in common. What others write about it lies elsewhere. */
export const topicMark = (subject: string, email: string): string =>
  createHash('sha256')
    .update(`${addressKey(email)}\n${topicOf(subject).toLowerCase()}`)
    .digest('base64url')
    .slice(0, 22);

/** How many of its participants find a thread by its topic, the last active first: a reply to all others replaces every entry at once. */
const maxFinders = 30;

interface Discussed {
  isUnverified?: true | undefined;
  subject: string;
  participants: readonly Participant[];
}

const findersOf = ({ isUnverified, subject, participants }: Discussed): string[] =>
  isUnverified || topicOf(subject) === ''
    ? []
    : participants
        .filter(({ isNamedOnly }) => !isNamedOnly)
        .slice(0, maxFinders)
        .map(({ email }) => email);

/** Limit of a thread's participants, and of the recipients of a reply to all. */
export const maxParticipants = 100;

/** How many Message-IDs a thread keeps. */
export const maxReferences = 30;

/** An e-mail thread. */
export const Threads = entity({
  name: 'email-thread',
  schema: v.object({
    ...Thread.entries,
    createdAt: time(),
    participants: v.array(Participant),
    /** Opened by a mail that is not from whom it names, or in which a filter found spam or a virus: none joins it for its topic. */
    isUnverified: v.optional(v.literal(true)),
    /** Sender of the newest inbound message, to whom a reply goes. */
    lastInbound: v.nullable(
      v.object({
        /** Id of the mail. */
        id: id(),
        from: Mailbox,
        /** Addresses that the sender asks to answer instead. */
        replyTo: v.array(Mailbox),
        others: v.array(Mailbox),
        messageId: v.nullable(v.string()),
      }),
    ),
    /** The Message-IDs of the thread, oldest first, as a reply names them. */
    references: v.array(v.string()),
    /** While it has no contact, whose row then has it. Absent until a message was received or sent. */
    conversation: v.exactOptional(StoredConversation),
  }),
  references: [{ to: 'contact', field: 'contactId' }],
  indexes: {
    status: ({ status }) => status,
    assignee: ({ assignedToUserId }) => assignedToUserId ?? 'none',
    contact: ({ contactId }) => contactId,
    unread: ({ unreadCount }) => unreadCount > 0,
    starred: ({ isStarred }) => isStarred,
    topic: (thread) => findersOf(thread).map((email) => topicMark(thread.subject, email)),
  },
  counters: {
    /** Open threads and unread messages (contract section 11, `email`). */
    email: {
      of: ({ status, unreadCount }) => ({
        name: 'threads',
        add: { open: Number(status === 'open'), unread: unreadCount },
      }),
    },
  },
  timer: ({ id, conversation }, tenant) => snoozeTimer(conversation, { threadId: id }, tenant),
});

export type StoredThread = v.InferOutput<(typeof Threads)['schema']>;

/** Returns the texts in which the words of `q` are looked for. */
export const textsOfThread = ({ subject, preview, participants }: StoredThread): (string | null)[] => [
  subject,
  preview,
  ...participants.flatMap(({ name, email }) => [name, ...spellingsOf(email)]),
];

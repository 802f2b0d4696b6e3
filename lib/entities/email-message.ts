import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { emailAddress } from '#lib/core/mail-address.ts';
import {
  fileIds,
  id,
  idInput,
  integer,
  line,
  listInput,
  nullableText,
  nullableTimeInput,
  paging,
  pattern,
  storedChoice,
  text,
  time,
} from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { sortableId } from '#lib/table/keys.ts';
import { Mailbox } from './email-thread.ts';
import { Attachment, StoredAttachment } from './message.ts';

export const outcome = v.picklist(['pass', 'fail', 'none']);
export type Outcome = v.InferOutput<typeof outcome>;

/** Whether a mail comes from whom it names, as SES found (contract section 24). */
export const Authentication = v.pipe(
  v.object({ spf: outcome, dkim: outcome, dmarc: outcome, verdict: outcome }),
  v.title('EmailAuthentication'),
);
export type Authentication = v.InferOutput<typeof Authentication>;

/** Limit of one mail, copies included: SES takes no more. */
export const maxRecipients = 50;

const shown = {
  id: id(),
  threadId: id(),
  direction: storedChoice(['inbound', 'outbound']),
  from: Mailbox,
  to: v.array(Mailbox),
  cc: v.array(Mailbox),
  subject: v.string(),
  isRead: v.boolean(),
  status: storedChoice(['received', 'queued', 'sent', 'failed']),
  attachments: v.array(Attachment),
  sentAt: v.nullable(time()),
  createdAt: time(),
  /** An absence notice, a report or the like, which nobody wrote. */
  isAutomatic: v.boolean(),
  /** Addresses that an answer goes to instead of the sender, who asks for it. */
  replyTo: v.array(Mailbox),
};

/** One e-mail of a thread (contract section 9). */
export const EmailMessage = v.pipe(
  v.object({
    ...shown,
    bodyText: v.string(),
    bodyHtml: v.nullable(v.string()),
    /** Result of authenticating an inbound message. */
    authentication: v.nullable(Authentication),
    /** The text without what it quotes. */
    newText: v.string(),
  }),
  v.title('EmailMessage'),
);

export const EmailMessageQuery = v.object(paging);

const addresses = listInput(pattern(emailAddress, 254, 'an e-mail address'), 20, 'addresses');

/** Limit of a text that a caller writes by mail. */
export const maxTextCharacters = 100_000;

/** Limits of a mail that a caller writes. */
const written = {
  bodyText: text(maxTextCharacters),
  bodyHtml: v.optional(nullableText(200_000), null),
  cc: v.optional(addresses, []),
  bcc: v.optional(addresses, []),
  runAt: v.optional(nullableTimeInput(), null),
  /** Also to addresses from which a mail has bounced for good. */
  force: v.optional(v.boolean(), false),
  attachments: fileIds(),
};

export const CreateReply = v.pipe(
  v.object({
    ...written,
    replyAll: v.optional(v.boolean(), false),
    /** With the message that it answers below. */
    quote: v.optional(v.boolean()),
  }),
  v.title('CreateReply'),
);

/** A mail that opens a thread (contract section 24). */
export const CreateEmailMessage = v.pipe(
  v.object({
    to: v.pipe(addresses, v.minLength(1, 'must name at least one address')),
    subject: line(500),
    ...written,
    contactId: v.optional(v.nullable(idInput()), null),
  }),
  v.title('CreateEmailMessage'),
);

/** The queued job of a reply or a new message; `/v1/jobs/{id}` follows it. */
export const ReplyJob = v.pipe(
  v.object({
    id: idInput(),
    threadId: id(),
    status: storedChoice(['queued', 'sent', 'failed']),
    runAt: time(),
    createdAt: time(),
    updatedAt: v.nullable(time()),
    lastError: v.nullable(v.string()),
  }),
  v.title('ReplyJob'),
);

/** Three times what the longest body takes: as many rows are read for a mail as it says. */
const maxMoreParts = 100;

/** An e-mail. */
export const EmailMessages = entity({
  name: 'email-message',
  schema: v.object({
    ...shown,
    attachments: v.array(StoredAttachment),
    bcc: v.array(Mailbox),
    /** Absent where nobody has looked: from before it was, and outbound. */
    authentication: v.optional(Authentication),
    jobId: v.nullable(id()),
    /** The first part of the packed body, and how many more there are. */
    body: v.string(),
    moreParts: integer(0, maxMoreParts),
  }),
  references: [
    { to: 'email-thread', field: 'threadId' },
    { to: 'job', field: 'jobId' },
  ],
  within: 'email-thread/{threadId}/message',
  indexes: { job: ({ jobId }) => jobId },
});

export type StoredEmailMessage = v.InferOutput<(typeof EmailMessages)['schema']>;

/** A further part of the packed body of an e-mail. */
export const BodyParts = entity({
  name: 'email-body',
  schema: v.object({ threadId: id(), messageId: id(), part: integer(1, maxMoreParts), body: v.string() }),
  within: 'email-thread/{threadId}/body',
  sortKey: ({ messageId, part }) => `${sortableId(messageId)}#${part}`,
});

/** SES replaces the Message-ID by its own id at a domain of the region. */
const spelling = (messageId: string) => messageId.replace(/@([\w-]+\.)?amazonses\.com$/i, '@amazonses.com');

/** Finds an e-mail by its Message-ID. So answers find their thread, and a message that arrives twice is known. */
export const MessageIds = entity({
  name: 'email-message-id',
  // One that nobody answers for has who has sent it behind it (as lib/email says): 998, a domain and a few words.
  schema: v.object({ messageId: v.string(), threadId: id(), id: id() }),
  sortKey: ({ messageId }) => createHash('sha256').update(spelling(messageId)).digest('base64url'),
});

import * as v from 'valibot';
import { choice, paging, queryInteger, time, timeInput } from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { tenantKey } from '#lib/tenant.ts';

export const channels = ['telegram', 'twitter', 'email'] as const;
export type Channel = (typeof channels)[number];

const jobStatuses = ['queued', 'sent', 'failed'] as const;
const jobSources = ['api', 'panel', 'sequence', 'agent'] as const;

const detail = {
  id: v.number(),
  status: v.picklist(jobStatuses),
  runAt: time(),
  createdAt: time(),
  updatedAt: v.nullable(time()),
  lastError: v.nullable(v.string()),
};

/** The seven fields of a Telegram or X message (base document, "Message job detail"). */
export const MessageJob = v.pipe(v.object({ ...detail, accountId: v.number() }), v.title('MessageJob'));

const shown = {
  ...detail,
  /** Null for e-mail. */
  accountId: v.nullable(v.number()),
  channel: v.picklist(channels),
  contactId: v.nullable(v.number()),
  recipient: v.string(),
  textPreview: v.string(),
  attempts: v.number(),
  maxAttempts: v.number(),
  source: v.picklist(jobSources),
  sequenceId: v.nullable(v.number()),
  apiKeyId: v.nullable(v.string()),
  completedAt: v.nullable(time()),
};

/** A row of the message-job monitor (contract section 5). */
export const Job = v.pipe(v.object(shown), v.title('Job'));

export const MessageJobQuery = v.object({
  ...paging,
  status: v.optional(choice(jobStatuses)),
  accountId: v.optional(queryInteger()),
  contactId: v.optional(queryInteger()),
  since: v.optional(timeInput()),
  until: v.optional(timeInput()),
});

export const JobQuery = v.object({
  ...MessageJobQuery.entries,
  channel: v.optional(choice(channels)),
  sequenceId: v.optional(queryInteger()),
  source: v.optional(choice(jobSources)),
});

/** Whom a Telegram or X job is for; the sender uses the first that its account can. */
export const Target = v.object({
  telegramUserId: v.optional(v.number()),
  twitterUserId: v.optional(v.string()),
  username: v.optional(v.string()),
});
export type Target = v.InferOutput<typeof Target>;

export const Jobs = entity({
  name: 'job',
  schema: v.object({
    ...shown,
    target: Target,
    /** The whole text of a Telegram or X message; the text of an e-mail is kept with the thread. */
    text: v.nullable(v.string()),
    /** Of the conversation message, which lies with the contact. */
    messageId: v.number(),
    enrollmentId: v.nullable(v.number()),
    /** The sequence is paused: the job stays queued. */
    isHeld: v.boolean(),
    /** Its place in the account's queue; a flood wait moves `runAt` but not this. */
    queuedFor: time(),
    floodWaits: v.number(),
    /** A sender has it in hand until then. */
    claimedUntil: v.nullable(time()),
  }),
  indexes: (job) => {
    const { id, channel, accountId, contactId, status, runAt, createdAt, updatedAt, lastError, completedAt } = job;
    const isWaiting = status === 'queued' && !job.isHeld;
    const at = completedAt ?? createdAt;
    return [
      {
        name: `channel=${channel}`,
        copy: { job: { id, accountId, status, runAt, createdAt, updatedAt, lastError } },
      },
      { name: `status=${status}`, copy: { createdAt } },
      accountId !== null && { name: `account=${accountId}` },
      contactId !== null && { name: `contact=${contactId}` },
      job.sequenceId !== null && { name: `sequence=${job.sequenceId}` },
      { name: `day=${at.slice(0, 10)}`, order: at, copy: { contactId, channel, accountId, status, at } },
      isWaiting && accountId !== null && { name: `queue=${accountId}`, order: job.queuedFor },
    ];
  },
  wakeUp: ({ id, channel, accountId, status, isHeld, runAt }, tenant) =>
    status === 'queued' && !isHeld
      ? {
          at: runAt,
          queue: channel,
          message: { accountId, jobId: id },
          group: `${tenantKey(tenant)}/${channel}/${accountId ?? id}`,
        }
      : null,
});

export type StoredJob = v.InferOutput<(typeof Jobs)['schema']>;

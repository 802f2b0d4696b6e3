import * as v from 'valibot';
import { channels } from '#lib/core/channel.ts';
import { senderName, Target } from '#lib/core/channel-target.ts';
import { jobStatuses } from '#lib/core/choices.ts';
import { monthOf, timestamp } from '#lib/core/clock.ts';
import { choice, count, id, paging, queryInteger, queryText, queryTime, storedChoice, time } from '#lib/core/schema.ts';
import { tenantKey } from '#lib/core/tenant.ts';
import { entity } from '#lib/table/entity.ts';
import { leases } from '#lib/table/lease.ts';
import { AtPlatform, PlatformMessageId, TextEntity } from './message.ts';

const jobSources = ['api', 'panel', 'sequence', 'agent'] as const;

const detail = {
  id: id(),
  status: storedChoice(jobStatuses),
  runAt: time(),
  createdAt: time(),
  updatedAt: v.nullable(time()),
  lastError: v.nullable(v.string()),
};

/** The seven fields of an account's message (base document, "Message job detail"). */
export const MessageJob = v.pipe(v.object({ ...detail, accountId: id() }), v.title('MessageJob'));

const shown = {
  ...detail,
  /** Null for e-mail. */
  accountId: v.nullable(id()),
  channel: storedChoice(channels),
  contactId: v.nullable(id()),
  recipient: v.string(),
  textPreview: v.string(),
  attempts: count(),
  maxAttempts: count(),
  source: storedChoice(jobSources),
  sequenceId: v.nullable(id()),
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
  since: v.optional(queryTime()),
  until: v.optional(queryTime()),
});

export const JobQuery = v.object({
  ...MessageJobQuery.entries,
  channel: v.optional(choice(channels)),
  sequenceId: v.optional(queryInteger()),
  source: v.optional(choice(jobSources)),
  apiKeyId: v.optional(queryText()),
});

/** When analytics counts it: as what it became, or while it waits as it was made. */
const countedAt = ({ completedAt, createdAt }: Pick<v.InferOutput<typeof Job>, 'completedAt' | 'createdAt'>) =>
  completedAt ?? createdAt;

/** Returns the fields that analytics needs. */
const seen = (job: v.InferOutput<typeof Job>) => {
  const { contactId, channel, accountId, status } = job;
  return { contactId, channel, accountId, status, at: countedAt(job) };
};

/** A file of ours as a platform has it. */
const PlatformFile = v.object({
  attachmentId: id(),
  /** To whom it goes. */
  userId: v.number(),
  id: v.string(),
  accessHash: v.string(),
  /** In base64; it ends. */
  reference: v.string(),
});
export type PlatformFile = v.InferOutput<typeof PlatformFile>;

const Button = v.object({ text: v.string(), url: v.optional(v.string()), data: v.optional(v.string()) });
export type Button = v.InferOutput<typeof Button>;

/** A message on its way out. */
export const Jobs = entity({
  name: 'job',
  schema: v.object({
    ...shown,
    target: Target,
    /** The whole text of an account's message; the text of an e-mail is kept with the thread. */
    text: v.nullable(v.string()),
    /** Id of the conversation message, which is kept with the contact. */
    messageId: id(),
    enrollmentId: v.nullable(id()),
    /** It is paused with its sequence, and stays queued. */
    isHeld: v.boolean(),
    /** Its place in the account's queue; a flood wait moves `runAt` but not this. */
    queuedFor: time(),
    /** How often it has waited because its provider takes no more at a time, or nothing from this deployment. */
    floodWaits: count(),
    /** A sender has it in hand until then. */
    claimedUntil: v.nullable(time()),
    /** Attempts whose outcome nobody knows, with the one that a sender has in hand. */
    unsettledAttempts: v.optional(count(), 0),
    /** A mail that no quota of its day has paid for: it came with an imported workspace, or its sequence was paused. */
    isUnpaid: v.optional(v.boolean()),
    /** Grant of a day's quota that paid for a mail. */
    paid: v.optional(v.object({ day: v.string(), amount: v.number() })),
    /** How many files its message has, and how many of them have surely arrived. */
    attachmentCount: v.optional(count(), 0),
    confirmedFiles: v.optional(count(), 0),
    /** Files already at the platform, in order, each for one recipient: they need not be uploaded again. */
    platformFiles: v.optional(v.array(PlatformFile), []),
    /** Entities of the text, the buttons under it, and the id at the platform of the message that it answers. */
    entities: v.optional(v.array(TextEntity)),
    buttons: v.optional(v.array(v.array(Button))),
    repliesTo: v.optional(PlatformMessageId),
    /** Id of the sent message at the platform. */
    atPlatform: v.optional(AtPlatform),
  }),
  references: [
    { to: 'contact', field: 'contactId', with: 'message', isOwned: true },
    { to: 'message', field: 'messageId' },
  ],
  indexes: {
    channel: {
      of: ({ channel }) => channel,
      copy: ({ id, accountId, status, runAt, createdAt, updatedAt, lastError }) => ({
        job: { id, accountId, status, runAt, createdAt, updatedAt, lastError },
      }),
    },
    status: { of: ({ status }) => status, copy: ({ createdAt }) => ({ createdAt }) },
    account: ({ accountId }) => accountId,
    contact: ({ contactId }) => contactId,
    key: ({ apiKeyId }) => apiKeyId,
    /** By this the account knows what is its own when the platform tells of it. */
    file: {
      of: ({ accountId, platformFiles }) =>
        accountId !== null && platformFiles.map(({ userId, id: fileId }) => ({ accountId, userId, fileId })),
      at: 'file/{accountId}/{userId}/{fileId}',
    },
    sequence: ({ sequenceId }) => sequenceId,
    /** Index of jobs to recipients that were not given as a contact. */
    stated: {
      of: ({ contactId, channel, target }) => contactId === null && channel !== 'email' && senderName(channel, target),
      at: 'to/{stated}',
    },
    month: { of: (job) => monthOf(countedAt(job)), order: countedAt, copy: seen },
    /** Few do: who counts them need not walk through all that were made. */
    failed: { of: ({ status }) => status === 'failed', order: (job) => countedAt(job) },
    queue: {
      of: ({ status, isHeld, accountId }) => status === 'queued' && !isHeld && accountId,
      order: ({ queuedFor }) => queuedFor,
    },
  },
  timer: ({ id, channel, accountId, status, isHeld, runAt }, tenant) =>
    status === 'queued' && !isHeld
      ? {
          at: runAt,
          queue: channel,
          message: { accountId, jobId: id },
          group: `${tenantKey(tenant)}/${channel}/${accountId ?? id}`,
          ...(accountId === null ? { isPaced: true } : { isForGroup: true }),
        }
      : null,
});

export type StoredJob = v.InferOutput<(typeof Jobs)['schema']>;

/** Claim of the sender that works on a job. */
export const claims = leases({
  owner: 'claimedBy',
  until: 'claimedUntil',
  at: (epochMs) => timestamp(new Date(epochMs)),
});

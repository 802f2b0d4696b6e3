import * as v from 'valibot';
import { getStoredContact } from '#lib/contacts/read.ts';
import { type Descriptors, messaging, type Platform } from '#lib/core/channel.ts';
import { Target, userIds } from '#lib/core/channel-target.ts';
import { badRequest, invalidField } from '#lib/core/problem.ts';
import { fileIds, idInput, nullableTimeInput, text } from '#lib/core/schema.ts';
import { firstCharacters } from '#lib/core/text.ts';
import type { StoredAccount } from '#lib/entities/account.ts';
import { contactFields, type StoredContact } from '#lib/entities/contact.ts';
import { Jobs, type StoredJob } from '#lib/entities/job.ts';
import { Messages } from '#lib/entities/message.ts';
import { allowanceOf, getStoredAccount } from '#lib/messages/accounts/store.ts';
import type { takeUploads } from '#lib/messages/attachments.ts';
import { type Change, changeJob, requireWithinYear } from '#lib/messages/jobs/change.ts';
import { createJob, getJob, type NewJob, retryJob } from '#lib/messages/jobs/store.ts';
import { type Recipient, recipientOf } from '#lib/messages/recipient.ts';
import { stepCompleted } from '#lib/sequences/progress.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { isBlockedBy, unlessBlocked } from './blocked.ts';
import { cancelJob } from './end.ts';

const common = {
  accountId: idInput(),
  contactId: v.optional(v.nullable(idInput())),
  username: contactFields.username,
  runAt: v.optional(nullableTimeInput()),
};

/** The fields of a request to send (base document, "POST /v1/telegram/messages"; contract section 4). */
export const messageFields = <One extends Descriptors>(channel: One) => ({
  ...common,
  ...userIds([channel], 'stated'),
  text: text(channel.maxTextCharacters),
  attachments: fileIds(),
});

/** The same where files may stand alone. */
export const messageOrFileFields = <One extends Descriptors>(channel: One) => {
  const fields = messageFields(channel);
  return { ...fields, text: v.optional(fields.text) };
};

type Send = v.InferOutput<v.ObjectSchema<ReturnType<typeof messageOrFileFields<Descriptors>>, undefined>>;

/** Origin of the message: a call, the panel, or a sequence. */
type Origin = Pick<StoredJob, 'source' | 'apiKeyId'>;

/**
 * Queues a message of an account. Of several recipients the most certain counts: contactId, then the id at the platform, then
 * username; `ignored` names the others. Raises 404 for an unknown account or contact, 400 without a recipient, for a contact
 * that the platform does not know, for a time more than a year ahead and for files that cannot be sent. `take` is for a channel that
 * sends files, `enrich` for one whose messages are more than words.
 */
export async function sendMessage(
  tx: UnitOfWork,
  channel: Platform,
  input: Send,
  origin: Origin,
  take?: typeof takeUploads,
  enrich?: (account: StoredAccount) => Promise<Partial<NewJob>>,
) {
  const [used, ...ignored] = recipientFields(channel).filter((field) => input[field] != null);
  if (used === undefined) {
    const fields = recipientFields(channel).join(', ');
    throw invalidField('contactId', 'required', `one of ${fields} is required`);
  }
  requireWithinYear(tx, input.runAt);
  const contactId = used === 'contactId' ? (input.contactId as number) : null;
  const stated = used === 'contactId' ? undefined : statedRecipient(input, used);
  const [contact, account] = await Promise.all([
    contactId === null ? null : getStoredContact(tx, contactId),
    getStoredAccount(tx, input.accountId, channel),
    stated && isBlockedBy(tx, { channel, id: input.accountId }, stated),
    tx.reserveIds({ [Jobs.name]: 1, [Messages.name]: 1 }),
  ]);
  const recipient = contact ? contactRecipient(contact, channel) : (stated as Recipient);
  requireSendable(account, input, take !== undefined);
  const uploads = await take?.(tx, input.attachments);
  const job = await createJob(tx, {
    ...origin,
    ...recipient,
    channel,
    accountId: input.accountId,
    contactId,
    text: input.text ?? '',
    runAt: input.runAt,
    ...(uploads && { attachments: uploads.attachments }),
    ...(await enrich?.(account)),
  });
  uploads?.keep(job.messageId);
  return { job: detailOf(await unlessBlocked(tx, account, job)), ignored };
}

function requireSendable(
  { channel, kind }: StoredAccount,
  { text: words, attachments = [] }: Send,
  isTaken: boolean,
): void {
  if (attachments.length === 0) {
    if (words === undefined) throw invalidField('text', 'required', 'text is required');
    return;
  }
  const { maxCaptionCharacters: max } = allowanceOf({ channel, kind });
  if (max === undefined || !isTaken)
    throw badRequest(
      'attachments_not_supported',
      `a ${channel} ${kind} cannot send files: leave attachments out, or put a link in the text`,
    );
  requireCaption(words, max);
}

function requireCaption(words: string | undefined, max: number): void {
  if (words !== undefined && firstCharacters(words, max) !== words)
    throw invalidField('text', 'too_long', `text must have at most ${max} characters`);
}

/** The fields that may name the recipient, the most certain first. */
function recipientFields(channel: Platform) {
  const { identity, hasUsernames } = messaging[channel];
  return ['contactId' as const, identity.field, ...(hasUsernames ? (['username'] as const) : [])];
}

function contactRecipient(contact: StoredContact, channel: Platform): Recipient {
  const { id: contactId } = contact;
  const recipient = recipientOf(contact, channel);
  if (!recipient)
    throw badRequest(
      `no_${channel}_identity`,
      `contact ${contactId} cannot be reached on ${channel}: name the recipient directly, or wait until the person writes`,
      { contactId },
    );
  return recipient;
}

function statedRecipient(input: Send, used: keyof Send): Recipient {
  const value = input[used];
  return {
    recipient: used === 'username' ? `@${value}` : String(value),
    target: v.parse(Target, { [used]: value }),
  };
}

/** The message of one channel, as its status is shown. Raises 404. */
export const getMessageJob = async (tx: UnitOfWork, id: number, channel: Platform) =>
  detailOf(await getJob(tx, id, channel));

/** Takes a message back before it is sent. Emits job.completed. Raises 404, 409 job_not_queued. */
export const cancelMessage = async (tx: UnitOfWork, id: number, channel: Platform) =>
  detailOf(await cancelJob(tx, id, channel));

/**
 * Changes the text and the time of a message that waits. Raises 404, 400 for a caption that is too long and for a time more than a year
 * ahead, 409 job_not_queued.
 */
export async function changeMessage(tx: UnitOfWork, id: number, channel: Platform, change: Change) {
  const job = await getJob(tx, id, channel);
  if (change.text !== undefined && job.attachmentCount > 0) {
    const { maxCaptionCharacters: max } = allowanceOf(await getStoredAccount(tx, job.accountId as number, channel));
    if (max !== undefined) requireCaption(change.text, max);
  }
  return detailOf(await changeJob(tx, job, change));
}

/** Queues a failed message again, at once; as a step it has failed, also where that is yet to be written. Raises 404, 409 job_not_failed. */
export async function retryMessage(tx: UnitOfWork, id: number, channel: Platform) {
  const job = await getJob(tx, id, channel);
  if (job.status === 'failed') await stepCompleted(tx, job);
  return detailOf(await retryJob(tx, id, channel));
}

/** The jobs of a platform always have an account. */
const detailOf = (job: StoredJob) => ({ ...job, accountId: job.accountId as number });

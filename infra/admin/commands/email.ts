import * as v from 'valibot';
import { log } from '#lib/core/log.ts';
import { invalidField, notFound } from '#lib/core/problem.ts';
import { choice, idInput, line, nullableLine, timeInput } from '#lib/core/schema.ts';
import { sameAddress } from '#lib/email/address.ts';
import { arrivalIn } from '#lib/email/arrival.ts';
import { AuthenticationInput } from '#lib/email/authentication.ts';
import { keepMail, keysSince } from '#lib/email/bucket.ts';
import { parseMail } from '#lib/email/mail.ts';
import { maxReasonCharacters, noticeTypes } from '#lib/email/notice.ts';
import { EmailMessages, type StoredEmailMessage } from '#lib/entities/email-message.ts';
import { Jobs } from '#lib/entities/job.ts';
import { firstIndexed } from '#lib/table/entries.ts';
import { listPage } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { deliverAgain } from '#lib/transport/receiving/incoming.ts';
import { receiveMail } from '#lib/transport/receiving/mail.ts';
import { takeNotice } from '#lib/transport/sending/notice.ts';
import { asSystem, tenantFields } from './operator.ts';

const Receive = v.object({
  ...tenantFields,
  raw: v.pipe(v.string(), v.minLength(1)),
  authentication: v.optional(AuthenticationInput, 'pass'),
});

async function receive({ workspaceId, env, raw, authentication }: v.InferOutput<typeof Receive>) {
  const mail = await parseMail(raw);
  const { isSpam, hasVirus } = arrivalIn(mail);
  const key = mail.attachments.length > 0 ? await keepMail(raw) : undefined;
  const { threadId, messageId } = await asSystem({ workspaceId, env }, (tx) =>
    receiveMail(tx, mail, { authentication, isSpam, hasVirus, ...(key !== undefined && { key }) }),
  );
  return { threadId, messageId };
}

/** One stored mail, if need be for whom the operator says, or every one since a time. */
const Reread = v.union(
  [
    v.strictObject({
      key: v.pipe(v.string(), v.minLength(1)),
      recipients: v.optional(v.array(v.pipe(v.string(), v.email()))),
    }),
    v.strictObject({ since: timeInput() }),
  ],
  'must be {"key", "recipients"?} or {"since"}',
);

/** Reads mails that SES has stored as if they had just come. What is there already stays as it is; one that fails holds up no other. */
async function reread(input: v.InferOutput<typeof Reread>) {
  const counts = { mails: 0, stored: 0, known: 0, forNobody: 0, failed: [] as string[] };
  const recipients = 'key' in input ? input.recipients : undefined;
  for (const key of 'key' in input ? [input.key] : await keysSince(input.since)) {
    counts.mails += 1;
    try {
      const places = await deliverAgain(key, recipients);
      if (places.length === 0) counts.forNobody += 1;
      else if (places.every(({ isKnown }) => isKnown)) counts.known += 1;
      else counts.stored += 1;
    } catch (error) {
      log().error('a stored mail could not be read again', { key, error: error as Error });
      counts.failed.push(key);
    }
  }
  return counts;
}

const Bounce = v.object({
  ...tenantFields,
  /** ID of the mail. */
  messageId: idInput(),
  recipient: line(320),
  type: choice(noticeTypes),
  reason: v.optional(nullableLine(maxReasonCharacters)),
});

/** Reports a bounce or complaint of a sent mail, as SES would. */
const bounce = ({ workspaceId, env, messageId, recipient, type, reason }: v.InferOutput<typeof Bounce>) =>
  asSystem({ workspaceId, env }, async (tx) => {
    const mail = await sentMail(tx, messageId);
    if (!mail) throw notFound('e-mail that was sent');
    if (![...mail.to, ...mail.cc, ...mail.bcc].some(({ email }) => sameAddress(email, recipient)))
      throw invalidField('recipient', 'unknown_reference', 'recipient must be an address to which the mail was sent');
    const { isKnown } = await takeNotice(tx, mail, { recipient, type, reason: reason ?? 'no reason given' });
    return { threadId: mail.threadId, messageId, isKnown };
  });

const pageSize = 25;

/** A mail of ours by its id, which rises with that of its job but for those that were made side by side. */
async function sentMail(tx: UnitOfWork, messageId: number): Promise<StoredEmailMessage | undefined> {
  for (let after: number | undefined; ; ) {
    const { items, nextCursor } = await listPage(tx, Jobs, { after, limit: pageSize, where: { channel: 'email' } });
    const mails = await Promise.all(items.map(({ id }) => firstIndexed(tx, EmailMessages, { job: id })));
    const found = mails.find((mail) => mail?.id === messageId);
    if (found || nextCursor === null || mails.every((mail) => mail && mail.id < messageId)) return found;
    after = nextCursor;
  }
}

export const commands = {
  receive: { input: Receive, run: receive },
  reread: { input: Reread, run: reread },
  bounce: { input: Bounce, run: bounce },
};

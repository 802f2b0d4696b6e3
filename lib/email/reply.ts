import type * as v from 'valibot';
import { dayMs, shifted } from '#lib/clock.ts';
import { Jobs } from '#lib/jobs/job.ts';
import type { Caller } from '#lib/keys/identify.ts';
import { Messages } from '#lib/messages/message.ts';
import { badRequest, conflict, invalidField } from '#lib/problem.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { getWorkspace } from '#lib/workspaces/store.ts';
import { distinct, type Mailbox, sameAddress } from './address.ts';
import { sanitise } from './html.ts';
import { type CreateReply, EmailMessages, type ReplyJob } from './message.ts';
import { queueMail } from './outgoing.ts';
import { getThread } from './store.ts';
import { topicOf } from './thread.ts';

const maxDelayDays = 365;

/**
 * Queues a reply to the sender of the newest inbound message. Raises 404, 409 for a spam thread, 400 when nobody wrote yet.
 */
export async function createReply(
  tx: Transaction,
  caller: Caller,
  threadId: number,
  { bodyText, bodyHtml, cc, bcc, replyAll, runAt }: v.InferOutput<typeof CreateReply>,
): Promise<v.InferInput<typeof ReplyJob>> {
  const [thread, workspace] = await Promise.all([
    getThread(tx, threadId),
    getWorkspace(tx),
    tx.reserveIds({ [EmailMessages.name]: 1, [Jobs.name]: 1, [Messages.name]: 1 }),
  ]);
  if (thread.status === 'spam') throw conflict('thread_is_spam', 'a thread marked as spam is not answered');
  if (thread.lastInbound === null) throw badRequest('no_recipient', 'nobody has written in this thread yet');
  if (runAt !== null && runAt > shifted(tx.now, maxDelayDays * dayMs)) {
    throw invalidField('runAt', 'out_of_range', `runAt must be at most ${maxDelayDays} days ahead`);
  }
  const { from: to, others } = thread.lastInbound;
  const copied = distinct([...(replyAll ? others : []), ...cc.map(unnamed)]);
  const mail = {
    to,
    cc: copied.filter(({ email }) => !sameAddress(email, to.email)),
    bcc: distinct(bcc.map(unnamed)),
    subject: `Re: ${topicOf(thread.subject)}`.trim(),
    bodyText,
    bodyHtml: (bodyHtml && sanitise(bodyHtml)) || null,
    runAt,
  };
  const job = await queueMail(tx, thread, workspace, mail, { source: 'api', apiKeyId: caller.keyId });
  return { ...job, threadId };
}

const unnamed = (email: string): Mailbox => ({ name: null, email });

import type * as v from 'valibot';
import { dayMs, shifted } from '#lib/clock.ts';
import { Jobs } from '#lib/jobs/job.ts';
import { createJob } from '#lib/jobs/store.ts';
import type { Caller } from '#lib/keys/identify.ts';
import { Messages } from '#lib/messages/message.ts';
import { badRequest, conflict, invalidField } from '#lib/problem.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { getWorkspace } from '#lib/workspaces/store.ts';
import { distinct, type Mailbox, sameAddress } from './address.ts';
import { sanitise } from './html.ts';
import { type CreateReply, EmailMessages, type ReplyJob } from './message.ts';
import { getThread, storeEmail } from './store.ts';
import { topicOf } from './thread.ts';

const maxDelayDays = 365;

/**
 * Queues a reply to the sender of the newest inbound message. Raises 404, 409 for a spam thread, 400 when nobody wrote yet.
 */
export async function createReply(
  tx: Transaction,
  caller: Caller,
  threadId: number,
  input: v.InferOutput<typeof CreateReply>,
): Promise<v.InferInput<typeof ReplyJob>> {
  const [thread, workspace] = await Promise.all([
    getThread(tx, threadId),
    getWorkspace(tx),
    tx.reserveIds({ [EmailMessages.name]: 1, [Jobs.name]: 1, [Messages.name]: 1 }),
  ]);
  if (thread.status === 'spam') throw conflict('thread_is_spam', 'a thread marked as spam is not answered');
  if (thread.lastInbound === null) throw badRequest('no_recipient', 'nobody has written in this thread yet');
  if (input.runAt !== null && input.runAt > shifted(tx.now, maxDelayDays * dayMs)) {
    throw invalidField('runAt', 'out_of_range', `runAt must be at most ${maxDelayDays} days ahead`);
  }
  const { from: to, others } = thread.lastInbound;
  const cc = distinct([...(input.replyAll ? others : []), ...input.cc.map(unnamed)]);
  const job = await createJob(tx, {
    channel: 'email',
    accountId: null,
    contactId: thread.contactId,
    recipient: to.email,
    text: input.bodyText,
    runAt: input.runAt,
    source: 'api',
    apiKeyId: caller.keyId,
    threadId: String(threadId),
  });
  await storeEmail(tx, {
    threadId,
    direction: 'outbound',
    from: { name: workspace.name, email: workspace.email },
    to: [to],
    cc: cc.filter(({ email }) => !sameAddress(email, to.email)),
    bcc: distinct(input.bcc.map(unnamed)),
    subject: `Re: ${topicOf(thread.subject)}`.trim(),
    isRead: true,
    status: 'queued',
    attachments: [],
    sentAt: null,
    jobId: job.id,
    body: { bodyText: input.bodyText, bodyHtml: (input.bodyHtml && sanitise(input.bodyHtml)) || null },
  });
  return { ...job, threadId };
}

const unnamed = (email: string): Mailbox => ({ name: null, email });

import type * as v from 'valibot';
import { badRequest, conflict } from '#lib/core/problem.ts';
import { type CreateReply, EmailMessages, type ReplyJob } from '#lib/entities/email-message.ts';
import { topicOf } from '#lib/entities/email-thread.ts';
import { Jobs } from '#lib/entities/job.ts';
import { Messages } from '#lib/entities/message.ts';
import { originOf } from '#lib/messages/jobs/store.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { getWorkspace } from '#lib/workspaces/store.ts';
import { canBeReached } from './address.ts';
import { queueMail } from './outgoing.ts';
import { requireSender } from './sender.ts';
import { getThread } from './store.ts';
import { prepareMail, unnamed } from './written.ts';

/**
 * Queues a reply to the sender of the newest inbound message. Raises 404, 409 for a spam thread and where no mail can leave, 400 when
 * nobody wrote yet, 409 for a recipient whose address bounced, 429 beyond the quota of the day on which it leaves. Needs `mail-sender`.
 */
export async function createReply(
  tx: UnitOfWork,
  threadId: number,
  { replyAll, ...written }: v.InferOutput<typeof CreateReply>,
): Promise<v.InferInput<typeof ReplyJob>> {
  const [thread, workspace] = await Promise.all([
    getThread(tx, threadId),
    getWorkspace(tx),
    tx.reserveIds({ [EmailMessages.name]: 1, [Jobs.name]: 1, [Messages.name]: 1 }),
  ]);
  requireSender();
  if (thread.status === 'spam') throw conflict('thread_is_spam', 'a thread marked as spam is not answered');
  if (thread.lastInbound === null) throw badRequest('no_recipient', 'nobody has written in this thread yet');
  if (!canBeReached(thread.lastInbound.from.email))
    throw badRequest('no_recipient', 'no mail can be sent to the address of who wrote last');
  const { from, others } = thread.lastInbound;
  const mail = await prepareMail(
    tx,
    {
      ...written,
      to: [from],
      cc: [...(replyAll ? others.filter(({ email }) => canBeReached(email)) : []), ...written.cc.map(unnamed)],
      bcc: written.bcc.map(unnamed),
      subject: `Re: ${topicOf(thread.subject)}`.trim(),
    },
    'replyAll',
  );
  const job = await queueMail(tx, thread, workspace, mail, originOf(tx));
  return { ...job, threadId };
}

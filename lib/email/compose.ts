import type * as v from 'valibot';
import { contactWithEmail } from '#lib/contacts/lookup.ts';
import { type CreateEmailMessage, EmailMessages, type ReplyJob } from '#lib/entities/email-message.ts';
import { Threads } from '#lib/entities/email-thread.ts';
import { Jobs } from '#lib/entities/job.ts';
import { Messages } from '#lib/entities/message.ts';
import { referredContact } from '#lib/entities/references/referred.ts';
import { originOf } from '#lib/messages/jobs/store.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { getWorkspace } from '#lib/workspaces/store.ts';
import { queueMail } from './outgoing.ts';
import { requireSender } from './sender.ts';
import { openThread } from './store.ts';
import { prepareMail, unnamed } from './written.ts';

/**
 * Queues a mail in a new thread, that of the contact which is named or has the first address. Raises 400 for an unknown contact, 409
 * where no mail can leave and for a recipient whose address bounced, 429 beyond the quota of the day on which it leaves. Needs `mail-sender`.
 */
export async function createMessage(
  tx: UnitOfWork,
  { to, contactId, ...written }: v.InferOutput<typeof CreateEmailMessage>,
): Promise<v.InferInput<typeof ReplyJob>> {
  const [first, ...others] = to as [string, ...string[]];
  const [workspace, contact] = await Promise.all([
    getWorkspace(tx),
    contactId === null ? contactWithEmail(tx, first) : referredContact(tx, contactId),
    tx.reserveIds({ [Threads.name]: 1, [EmailMessages.name]: 1, [Jobs.name]: 1, [Messages.name]: 1 }),
  ]);
  requireSender();
  const mail = await prepareMail(
    tx,
    {
      ...written,
      to: [unnamed(first), ...others.map(unnamed)],
      cc: written.cc.map(unnamed),
      bcc: written.bcc.map(unnamed),
    },
    'bcc',
  );
  const thread = await openThread(tx, contact?.id ?? null, mail);
  const job = await queueMail(tx, thread, workspace, mail, originOf(tx));
  return { ...job, threadId: thread.id };
}

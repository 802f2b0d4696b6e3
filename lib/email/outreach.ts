import type { StoredContact } from '#lib/entities/contact.ts';
import { EmailMessages } from '#lib/entities/email-message.ts';
import { Threads } from '#lib/entities/email-thread.ts';
import { Jobs } from '#lib/entities/job.ts';
import { Messages } from '#lib/entities/message.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { getWorkspace } from '#lib/workspaces/store.ts';
import { canBeReached } from './address.ts';
import { type Origin, queueMail } from './outgoing.ts';
import { getThread, openThread } from './store.ts';
import { reasonsOf } from './suppressed.ts';

interface Outreach {
  contact: StoredContact;
  /** Thread of the earlier mails. */
  threadId: number | null;
  subject: string;
  text: string;
  origin: Origin;
}

/** Queues a mail that the contact has not asked for, in a thread of its own or the given one; or says why none can reach it. */
export async function queueOutreach(
  tx: UnitOfWork,
  { contact, threadId, subject, text, origin }: Outreach,
): Promise<{ jobId: number; threadId: number } | { obstacle: string }> {
  if (contact.email === null || !canBeReached(contact.email))
    return { obstacle: 'the contact cannot be reached by email' };
  const to = { name: contact.name, email: contact.email };
  const reasons = await reasonsOf(tx, to.email);
  if (reasons.includes('bounce')) return { obstacle: 'mail to the contact has bounced for good' };
  if (reasons.length > 0) return { obstacle: 'unsubscribed' };
  const [workspace, known] = await Promise.all([
    getWorkspace(tx),
    threadId === null ? undefined : getThread(tx, threadId),
    tx.reserveIds({ [Threads.name]: 1, [EmailMessages.name]: 1, [Jobs.name]: 1, [Messages.name]: 1 }),
  ]);
  const mail = { to: [to] as const, subject, bodyText: text };
  const thread = known ?? (await openThread(tx, contact.id, mail));
  const job = await queueMail(tx, thread, workspace, mail, origin);
  return { jobId: job.id, threadId: thread.id };
}

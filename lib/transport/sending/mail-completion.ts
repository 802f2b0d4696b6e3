import { previewOf } from '#lib/email/body.ts';
import { participantsWith } from '#lib/email/participants.ts';
import { bodyOf, getThread } from '#lib/email/store.ts';
import { MessageIds, type StoredEmailMessage } from '#lib/entities/email-message.ts';
import { maxReferences, type StoredThread, Threads } from '#lib/entities/email-thread.ts';
import { mailOf } from '#lib/messages/jobs/mail.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { jobCompletion } from './settle.ts';

/** The thread of a sent mail goes on with it. */
export const mailCompletion = jobCompletion(
  'mail-end',
  async (tx, job, { messageId }: { messageId: string | null }) => {
    if (job.status === 'sent') await continueThread(tx, await mailOf(tx, job), messageId);
    return job;
  },
);

async function continueThread(tx: UnitOfWork, mail: StoredEmailMessage, messageId: string | null): Promise<void> {
  const { threadId, id, to, cc, bcc } = mail;
  const [thread, { bodyText }] = await Promise.all([getThread(tx, threadId), bodyOf(tx, mail)]);
  // A copy may have arrived before this is written. Whoever sent it, the id is of this mail.
  const known = messageId === null ? undefined : await tx.find(MessageIds, { messageId });
  if (known) tx.update(MessageIds, { ...known, threadId, id });
  else if (messageId !== null) tx.create(MessageIds, { messageId, threadId, id });
  tx.update(Threads, {
    ...thread,
    preview: previewOf(bodyText),
    lastMessageAt: tx.now,
    participants: participantsWith(thread.participants, [...to, ...cc, ...bcc]),
    references: referencesWith(thread, messageId),
  });
}

const referencesWith = ({ references }: StoredThread, messageId: string | null) =>
  messageId === null ? references : [...references, messageId].slice(-maxReferences);

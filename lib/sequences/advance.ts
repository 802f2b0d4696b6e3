import { Contacts, type StoredContact } from '#lib/contacts/contact.ts';
import { queueOutreach } from '#lib/email/outreach.ts';
import { createJob } from '#lib/jobs/store.ts';
import { recipientOf } from '#lib/messages/recipient.ts';
import { type Transaction, transact } from '#lib/table/transaction.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import { Enrollments, type StoredEnrollment } from './enrollment.ts';
import { endEnrollment } from './progress.ts';
import { Sequences, type Step, type StoredSequence } from './sequence.ts';

/** Makes the message of the step that is due, if it still is. */
export const advance = (tenant: Tenant, sequenceId: number, id: number): Promise<void> =>
  transact(tenant, system, async (tx) => {
    const [enrollment, sequence] = await Promise.all([
      tx.find(Enrollments, { sequenceId, id }),
      tx.find(Sequences, { id: sequenceId }),
    ]);
    if (!enrollment || sequence?.status !== 'active' || !isDue(tx, enrollment)) return;
    const step = sequence.steps[enrollment.currentStep] as Step;
    const contact = await tx.find(Contacts, { id: enrollment.contactId });
    const queued = contact && (await queueStep(tx, sequence, enrollment, contact, step.text));
    if (!queued) {
      endEnrollment(tx, sequence, enrollment, 'failed', `the contact cannot be reached by ${sequence.channel}`);
      return;
    }
    tx.update(Enrollments, { ...enrollment, ...queued, currentStep: step.position, nextRunAt: null });
  });

const isDue = (tx: Transaction, { status, heldAt, nextRunAt }: StoredEnrollment) =>
  status === 'active' && heldAt === null && nextRunAt !== null && nextRunAt <= tx.now;

/** Undefined when the contact has no address on the channel. */
async function queueStep(
  tx: Transaction,
  { id: sequenceId, name, channel, accountId }: StoredSequence,
  { id: enrollmentId, threadId }: StoredEnrollment,
  contact: StoredContact,
  text: string,
): Promise<Pick<StoredEnrollment, 'jobId' | 'threadId'> | undefined> {
  const origin = { source: 'sequence', sequenceId, enrollmentId } as const;
  if (channel === 'email') return queueOutreach(tx, { contact, threadId, subject: name, text, origin });
  const recipient = recipientOf(contact, channel);
  if (!recipient) return undefined;
  const job = await createJob(tx, { ...origin, ...recipient, channel, accountId, contactId: contact.id, text });
  return { jobId: job.id, threadId: null };
}

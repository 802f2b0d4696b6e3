import { system, type Tenant } from '#lib/core/tenant.ts';
import { filled, namesField } from '#lib/core/variables.ts';
import { queueOutreach } from '#lib/email/outreach.ts';
import type { StoredContact } from '#lib/entities/contact.ts';
import { Enrollments, type StoredEnrollment } from '#lib/entities/enrollment.ts';
import { resolveMerged } from '#lib/entities/references/merged.ts';
import { Sequences, type Step, type StoredSequence } from '#lib/entities/sequence.ts';
import { createJob } from '#lib/messages/jobs/store.ts';
import { recipientOf } from '#lib/messages/recipient.ts';
import { isDailyQuota, nextDayAt } from '#lib/table/quota.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { shownValues } from '#lib/workspaces/fields.ts';
import { endEnrollment } from './progress.ts';

/** Makes the message of the step that is due, if it still is. Beyond the day's quota it is due again tomorrow. */
export async function advance(tenant: Tenant, sequenceId: number, id: number): Promise<void> {
  try {
    await queueDue(tenant, sequenceId, id);
  } catch (error) {
    if (!isDailyQuota(error)) throw error;
    await putOff(tenant, sequenceId, id, error.message);
  }
}

const queueDue = (tenant: Tenant, sequenceId: number, id: number): Promise<void> =>
  transact(tenant, system, async (tx) => {
    const [enrollment, sequence] = await Promise.all([
      tx.find(Enrollments, { sequenceId, id }),
      tx.find(Sequences, { id: sequenceId }),
    ]);
    if (!enrollment || !sequence || !isDue(tx, enrollment)) return;
    if (sequence.status !== 'active') return hold(tx, sequence, enrollment);
    const step = sequence.steps[enrollment.currentStep];
    if (step === undefined) return endEnrollment(tx, sequence, enrollment, 'completed');
    const contact = await resolveMerged(tx, enrollment.contactId);
    if (contact?.archive) return endEnrollment(tx, sequence, enrollment, 'stopped');
    const queued = contact
      ? await queueStep(tx, sequence, enrollment, contact, step)
      : { obstacle: 'the contact is not here any more' };
    if ('obstacle' in queued) return endEnrollment(tx, sequence, enrollment, 'failed', queued.obstacle);
    tx.update(Enrollments, {
      ...enrollment,
      ...queued,
      currentStep: enrollment.currentStep + 1,
      nextRunAt: null,
      lastError: null,
    });
  });

/** Its sequence is paused, and whoever goes on with that has not come to it, or never does: else its timer would ring until then. */
function hold(tx: UnitOfWork, sequence: StoredSequence, enrollment: StoredEnrollment): void {
  tx.requireUnchanged(Sequences, sequence);
  tx.update(Enrollments, { ...enrollment, heldAt: tx.now });
}

const putOff = (tenant: Tenant, sequenceId: number, id: number, lastError: string): Promise<void> =>
  transact(tenant, system, async (tx) => {
    const enrollment = await tx.find(Enrollments, { sequenceId, id });
    if (!enrollment || !isDue(tx, enrollment)) return;
    tx.update(Enrollments, { ...enrollment, nextRunAt: nextDayAt(), lastError });
  });

const isDue = (tx: UnitOfWork, { status, heldAt, nextRunAt }: StoredEnrollment) =>
  status === 'active' && heldAt === null && nextRunAt !== null && nextRunAt <= tx.now;

/** Makes the message, or says why the contact cannot be reached. */
async function queueStep(
  tx: UnitOfWork,
  { id: sequenceId, channel, accountId }: StoredSequence,
  { id: enrollmentId, threadId }: StoredEnrollment,
  contact: StoredContact,
  step: Step,
): Promise<Pick<StoredEnrollment, 'jobId' | 'threadId'> | { obstacle: string }> {
  const origin = { source: 'sequence', sequenceId, enrollmentId } as const;
  const words = { text: step.text, subject: step.subject ?? '' };
  const fields = namesField(words.text + words.subject) ? await shownValues(tx, 'contact', contact) : {};
  const made = filled(words.text, { ...contact, fields });
  const subject = filled(words.subject, { ...contact, fields });
  for (const one of [subject, made])
    if ('missing' in one)
      return { obstacle: `the contact has no value for {{${one.missing}}}, and the step no fallback` };
  const { text } = made as { text: string };
  if (channel === 'email')
    return queueOutreach(tx, { contact, threadId, subject: (subject as { text: string }).text, text, origin });
  const recipient = recipientOf(contact, channel);
  if (!recipient) return { obstacle: `the contact cannot be reached by ${channel}` };
  const job = await createJob(tx, { ...origin, ...recipient, channel, accountId, contactId: contact.id, text });
  return { jobId: job.id, threadId: null };
}

import { Jobs } from '#lib/entities/job.ts';
import { resolveMerged } from '#lib/entities/references/merged.ts';
import { isWaiting } from '#lib/messages/jobs/store.ts';
import { endEarly } from '#lib/sequences/end-early.ts';
import { runningEnrollments } from '#lib/sequences/running.ts';
import { stepThrough } from '#lib/table/list.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { fail } from './end.ts';

const perStep = 25;

/**
 * Stops the sequences of an archived contact and cancels its queued jobs, but for what is being sent, as long as it is archived. Each
 * job emits job.completed.
 */
export const stoppingArchived: SagaKind<{ contactId: number; after: number | null }, 'stop-archived'> = {
  name: 'stop-archived',
  async step(tx, { contactId, after }) {
    const contact = await resolveMerged(tx, contactId);
    if (contact?.archive === undefined) return undefined;
    const { id } = contact;
    for (const enrollment of await runningEnrollments(tx, id, perStep)) {
      if (!tx.hasRoom) return { contactId: id, after };
      await endEarly(tx, enrollment, 'stopped', 'canceled');
    }
    if (!tx.isEmpty) return { contactId: id, after };
    const where = { contact: id, status: 'queued' } as const;
    const left = await stepThrough(tx, Jobs, { after, limit: perStep, where }, async (job) => {
      if (isWaiting(tx, job)) await fail(tx, job, 'canceled');
    });
    return left && { contactId: id, ...left };
  },
};

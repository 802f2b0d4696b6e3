import { Contacts } from '#lib/entities/contact.ts';
import { Sequences } from '#lib/entities/sequence.ts';
import { closeJob, getJob, isWaiting } from '#lib/jobs/store.ts';
import { holdersOf, type WrittenBy } from '#lib/references/namesakes.ts';
import { listCopies } from '#lib/table/entries.ts';
import { stepThrough } from '#lib/table/list.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { leaveSaga } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { endEnrollment } from './progress.ts';
import { runningEnrollments } from './running.ts';

/**
 * A contact wrote, on whatever channel: its sequences stop, and what they have not yet sent is not sent. The same person may be several
 * contacts, with one address or username: theirs stop soon after.
 */
export async function contactReplied(tx: UnitOfWork, contactId: number, by?: WrittenBy): Promise<void> {
  await stopSequences(tx, contactId);
  if (by === undefined) return;
  const holders = await listCopies(tx, Contacts, (await holdersOf(tx, by)).by, { limit: 2 });
  if (holders.some(({ of }) => Number(of.sk) !== contactId)) leaveSaga(tx, 'replied', { by, after: null });
}

/** Stops the sequences of all contacts that are whoever wrote. */
export const stopping: SagaKind<{ by: WrittenBy; after: number | null }, 'replied'> = {
  name: 'replied',
  async step(tx, { by, after }) {
    const { by: where, matches } = await holdersOf(tx, by);
    const left = await stepThrough(tx, Contacts, { after, limit: 25, where, matches }, ({ id }) =>
      stopSequences(tx, id),
    );
    return left && { by, ...left };
  },
};

async function stopSequences(tx: UnitOfWork, contactId: number): Promise<void> {
  for (const enrollment of await runningEnrollments(tx, contactId)) {
    const { sequenceId, jobId } = enrollment;
    endEnrollment(tx, await tx.get(Sequences, { id: sequenceId }), enrollment, 'replied');
    const job = jobId === null ? undefined : await getJob(tx, jobId);
    if (job && isWaiting(tx, job)) await closeJob(tx, { ...job, status: 'failed', lastError: 'the contact replied' });
  }
}

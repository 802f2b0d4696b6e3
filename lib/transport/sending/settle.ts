import { minuteMs, shifted } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import type { SagaName } from '#lib/core/sagas.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Accounts, type StoredAccount } from '#lib/entities/account.ts';
import { claims, Jobs, type StoredJob } from '#lib/entities/job.ts';
import { setAccountState, startFloodWait } from '#lib/messages/accounts/store.ts';
import { after, endOf, until } from '#lib/messages/jobs/after.ts';
import { lengthen } from '#lib/messages/jobs/outcomes.ts';
import type { Outcome } from '#lib/messages/jobs/sender.ts';
import { recordEnd, settleConversation } from '#lib/messages/jobs/store.ts';
import { findContact } from '#lib/messages/recipient.ts';
import { assignMessage } from '#lib/messages/store.ts';
import { stepCompleted } from '#lib/sequences/progress.ts';
import { heldWithSequence } from '#lib/sequences/step.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { startSaga, transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { failQueuedFor, followBlock } from './blocked.ts';
import { endJob } from './end.ts';

/** Changes that the end of a job makes to the rows of its channel. */
interface Completion<Facts, Name extends SagaName = SagaName> {
  end(tx: UnitOfWork, job: StoredJob, facts: Facts): Promise<StoredJob>;
  saga: SagaKind<State<Facts>, Name>;
}

type State<Facts> = { jobId: number; status: StoredJob['status']; facts: Facts };

/** `end` writes, besides the job and its message, what its channel keeps; it returns the job. Its saga does so later. */
export const jobCompletion = <Facts, Name extends SagaName>(
  name: Name,
  end: Completion<Facts>['end'],
): Completion<Facts, Name> => ({
  end,
  saga: {
    name,
    async step(tx, { jobId, status, facts }) {
      const job = await tx.find(Jobs, { id: jobId });
      // Somebody has it tried again: it is queued, or was settled when it was sent. Or it is erased.
      if (job?.status !== status) return undefined;
      const ended = tx.update(Jobs, await end(tx, job, facts));
      await settleConversation(tx, ended);
      await stepCompleted(tx, ended);
      return undefined;
    },
  },
});

interface Attempt<Facts> {
  outcome: Outcome;
  completion: Completion<Facts>;
  facts: Facts;
  /** Makes additional changes while the job continues to wait. */
  wait?: (tx: UnitOfWork) => Promise<void>;
}

/**
 * Writes what became of an attempt: the job, the conversation, the sequence and the events at once. Where that is impossible the job
 * alone is written, which always fits, and a saga does the rest: what has left never leaves again because of what follows from it.
 * What the account must do while the job waits is then written by itself; throws when it cannot be, so that nothing else is sent.
 * Nothing is written when the job is no longer in this sender's hands.
 */
export async function recordAttempt<Facts>(tenant: Tenant, claimed: StoredJob, attempt: Attempt<Facts>): Promise<void> {
  const { outcome, facts, wait } = attempt;
  const { end, saga } = attempt.completion;
  const write = (work: (tx: UnitOfWork, job: StoredJob) => Promise<StoredJob>) =>
    transact(tenant, system, async (tx) => {
      const job = await tx.find(Jobs, { id: claimed.id });
      if (job?.status === 'queued' && claims.isHeldBy(job, claimed)) return await work(tx, after(tx.now, job, outcome));
      return undefined;
    });
  try {
    await write(async (tx, job) => {
      if (job.status !== 'queued') return endJob(tx, await end(tx, job, facts));
      await wait?.(tx);
      return tx.update(Jobs, job.isHeld ? await heldWithSequence(tx, job) : job);
    });
  } catch (error) {
    log().error('what follows from an attempt cannot be written; the job alone is', {
      jobId: claimed.id,
      error: error as Error,
    });
    const settled = await write(async (tx, job) => {
      // Its timer has rung: one that cannot be held with its enrollment is looked at again in a while.
      const unheld = job.isHeld ? { ...until(job, shifted(tx.now, minuteMs)), isHeld: false } : job;
      if (job.status === 'queued') return tx.update(Jobs, unheld);
      startSaga(tx, saga, { jobId: job.id, status: job.status, facts });
      return recordEnd(tx, job);
    });
    if (wait && settled?.status === 'queued') await transact(tenant, system, wait);
  }
}

/** A recipient that was given by id or username may be a known contact: the message belongs to that conversation. */
export const messageCompletion = jobCompletion(
  'job-end',
  async (tx, job, { channel }: Pick<StoredAccount, 'channel'>) => {
    const contact = job.contactId === null ? await findContact(tx, channel, job.target) : undefined;
    if (!contact) return job;
    await assignMessage(tx, job, contact);
    return { ...job, contactId: contact.id };
  },
);

/** The same for a message of an account, which may have to wait or be lost. */
export async function settleMessageOf(
  tenant: Tenant,
  { id, channel, secret }: StoredAccount,
  claimed: StoredJob,
  told: Outcome,
): Promise<void> {
  const outcome = lengthen(told, claimed);
  await recordAttempt(tenant, claimed, {
    outcome,
    completion: messageCompletion,
    facts: { channel },
    wait: async (tx) => {
      if (outcome.kind === 'wait')
        await startFloodWait(tx, await tx.get(Accounts, { id }), { ...outcome, until: endOf(outcome) });
      if (outcome.kind !== 'lost') return;
      const account = await tx.get(Accounts, { id });
      // One that has a new secret meanwhile was lost by the old one.
      if (account.secret === secret) setAccountState(tx, account, outcome.state);
    },
  });
  if (outcome.kind !== 'failed' || !outcome.unreachable) return;
  const { error } = outcome;
  const { isBlock, ...target } = outcome.unreachable;
  const { username } = claimed.target;
  const blocker = { channel, accountId: id, person: { ...target, ...(username !== undefined && { username }) } };
  await transact(tenant, system, (tx) =>
    isBlock ? followBlock(tx, blocker, true, { at: tx.now }) : failQueuedFor(tx, blocker, error),
  );
}

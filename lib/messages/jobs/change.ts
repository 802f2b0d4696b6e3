import * as v from 'valibot';
import { dayMs, shifted } from '#lib/core/clock.ts';
import { conflict, invalidField } from '#lib/core/problem.ts';
import { nullableTimeInput, text } from '#lib/core/schema.ts';
import { firstCharacters } from '#lib/core/text.ts';
import { Jobs, type StoredJob } from '#lib/entities/job.ts';
import { Messages } from '#lib/entities/message.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { isWaiting, previewLength, stageOf, startOf } from './store.ts';

const maxAheadDays = 365;

/** Raises 400 for a time more than a year ahead. */
export function requireWithinYear(tx: UnitOfWork, runAt: string | null | undefined): void {
  if (runAt && runAt > shifted(tx.now, maxAheadDays * dayMs))
    throw invalidField('runAt', 'out_of_range', `runAt must be at most ${maxAheadDays} days ahead`);
}

/** Returns the fields of a change of a message that waits. */
export const changeFields = (maxCharacters: number) => ({
  text: v.optional(text(maxCharacters)),
  runAt: v.optional(nullableTimeInput()),
});

export interface Change {
  text?: string | undefined;
  /** Null or past: at once. */
  runAt?: string | null | undefined;
}

/**
 * Changes the text and the time of a job that nobody has in hand, and its message in the conversation. Raises 400 for a time more than
 * a year ahead, 409 job_not_queued, also for a new text of which a part may have left.
 */
export async function changeJob(tx: UnitOfWork, job: StoredJob, change: Change): Promise<StoredJob> {
  requireWithinYear(tx, change.runAt);
  const message = await tx.get(Messages, { contactId: job.contactId, id: job.messageId });
  const words = change.text === message.body ? undefined : change.text;
  const mayHaveLeft = job.confirmedFiles > 0 || job.unsettledAttempts > 0;
  if (!isWaiting(tx, job) || (words !== undefined && mayHaveLeft))
    throw conflict('job_not_queued', `the job is ${stageOf(job)} and cannot change: send a new message`);
  const runAt = change.runAt === undefined ? undefined : startOf(tx, change.runAt);
  if (words === undefined && (runAt === undefined || runAt === job.runAt)) return job;
  if (words !== undefined) tx.update(Messages, { ...message, body: words, entities: [] });
  return tx.update(Jobs, {
    ...job,
    ...(words !== undefined && {
      text: job.text === null ? null : words,
      textPreview: firstCharacters(words, previewLength),
      entities: undefined,
    }),
    ...(runAt !== undefined && { runAt, queuedFor: runAt }),
    updatedAt: tx.now,
  });
}

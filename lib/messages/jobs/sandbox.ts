import type { StoredJob } from '#lib/entities/job.ts';
import { waitFor } from './outcomes.ts';
import type { Outcome, Sender } from './sender.ts';

const floodSeconds = 30;

/** Stands in for the provider in the test environment (contract 0.7): nothing leaves, and magic recipients fail or flood. */
export const sandboxSender: Sender = {
  maxRepeats: Number.POSITIVE_INFINITY,
  send: async (job) => outcomeOf(job),
  close: async () => {},
};

function outcomeOf({ target, floodWaits }: StoredJob): Outcome {
  const username = target.username?.toLowerCase();
  if (username === 'test_fail') return { kind: 'failed', error: 'recipient rejected' };
  if (username === 'test_flood' && floodWaits === 0) return waitFor(floodSeconds);
  return { kind: 'sent' };
}

import * as v from 'valibot';
import { expect, test } from 'vitest';
import { RefusedCall } from '#lib/channels/telegram/refused-call.ts';
import { outcomeOf } from '#lib/channels/telegram/user.ts';
import { shifted, timestamp } from '#lib/core/clock.ts';
import { Jobs, type StoredJob } from '#lib/entities/job.ts';
import { abandoned, after } from '#lib/messages/jobs/after.ts';
import { lengthen, waitFor } from '#lib/messages/jobs/outcomes.ts';
import type { Outcome } from '#lib/messages/jobs/sender.ts';

const now = timestamp();
const queued: StoredJob = v.parse(Jobs.schema, {
  id: 1,
  accountId: null,
  status: 'queued',
  runAt: now,
  createdAt: now,
  updatedAt: null,
  lastError: null,
  channel: 'email',
  contactId: null,
  recipient: 'anna@example.com',
  textPreview: 'Hi',
  attempts: 0,
  maxAttempts: 5,
  source: 'panel',
  sequenceId: null,
  apiKeyId: null,
  completedAt: null,
  target: {},
  text: null,
  messageId: 1,
  enrollmentId: null,
  isHeld: false,
  queuedFor: now,
  floodWaits: 0,
  claimedUntil: null,
});

const mayHaveLeft: Outcome = { kind: 'failed-for-now', error: 'no answer', mayHaveLeft: true };
const stayed: Record<string, Outcome> = {
  throttled: { kind: 'throttled', error: 'slower' },
  refused: { kind: 'refused', error: 'not allowed' },
  'failed-for-now': { kind: 'failed-for-now', error: 'no connection' },
  'not-yet': { kind: 'not-yet', until: shifted(now, 1000) },
  wait: { kind: 'wait', untilMs: Date.parse(now) + 1000, waitSeconds: 1 },
  lost: { kind: 'lost', state: 'disconnected' },
};

/** What happens when one attempt after the other ends so; `died`: nobody writes how. Returns the job and how often it may have left. */
function tried(maxRepeats: number, outcomes: readonly (Outcome | 'died')[]) {
  let job = queued;
  let left = 0;
  for (const outcome of outcomes) {
    // As `claimJob` does.
    job = { ...job, attempts: job.attempts + 1, unsettledAttempts: job.unsettledAttempts + 1 };
    const given = abandoned(job, maxRepeats);
    if (given === undefined && (outcome === 'died' || outcome === mayHaveLeft)) left += 1;
    if (given !== undefined || outcome !== 'died') job = after(now, job, given ?? (outcome as Outcome));
    if (job.status !== 'queued') break;
  }
  return { job, left };
}

test.each(Object.keys(stayed))('attempts with an unknown outcome still count after `%s`', (kind) => {
  const between = stayed[kind] as Outcome;
  for (const unknown of [mayHaveLeft, 'died'] as const) {
    for (const maxRepeats of [0, 1]) {
      const outcomes = Array.from({ length: 10 }, () => [unknown, between]).flat();
      const { job, left } = tried(maxRepeats, outcomes);
      expect({ unknown, maxRepeats, left, status: job.status }).toEqual({
        unknown,
        maxRepeats,
        left: 1 + maxRepeats,
        status: 'failed',
      });
    }
  }
});

test('attempts that certainly sent nothing do not count as repetitions', () => {
  const { job } = tried(1, [...Object.values(stayed), mayHaveLeft, ...Object.values(stayed)]);
  expect(job).toMatchObject({ status: 'queued', attempts: 3, unsettledAttempts: 1 });
  const sent = tried(1, [mayHaveLeft, stayed['throttled'] as Outcome, { kind: 'sent' }]);
  expect(sent.job).toMatchObject({ status: 'sent', attempts: 2 });
});

test('a refusal of the deployment counts no attempt, waits about a day and keeps its reason', () => {
  const refused = stayed['refused'] as Outcome;
  let job = { ...queued, attempts: 1 };
  let waitedMs = 0;
  for (;;) {
    job = after(now, { ...job, attempts: 1 }, refused);
    if (job.status !== 'queued') break;
    expect(job).toMatchObject({ attempts: 0, lastError: 'not allowed' });
    waitedMs += Date.parse(job.queuedFor) - Date.parse(now);
  }
  expect(job).toMatchObject({ status: 'failed', lastError: expect.stringContaining('not allowed') });
  expect(waitedMs / 3_600_000).toBeGreaterThan(16);
  expect(waitedMs / 3_600_000).toBeLessThan(34);
});

test('an end tells whether something may have left before it', () => {
  const failing = stayed['failed-for-now'] as Outcome;
  const endOf = (last: Outcome) => tried(1, [failing, failing, failing, failing, last]).job;
  expect(endOf(mayHaveLeft)).toMatchObject({ status: 'failed', attempts: 5, unsettledAttempts: 1 });
  expect(endOf(failing)).toMatchObject({ status: 'failed', attempts: 5, unsettledAttempts: 0 });
});

test.each([
  ['FLOOD_WAIT_700000', 'wait', 700_000],
  ['FLOOD_PREMIUM_WAIT_2592000', 'wait', 2_592_000],
  ['SLOWMODE_WAIT_1000000', 'not-yet', 1_000_000],
])('a wait of more than a week is never shortened: %s', (message, kind, seconds) => {
  const outcome = outcomeOf(new RefusedCall(420, message));
  expect(outcome.kind).toBe(kind);
  const untilMs = outcome.kind === 'wait' ? outcome.untilMs : Date.parse((outcome as { until: string }).until);
  expect(untilMs).toBeGreaterThanOrEqual(Date.parse(now) + seconds * 1000);
});

test('consecutive waits double up to ten minutes, and a longer one that a provider demands is kept', () => {
  const seconds = (demanded: number, floodWaits: number) => lengthen(waitFor(demanded), { floodWaits });
  expect([0, 1, 5, 9, 10, 5000].map((waits) => seconds(0, waits))).toEqual(
    [1, 2, 32, 512, 600, 600].map((waitSeconds) => expect.objectContaining({ kind: 'wait', waitSeconds })),
  );
  expect(seconds(3600, 5000)).toMatchObject({ waitSeconds: 3600 });
  expect(lengthen({ kind: 'sent' }, { floodWaits: 9 })).toEqual({ kind: 'sent' });
});

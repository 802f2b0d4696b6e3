import { beforeAll, expect, test } from 'vitest';
import { fromNow, minuteMs, now } from '#lib/core/clock.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Jobs } from '#lib/entities/job.ts';
import { claimJob } from '#lib/messages/jobs/queue.ts';
import { createJob } from '#lib/messages/jobs/store.ts';
import { transact } from '#lib/table/transact.ts';
import { newAccount } from '#test/telegram/line.ts';
import { newWorkspace } from '#test/workspace.ts';

let tenant: Tenant;
let accountId: number;
beforeAll(async () => {
  tenant = { workspaceId: (await newWorkspace()).id, env: 'live' };
  accountId = (await newAccount(tenant)).id;
});

/** Nothing sends it: senders run when the test says so. */
const newJob = (change: object = {}) =>
  transact(tenant, operator, async (tx) => {
    const target = { recipient: '1', target: { telegramUserId: 1 }, text: 'Hi', source: 'panel' } as const;
    const job = await createJob(tx, { channel: 'telegram', accountId, contactId: null, ...target });
    return tx.update(Jobs, { ...job, ...change });
  });
test('one of twenty senders claims a job, and no other until its lease ends', async () => {
  const { id } = await newJob();
  const untilMs = now() + minuteMs;
  const claimed = await Promise.all(Array.from({ length: 20 }, () => claimJob(tenant, id, untilMs)));
  expect(claimed.filter((job) => job !== undefined)).toMatchObject([{ id, attempts: 1 }]);
  expect(await claimJob(tenant, id, untilMs)).toBeUndefined();
});

test.each([
  ['is held', { isHeld: true }],
  ['is canceled', { status: 'canceled' as const }],
  ['is due later', { runAt: fromNow(minuteMs), queuedFor: fromNow(minuteMs) }],
])('a job that %s is not claimed', async (_, change) => {
  const { id } = await newJob(change);
  expect(await claimJob(tenant, id, now() + minuteMs)).toBeUndefined();
});

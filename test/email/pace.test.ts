import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { dayMs, secondMs, shifted } from '#lib/clock.ts';
import { maxSenders, turns } from '#lib/email/pace.ts';
import { EmailMessages } from '#lib/entities/email-message.ts';
import { Jobs } from '#lib/entities/job.ts';
import { mailOf } from '#lib/jobs/mail.ts';
import { deliverEmail } from '#lib/sending/mail.ts';
import { transact } from '#lib/table/transact.ts';
import { operator, type Tenant } from '#lib/tenant.ts';
import { receiveIn } from '#test/email/raw.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let live: Tenant;
beforeAll(async () => {
  workspace = await newWorkspace();
  live = { workspaceId: workspace.id, env: 'live' };
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** A reply that only this process may send: it is due, but no other is told before tomorrow. */
async function newReply(copies: { cc?: string[]; bcc?: string[] } = {}): Promise<number> {
  const { threadId } = await receiveIn(workspace)({});
  const reply = { bodyText: 'Hello', ...copies, runAt: shifted(new Date(), dayMs) };
  const { body } = await workspace.live.post(`/v1/email/threads/${threadId}/replies`, reply);
  await makeDue(body.id);
  return body.id;
}

const makeDue = (id: number) =>
  transact(live, operator, async (tx) => {
    const job = await tx.get(Jobs, { id });
    tx.update(Jobs, { ...job, runAt: shifted(tx.now, dayMs), queuedFor: tx.now });
  });

const twenty = (name: string) => Array.from({ length: 20 }, (_, n) => `${name}${n}@example.com`);

/** A mail to more than there may be, which no call makes. */
const addressCrowd = (jobId: number) =>
  transact(live, operator, async (tx) => {
    const mail = await mailOf(tx, await tx.get(Jobs, { id: jobId }));
    tx.update(EmailMessages, {
      ...mail,
      cc: twenty('a').map(nameless),
      bcc: [...twenty('b'), ...twenty('c')].map(nameless),
    });
  });
const nameless = (email: string) => ({ name: null, email });

const jobOf = async (id: number) => (await workspace.live.get(`/v1/jobs/${id}`)).body;

test('a mail to more than a mail goes to fails by itself: it takes none of the turns that all others wait for', async () => {
  const crowd = await newReply();
  const next = await newReply();
  await addressCrowd(crowd);
  await deliverEmail(live, crowd);
  expect(await jobOf(crowd)).toMatchObject({
    status: 'failed',
    attempts: 1,
    lastError: 'a mail goes to at most 50 addresses, copies included',
  });
  const nowMs = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => nowMs);
  await deliverEmail(live, next);
  expect(await jobOf(next)).toMatchObject({ status: 'sent', attempts: 1 });
});

test('a mail takes as many turns as it has recipients; one for which no invocation can wait is put off, without an attempt', async () => {
  // Of which this process has the half.
  vi.stubEnv('EMAILS_PER_SECOND', '1');
  const toMany = await newReply({ cc: twenty('copy'), bcc: twenty('hidden') });
  const next = await newReply();
  const startMs = Date.now();
  await deliverEmail(live, toMany);
  expect(await jobOf(toMany)).toMatchObject({ status: 'sent', attempts: 1 });
  await deliverEmail(live, next);
  const { runAt, ...job } = await jobOf(next);
  expect(job).toMatchObject({ status: 'queued', attempts: 0, lastError: null });
  const turnsMs = 41 * 2 * secondMs;
  expect(Date.parse(runAt)).toBeGreaterThanOrEqual(startMs + turnsMs - secondMs);

  const now = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => now() + turnsMs);
  await makeDue(next);
  await deliverEmail(live, next);
  expect(await jobOf(next)).toMatchObject({ status: 'sent', attempts: 1 });
});

test('a workspace whose mails take many turns leaves one for a neighbour, who is not put off behind them', async () => {
  // A mail to fifty then takes six seconds of this process.
  vi.stubEnv('EMAILS_PER_SECOND', String((50 * maxSenders) / 6));
  const now = Date.now.bind(Date);
  // Whatever other tests have taken is over.
  vi.spyOn(Date, 'now').mockImplementation(() => now() + dayMs);
  const neighbour: Tenant = { workspaceId: live.workspaceId + 1, env: 'live' };
  expect(await turns(live, 50)).toBe(0);
  const further = turns(live, 50);
  expect(await turns(live, 50)).toBeGreaterThan(11 * secondMs);
  expect(await Promise.race([turns(neighbour, 1), sleep(100, 'waits for its turn')])).toBe('waits for its turn');
  expect(await turns(neighbour, 1)).toBeGreaterThan(11 * secondMs);
  expect(await further).toBe(0);
});

import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Clock, hourMs, now, secondMs, setClock } from '#lib/core/clock.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { maxSenders, takePace } from '#lib/email/pace.ts';
import { EmailMessages } from '#lib/entities/email-message.ts';
import { Jobs } from '#lib/entities/job.ts';
import { mailOf } from '#lib/messages/jobs/mail.ts';
import { transact } from '#lib/table/transact.ts';
import { deliverEmail } from '#lib/transport/sending/mail.ts';
import { newReply, twenty } from '#test/email/due-reply.ts';
import type { World } from '#test/harness/world.ts';
import { world } from '#test/harness.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let live: Tenant;
beforeAll(async () => {
  workspace = await newWorkspace();
  live = { workspaceId: workspace.id, env: 'live' };
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

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

test('a mail to more than a mail goes to fails without taking any of the pace', async () => {
  const crowd = await newReply(workspace);
  const next = await newReply(workspace);
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

test('a workspace whose mails take long does not put off its neighbor', async () => {
  // As in a process that has sent nothing.
  const { takePace }: typeof import('#lib/email/pace.ts') = await import(`#lib/email/pace.ts?${Date.now()}`);
  // A mail to fifty then takes six seconds of this process.
  vi.stubEnv('EMAILS_PER_SECOND', String((50 * maxSenders) / 6));
  const neighbour: Tenant = { workspaceId: live.workspaceId + 1, env: 'live' };
  expect(await takePace(live, 50)).toBe(0);
  const further = takePace(live, 50);
  expect(await takePace(live, 50)).toBeGreaterThan(11 * secondMs);
  const startMs = now();
  const waited = takePace(neighbour, 1).then((ms) => [ms, now() - startMs]);
  expect(await takePace(neighbour, 1)).toBeGreaterThan(11 * secondMs);
  expect(await waited).toEqual([0, expect.toSatisfy((ms: number) => ms > 11 * secondMs)]);
  expect(await further).toBe(0);
});

test('a mail does not wait for the time that the clock had before it was set back', async () => {
  const { clock } = world() as World;
  const ahead: Clock = {
    now: () => clock.now() + hourMs,
    sleep: (...of) => clock.sleep(...of),
    after: (...of) => clock.after(...of),
  };
  setClock(ahead);
  try {
    expect(await takePace(live, 1)).toBe(0);
  } finally {
    setClock(clock);
  }
  expect(await takePace(live, 1)).toBe(0);
});

import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { secondMs } from '#lib/core/clock.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { deliverEmail } from '#lib/transport/sending/mail.ts';
import { makeDue, newReply, twenty } from '#test/email/due-reply.ts';
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

const jobOf = async (id: number) => (await workspace.live.get(`/v1/jobs/${id}`)).body;

test('a mail takes one turn per recipient, and one that cannot wait is put off without an attempt', async () => {
  // Of which this process has the half.
  vi.stubEnv('EMAILS_PER_SECOND', '1');
  const toMany = await newReply(workspace, { cc: twenty('copy'), bcc: twenty('hidden') });
  const next = await newReply(workspace);
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
  await makeDue(live, next);
  await deliverEmail(live, next);
  expect(await jobOf(next)).toMatchObject({ status: 'sent', attempts: 1 });
});

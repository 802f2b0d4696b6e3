import { dayMs, fromNow, shifted } from '#lib/core/clock.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Jobs } from '#lib/entities/job.ts';
import { transact } from '#lib/table/transact.ts';
import { receiveIn } from '#test/email/raw.ts';
import type { TestWorkspace } from '#test/workspace.ts';

export const twenty = (name: string) => Array.from({ length: 20 }, (_, n) => `${name}${n}@example.com`);

/** A reply that only this process may send: it is due, but no other is told before tomorrow. */
export async function newReply(
  workspace: TestWorkspace,
  copies: { cc?: string[]; bcc?: string[] } = {},
): Promise<number> {
  const { threadId } = await receiveIn(workspace)({});
  const reply = { bodyText: 'Hello', ...copies, runAt: fromNow(dayMs) };
  const { body } = await workspace.live.post(`/v1/email/threads/${threadId}/replies`, reply, 202);
  await makeDue({ workspaceId: workspace.id, env: 'live' }, body.id);
  return body.id;
}

export const makeDue = (tenant: Tenant, id: number) =>
  transact(tenant, operator, async (tx) => {
    const job = await tx.get(Jobs, { id });
    tx.update(Jobs, { ...job, runAt: shifted(tx.now, dayMs), queuedFor: tx.now });
  });

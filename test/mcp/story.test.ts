import { expect, test } from 'vitest';
import { operator, system, type Tenant } from '#lib/core/tenant.ts';
import { createAccount } from '#lib/messages/accounts/store.ts';
import { transact } from '#lib/table/transact.ts';
import { receiveMessage } from '#lib/transport/receiving/message.ts';
import { eventually } from '#test/client.ts';
import { mcp } from '#test/mcp/client.ts';
import { newWorkspace } from '#test/workspace.ts';

/** What happens outside: an account is connected, and somebody writes to it. */
async function aLeadWrites(tenant: Tenant) {
  const { id: accountId } = await transact(tenant, operator, (tx) =>
    createAccount(tx, {
      channel: 'telegram',
      kind: 'bot',
      name: 'Sales',
      username: null,
      dailyLimit: 100,
      secret: '1:token',
    }),
  );
  const from = { telegramUserId: 4242, username: 'grace', name: 'Grace Hopper' };
  const body = 'Hello, what does the compiler cost?';
  await transact(tenant, system, (tx) =>
    receiveMessage(tx, { channel: 'telegram', accountId, from, body, threadId: null }),
  );
}

test('an agent finds a lead, reads, notes, answers tomorrow and moves the deal through MCP alone', async () => {
  const workspace = await newWorkspace();
  await aLeadWrites({ workspaceId: workspace.id, env: 'test' });
  const { list, value, call } = mcp(workspace.testKey);
  expect((await list()).map(({ name }) => name)).toContain('contacts_search');

  const { items: leads } = await value('contacts_search', { q: 'grace', hasUnread: true, fields: 'name,stage' });
  expect(leads).toEqual([{ id: expect.any(Number), name: 'Grace Hopper', stage: 'new' }]);
  const contactId = leads[0].id as number;

  const read = await value('contacts_get', { id: contactId, include: ['messages'] });
  expect(read.messages.items.map(({ direction, body }: Record<string, unknown>) => [direction, body])).toEqual([
    ['inbound', 'Hello, what does the compiler cost?'],
  ]);

  const deal = await value('deals_create', { title: 'Compiler', contactId, value: 5000 });
  const updated = await value('contacts_update', {
    id: contactId,
    stage: 'engaged',
    leadScore: 80,
    addTags: ['price'],
    note: 'Asked for the price of the compiler',
  });
  expect([updated.stage, updated.leadScore, updated.tags[0].name, updated.note.text]).toEqual([
    'engaged',
    80,
    'price',
    'Asked for the price of the compiler',
  ]);

  const { items: accounts } = await value('workspace_get', { part: 'telegram_accounts' });
  const later = new Date(Date.now() + 24 * 3600 * 1000).toISOString();
  const message = { accountId: accounts[0].id, contactId, text: 'It costs 5000. Shall we talk?', runAt: later };
  const job = await value('telegram_send', { ...message, idempotencyKey: 'offer' });
  expect([job.status, job.runAt.slice(0, 16)]).toEqual(['queued', later.slice(0, 16)]);
  expect(await value('telegram_send', { ...message, idempotencyKey: 'offer' })).toEqual(job);
  const { items: jobs } = await value('jobs_search', { view: 'jobs', contactId });
  expect(jobs.map(({ id, source }: Record<string, unknown>) => [id, source])).toEqual([[job.id, 'api']]);

  const moved = await value('deals_update', { id: deal.id, stage: 'proposal' });
  expect([moved.stage, moved.probability]).toEqual(['Proposal', 50]);
  const task = await value('tasks_create', { title: 'Call Grace', dealId: deal.id, dueAt: later });
  expect((await value('deals_get', { id: deal.id })).tasks).toEqual([expect.objectContaining({ id: task.id })]);

  const { value: refused, isError } = await call('deals_update', { id: deal.id, stage: 'won' });
  expect([isError, refused.details.reason]).toEqual([true, 'won_is_panel_only']);

  const canceled = await value('messages_cancel', { action: 'cancel_telegram', id: job.id });
  expect([canceled.status, canceled.lastError]).toEqual(['failed', 'canceled']);
  const now = await value('telegram_send', { ...message, runAt: undefined });
  await eventually(async () => {
    const { status } = await value('jobs_search', { view: 'telegram', id: now.id });
    return status === 'sent';
  }, 'the message to be sent');
});

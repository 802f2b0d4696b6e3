import { Webhook } from 'standardwebhooks';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { commands as deals } from '#infra/admin/commands/deal.ts';
import { commands as invoices } from '#infra/admin/commands/invoice.ts';
import { commands as messages } from '#infra/admin/commands/message.ts';
import { commands as accounts } from '#infra/admin/commands/telegram-account.ts';
import { now } from '#lib/core/clock.ts';
import { type Answer, type Client, eventually } from '#test/client.ts';
import { receiveIn } from '#test/email/raw.ts';
import { rowsOffMap } from '#test/rows.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace } from '#test/workspace.ts';

interface Command<Printed> {
  input: v.GenericSchema;
  // biome-ignore lint/suspicious/noExplicitAny: each command has an input of its own.
  run: (input: any) => Promise<Printed>;
}

const hourMs = 3600 * 1000;
const inHours = (hours: number) => new Date(now() + hours * hourMs).toISOString();

/** The body of an answer that must have this status. */
async function answered(status: number, answer: Promise<Answer>): Promise<Answer['body']> {
  const { status: actual, body } = await answer;
  expect([actual, actual === status ? '' : body]).toEqual([status, '']);
  return body;
}

const untilSent = (client: Client, jobId: number) =>
  eventually(async () => (await client.get(`/v1/jobs/${jobId}`)).body.status === 'sent', `job ${jobId} to be sent`);

const names = (items: { name: string }[]) => items.map(({ name }) => name);

test('a lead goes from its first message to a paid invoice, with correct numbers and webhooks', async () => {
  const workspace = await newWorkspace('EUR');
  const crm = workspace.test;
  const tenant = { workspaceId: workspace.id, env: 'test' } as const;
  const panel = <Printed>({ input, run }: Command<Printed>, fields: object) =>
    run(v.parse(input, { ...tenant, ...fields }));
  await using receiver = await startReceiver();

  const { secret } = await answered(201, crm.post('/v1/webhooks', { url: `${receiver.url}/crm` }));
  const registered = (await answered(200, crm.get('/v1/events'))).nextCursor ?? 0;

  // Nine o'clock: somebody writes to the bot.
  const bot = await panel(accounts.create, { kind: 'bot', name: 'Sales', botToken: '1:token' });
  const grace = { telegramUserId: 4242, username: 'grace', name: 'Grace Hopper' };
  const write = (body: string) =>
    panel(messages.receive, { channel: 'telegram', accountId: bot.id, from: grace, body });
  await write('Hello, what does the compiler cost?');
  const unread = await answered(200, crm.get('/v1/contacts', { hasUnread: true }));
  expect(names(unread.items)).toEqual(['Grace Hopper']);
  const contact = `/v1/contacts/${unread.items[0].id}`;
  const contactId = unread.items[0].id as number;

  // She is somebody to care for.
  expect(names(await answered(200, crm.post(`${contact}/tags`, { tagName: 'Hot' })))).toEqual(['Hot']);
  await answered(200, crm.post(`${contact}/stage`, { stage: 'engaged' }));
  await answered(200, crm.post(`${contact}/assignee`, { userId: workspace.memberId }));
  await answered(200, crm.patch(contact, { email: 'grace@navy.example', company: 'Navy' }));
  await answered(201, crm.post(`${contact}/activities`, { text: 'Asks for the price of the compiler.' }));

  // She is answered, and writes back.
  const offer = { accountId: bot.id, contactId, text: 'It costs 4900. Shall we talk?' };
  const job = await answered(202, crm.post('/v1/telegram/messages', offer, { 'idempotency-key': 'offer' }));
  expect(await answered(202, crm.post('/v1/telegram/messages', offer, { 'idempotency-key': 'offer' }))).toEqual(job);
  await untilSent(crm, job.id);
  await write('Yes, tomorrow.');
  const conversation = await answered(200, crm.get(`${contact}/messages`));
  expect(conversation.items.map(({ direction, body }: Record<string, unknown>) => [direction, body])).toEqual([
    ['inbound', 'Yes, tomorrow.'],
    ['outbound', 'It costs 4900. Shall we talk?'],
    ['inbound', 'Hello, what does the compiler cost?'],
  ]);

  // That is a deal, and there is something to do.
  const { id: dealId } = await answered(201, crm.post('/v1/deals', { title: 'Compiler', contactId, value: 4900 }));
  const deal = `/v1/deals/${dealId}`;
  const [call] = await Promise.all(
    ['Call Grace', 'Send the contract'].map((title) =>
      answered(201, crm.post('/v1/tasks', { title, dealId, dueAt: inHours(24), priority: 'high' })),
    ),
  );
  expect([call.contactId, (await answered(200, crm.get(deal))).openTaskCount]).toEqual([contactId, 2]);
  await answered(200, crm.post(`/v1/tasks/${call.id}/status`, { status: 'done' }));
  expect((await answered(200, crm.get(deal))).openTaskCount).toBe(1);
  await answered(200, crm.post(`${deal}/stage`, { stage: 'negotiation' }));
  await answered(400, crm.post(`${deal}/stage`, { stage: 'won' }));
  expect((await panel(deals.win, { id: dealId })).stage).toBe('Won');

  // The invoice for the training is paid.
  const invoice = await panel(invoices.create, {
    contactId,
    invoiceNumber: 'I-1',
    status: 'sent',
    currency: 'EUR',
    total: 1190.5,
    issueDate: inHours(-24),
    dueDate: inHours(240),
  });
  const { outstanding } = await answered(200, crm.get('/v1/finance/invoices'));
  expect(outstanding).toEqual([{ currency: 'EUR', count: 1, total: 1190.5 }]);
  const paid = await answered(200, crm.post(`/v1/finance/invoices/${invoice.id}/paid`, {}));
  expect(paid.status).toBe('paid');
  expect((await answered(200, crm.get('/v1/finance/invoices'))).outstanding).toEqual([]);

  // In the afternoon she sends a mail.
  const { threadId } = await receiveIn(
    workspace,
    'test',
  )({ from: 'Grace <grace@navy.example>', subject: 'The contract' });
  const thread = await answered(200, crm.get(`/v1/email/threads/${threadId}`));
  expect([thread.contactId, thread.status, thread.unreadCount]).toEqual([contactId, 'open', 1]);
  const reply = await answered(202, crm.post(`/v1/email/threads/${threadId}/replies`, { bodyText: 'Here it is.' }));
  await untilSent(crm, reply.id);
  await answered(200, crm.post(`/v1/email/threads/${threadId}/status`, { status: 'closed' }));

  // The week's numbers.
  const dashboard = await answered(200, crm.get('/v1/analytics/dashboard', { from: inHours(-7 * 24) }));
  expect(dashboard).toMatchObject({
    contacts: { total: 1, new: 1, withUnread: 1 },
    messages: { sent: 2, received: 3, failed: 0, replyRate: 1 },
    deals: {
      open: 0,
      won: 1,
      lost: 0,
      winRate: 1,
      openValue: [],
      weightedValue: [],
      wonValue: [{ currency: 'EUR', total: 4900 }],
    },
    tasks: { open: 1, overdue: 0, completed: 1 },
    email: { openThreads: 0 },
  });
  const { totals } = await answered(200, crm.get('/v1/analytics/messaging', { from: inHours(-7 * 24) }));
  expect(totals).toEqual({ queued: 0, sent: 2, failed: 0, received: 3, uniqueContacts: 1, replyRate: 1 });
  const summary = await answered(200, crm.get('/v1/finance/summary', { from: inHours(-7 * 24) }));
  expect(summary.totals).toEqual([{ currency: 'EUR', income: 6090.5, expense: 0, net: 6090.5 }]);

  // Everything that happened was told, once each, by deliveries that verify.
  const feed = await answered(200, crm.get('/v1/events', { since: registered, limit: 100 }));
  expect([...new Set(feed.items.map(({ event }: { event: string }) => event))].sort()).toEqual([
    'contact.created',
    'contact.note_added',
    'contact.updated',
    'deal.column_changed',
    'deal.created',
    'deal.stage_changed',
    'email.thread_updated',
    'invoice.paid',
    'job.completed',
    'message.created',
    'task.created',
    'task.status_changed',
    'transaction.created',
  ]);
  await eventually(async () => receiver.received.length >= feed.items.length, 'every event to be delivered', 60_000);
  const told = receiver.received
    .map(({ text, headers }) => new Webhook(secret).verify(text, headers as Record<string, string>))
    .sort((a, b) => (a as { sequence: number }).sequence - (b as { sequence: number }).sequence);
  expect(told).toEqual(feed.items);
  expect(await rowsOffMap(workspace.id)).toEqual([]);
});

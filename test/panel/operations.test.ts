import { beforeAll, expect, test } from 'vitest';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { createAccount } from '#lib/messages/accounts/store.ts';
import { transact } from '#lib/table/transact.ts';
import { eventually, everyItem } from '#test/client.ts';
import { newAddress, type Signed, signedIn } from '#test/panel/member.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let owner: Signed;
let accountId: number;
let contactId: number;
beforeAll(async () => {
  workspace = await newWorkspace();
  owner = await signedIn(workspace.id);
  const sandbox: Tenant = { workspaceId: workspace.id, env: 'test' };
  const account = {
    channel: 'telegram',
    kind: 'bot',
    name: 'Bot',
    username: null,
    dailyLimit: 10,
    secret: '1:a',
  } as const;
  ({ id: accountId } = await transact(sandbox, operator, (tx) => createAccount(tx, account)));
  ({ id: contactId } = (await sandboxed().post('/v1/contacts', { name: 'Ann', username: 'ann' })).body);
});

/** Nothing leaves it. */
const sandboxed = () => owner.in({ env: 'test' });

const refusal = ({ status, body }: { status: number; body: { details: unknown } }) => [status, body.details];

test('a change of a member names the beginning of the ids of its events', async () => {
  const { body, headers } = await owner.post('/v1/contacts', { name: 'Event' });
  const prefix = headers['x-events'] ?? '';
  expect(prefix).toMatch(/^evt_[0-9a-f]{32}$/);
  const { items } = (await owner.get('/v1/events?eventKind=contact.created&limit=100')).body;
  const own = items.find(({ data }: { data: { contact_id: string } }) => data.contact_id === String(body.id));
  expect(own.id.startsWith(prefix)).toBe(true);
});

test('a deal is won once, and its income booked', async () => {
  const { body: deal } = await owner.post('/v1/deals', { title: 'Ten seats', value: 900, currency: 'EUR' });
  for (let time = 0; time < 2; time += 1) {
    const won = await owner.post(`/panel/deals/${deal.id}/win`, {});
    expect([won.status, won.body]).toMatchObject([200, { id: deal.id, stage: 'Won', tasks: [] }]);
  }
  const booked = await everyItem(owner, '/v1/finance/transactions');
  expect(booked.filter(({ dealId }) => dealId === deal.id)).toMatchObject([{ amount: 900, source: 'deal' }]);
  const stale = await owner.post(`/panel/deals/${deal.id}/win`, {}, { 'if-match': '"old"' });
  expect([stale.status, (await owner.post('/panel/deals/999999/win', {})).status]).toEqual([412, 404]);
});

test('an invoice is a draft, then sent, and owed until it is canceled', async () => {
  const { body: buyer } = await owner.post('/v1/contacts', { name: 'Buyer' });
  const invoice = {
    contactId: buyer.id,
    invoiceNumber: 'A-1',
    currency: 'CHF',
    total: 120,
    issueDate: '2026-01-02',
    dueDate: '2999-01-02',
  };
  const made = await owner.post('/panel/invoices', invoice);
  expect([made.status, made.body.status, made.headers['location']]).toEqual([
    201,
    'draft',
    `/v1/finance/invoices/${made.body.id}`,
  ]);
  const owed = async () => (await owner.get('/v1/finance/invoices')).body.outstanding;
  expect(await owed()).toEqual([]);
  const path = `/panel/invoices/${made.body.id}`;
  expect((await owner.post(`${path}/send`, {})).body.status).toBe('sent');
  expect(await owed()).toEqual([{ currency: 'CHF', count: 1, total: 120 }]);
  expect(refusal(await owner.post(`${path}/send`, {}))).toEqual([
    409,
    { ...because('invoice_not_sendable'), status: 'sent' },
  ]);
  expect((await owner.post(`${path}/cancel`, {})).body.status).toBe('canceled');
  expect(await owed()).toEqual([]);
  for (const [verb, reason] of [
    ['cancel', 'invoice_not_cancelable'],
    ['send', 'invoice_not_sendable'],
  ] as const)
    expect(refusal(await owner.post(`${path}/${verb}`, {}))).toEqual([409, { ...because(reason), status: 'canceled' }]);
  const late = (await owner.post('/panel/invoices', { ...invoice, status: 'sent', dueDate: '2026-01-03' })).body;
  await eventually(
    async () => (await owner.get(`/v1/finance/invoices/${late.id}`)).body.status === 'overdue',
    'the due date',
  );
  const paid = (await owner.post('/panel/invoices', { ...invoice, status: 'sent' })).body;
  await owner.post(`/v1/finance/invoices/${paid.id}/paid`, {}, 200);
  expect(refusal(await owner.post(`/panel/invoices/${paid.id}/cancel`, {}))).toEqual([
    409,
    { ...because('invoice_not_cancelable'), status: 'paid' },
  ]);
  expect((await owner.post(`/panel/invoices/${late.id}/cancel`, {})).body.status).toBe('canceled');
  const unknown = await owner.post('/panel/invoices', { ...invoice, contactId: 999_999 });
  expect([unknown.status, unknown.body.details.fields[0].field]).toEqual([400, 'contactId']);
});

test('a sequence is drafted, changed and activated, and its contacts then begin', async () => {
  const client = sandboxed();
  const draft = {
    name: 'Draft',
    channel: 'telegram',
    accountId,
    status: 'draft',
    steps: [{ delayMinutes: 9000, text: 'One' }],
  };
  const made = await client.post('/panel/sequences', draft);
  expect([made.status, made.body.status, made.body.startedAt]).toEqual([201, 'draft', null]);
  const path = `/panel/sequences/${made.body.id}`;
  const enrolled = await client.post(`${path}/enroll`, { contactId });
  expect([enrolled.status, enrolled.body.status]).toEqual([201, 'active']);
  expect(refusal(await client.post(`${path}/enroll`, { contactId }))).toEqual([409, because('already_enrolled')]);
  const changed = await client.patch(path, {
    name: 'Better',
    steps: [
      { delayMinutes: 0, text: 'Hello' },
      { delayMinutes: 9000, text: 'Two' },
    ],
  });
  expect([changed.status, changed.body.name, changed.body.stepCount]).toEqual([200, 'Better', 2]);
  const wrong = await client.patch(path, { accountId: 999_999 });
  expect([wrong.status, wrong.body.details.fields[0].field]).toEqual([400, 'accountId']);
  expect(await everyItem(client, '/v1/jobs')).toEqual([]);
  const active = await client.post(`${path}/activate`, {});
  expect([active.status, active.body.status, typeof active.body.startedAt]).toEqual([200, 'active', 'string']);
  const job = await eventually(async () => (await everyItem(client, '/v1/jobs'))[0], 'the first step');
  expect(job).toMatchObject({ source: 'sequence', sequenceId: made.body.id });
  for (const late of [await client.patch(path, { name: 'Late' }), await client.post(`${path}/activate`, {})])
    expect(refusal(late)).toEqual([409, { ...because('sequence_not_draft'), status: 'active' }]);
  const event = await eventually(
    async () => (await client.get('/v1/events', { eventKind: 'sequence.status_changed' })).body.items[0],
    'its event',
  );
  expect(event.data).toMatchObject({
    from_status: 'draft',
    to_status: 'active',
    actor: { type: 'user', id: String(owner.memberId) },
  });
});

test('an agent is made and changed', async () => {
  const made = await owner.post('/panel/agents', {
    name: 'Qualifier',
    instructions: 'Be brief.',
    model: 'm',
    channels: ['Telegram'],
  });
  expect([made.status, made.body]).toMatchObject([
    201,
    { status: 'active', handoffEnabled: true, language: null, updatedAt: null },
  ]);
  const path = `/panel/agents/${made.body.id}`;
  const same = await owner.patch(path, { name: 'Qualifier' });
  expect(same.body).toEqual(made.body);
  const changed = await owner.patch(path, { status: 'disabled', instructions: 'Be kind.', language: 'de' });
  expect(changed.body).toEqual({
    ...made.body,
    status: 'disabled',
    instructions: 'Be kind.',
    language: 'de',
    updatedAt: expect.any(String),
  });
  expect((await owner.get(`/v1/agents/${made.body.id}`)).body).toEqual(changed.body);
  await owner.patch('/panel/agents/999999', {}, 404);
});

test('a revenue source is created, paused and reconnected without showing its credential', async () => {
  const secret = newAddress();
  const feed = {
    name: 'Shop',
    mode: 'push',
    feedUrl: 'https://shop.example/feed',
    defaultCurrency: 'EUR',
    pullIntervalMinutes: 60,
  };
  const made = await owner.post('/panel/revenue-sources', { ...feed, credential: secret });
  expect([made.status, made.body.isActive]).toEqual([201, true]);
  const path = `/panel/revenue-sources/${made.body.id}`;
  const paused = await owner.post(`${path}/pause`, {});
  expect([paused.status, paused.body.isActive, paused.body.nextRunAt]).toEqual([200, false, null]);
  const again = await owner.post(`${path}/connect`, { credential: secret });
  expect([again.status, again.body.isActive]).toEqual([200, true]);
  const { body } = await owner.get('/v1/finance/revenue-sources');
  expect(JSON.stringify([made.body, paused.body, again.body, body])).not.toContain(secret);
  await owner.post('/panel/revenue-sources/999999/pause', {}, 404);
});

test('an Idempotency-Key creates an agent once from the panel', async () => {
  const headers = { 'idempotency-key': 'agent' };
  const agent = { name: 'Once', instructions: 'Be brief.', model: 'm', channels: ['email'] };
  const [one, two] = [
    await owner.post('/panel/agents', agent, headers),
    await owner.post('/panel/agents', agent, headers),
  ];
  expect([two.body.id, two.headers['idempotency-replayed']]).toEqual([one.body.id, 'true']);
});

test('the last day of a webhook endpoint is shown to members', async () => {
  const { body: endpoint } = await owner.post('/v1/webhooks', { url: 'https://example.com/hook' });
  const { items } = (await owner.get('/panel/webhooks/days')).body;
  expect(items).toMatchObject([{ endpointId: endpoint.id, succeeded: 0, failed: 0, p95Ms: null }]);
  expect(items[0].hours).toHaveLength(24);
});

import * as v from 'valibot';
import { beforeAll, expect, test, vi } from 'vitest';
import { commands } from '#infra/admin/commands/invoice.ts';
import { fromNow, hourMs } from '#lib/core/clock.ts';
import { system, type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { summarise } from '#lib/finance/summary.ts';
import { rowPartition } from '#lib/table/keys.ts';
import { writeRows } from '#lib/table/rows.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { eventually, everyItem } from '#test/client.ts';
import { eventsAbout } from '#test/feed.ts';
import { settle } from '#test/harness.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const inHours = (hours: number) => fromNow(hours * hourMs);

let workspace: TestWorkspace;
let contactId: number;
beforeAll(async () => {
  workspace = await newWorkspace('EUR');
  contactId = (await workspace.live.post('/v1/contacts', { name: 'Ada' })).body.id;
});

const book = (fields: object = {}) =>
  workspace.live.post('/v1/finance/transactions', { type: 'income', amount: 1, currency: 'EUR', ...fields });
const invoice = async (fields: object = {}, place: { id: number } = workspace) => {
  const input = v.parse(commands.create.input, {
    ...{ workspaceId: place.id, env: 'live', contactId, invoiceNumber: 'INV-1', status: 'sent', currency: 'EUR' },
    ...{ total: 12.34, issueDate: '2026-01-01T00:00:00Z', dueDate: inHours(48) },
    ...fields,
  });
  return (await commands.create.run(input)).id;
};

test('a transaction is booked with defaults and shown by id and in the list', async () => {
  const { status, body, headers } = await book({ amount: 0.01, currency: 'usd' });
  expect(status).toBe(201);
  expect(headers['location']).toBe(`/v1/finance/transactions/${body.id}`);
  expect(body).toEqual({
    id: expect.any(Number),
    type: 'income',
    status: 'realized',
    amount: 0.01,
    currency: 'USD',
    category: null,
    description: null,
    contactId: null,
    dealId: null,
    invoiceId: null,
    revenueSourceId: null,
    source: 'api',
    occurredAt: instant,
    createdAt: instant,
  });
  expect((await workspace.live.get(`/v1/finance/transactions/${body.id}`)).body).toEqual(body);
  expect((await workspace.live.get('/v1/finance/transactions')).body.items[0]).toEqual(body);
});

test.each([
  ['type', { type: 'gift' }, 'invalid_enum'],
  ['amount', { amount: 0 }, 'out_of_range'],
  ['amount', { amount: 0.015 }, 'invalid_format'],
  ['amount', { amount: '1' }, 'invalid_type'],
  ['currency', { currency: 'XYZ' }, 'invalid_format'],
  ['status', { status: 'done' }, 'invalid_enum'],
  ['category', { category: 'x'.repeat(65) }, 'too_long'],
  ['description', { description: 'x'.repeat(501) }, 'too_long'],
  ['contactId', { contactId: 999_999 }, 'unknown_reference'],
  ['dealId', { dealId: 999_999 }, 'unknown_reference'],
])('a bad %s is named with its code (case %#)', async (field, fields, code) => {
  const { status, body } = await book(fields);
  expect([status, body.details]).toEqual([400, { fields: [{ field, code, message: expect.any(String) }] }]);
});

test('a sent invoice is paid once: one income, paidAt, and nothing outstanding any more', async () => {
  const id = await invoice();
  const { status, body } = await workspace.live.post(`/v1/finance/invoices/${id}/paid`, {
    paidAt: '2026-02-03T04:05:06+01:00',
  });
  expect(status).toBe(200);
  expect(body).toEqual({
    id,
    invoiceNumber: 'INV-1',
    status: 'paid',
    currency: 'EUR',
    total: 12.34,
    contactId,
    issueDate: '2026-01-01T00:00:00Z',
    dueDate: instant,
    paidAt: '2026-02-03T03:05:06Z',
  });
  expect((await workspace.live.get(`/v1/finance/invoices/${id}`)).body).toEqual(body);
  const again = await workspace.live.post(`/v1/finance/invoices/${id}/paid`, {});
  expect([again.status, again.body.details]).toEqual([409, { ...because('invoice_not_payable'), status: 'paid' }]);
  const income = (await everyItem(workspace.live, '/v1/finance/transactions')).filter(
    ({ invoiceId }) => invoiceId === id,
  );
  expect(income).toEqual([
    expect.objectContaining({
      ...{ type: 'income', status: 'realized', amount: 12.34, currency: 'EUR', contactId, source: 'invoice' },
      occurredAt: '2026-02-03T03:05:06Z',
    }),
  ]);
  expect(await eventsAbout(workspace.id, `invoice/${id}`, 1)).toEqual([
    {
      event: 'invoice.paid',
      data: {
        ...{ invoice_id: String(id), invoice_number: 'INV-1', total: 12.34, currency: 'EUR' },
        ...{ contact_id: String(contactId), paid_at: '2026-02-03T03:05:06Z', transaction_id: String(income[0].id) },
        actor: { type: 'api_key', id: workspace.liveKey.slice(9, 21) },
      },
    },
  ]);
});

test('twenty concurrent payments book one income and answer the others with 409', async () => {
  const id = await invoice();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => workspace.live.post(`/v1/finance/invoices/${id}/paid`)),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)]);
  const all = await everyItem(workspace.live, '/v1/finance/transactions', { contactId });
  expect(all.filter(({ invoiceId }) => invoiceId === id)).toHaveLength(1);
});

test('a draft cannot be paid, nor can an invoice be paid in the future', async () => {
  const draft = await workspace.live.post(`/v1/finance/invoices/${await invoice({ status: 'draft' })}/paid`, {});
  expect([draft.status, draft.body.details]).toEqual([409, { ...because('invoice_not_payable'), status: 'draft' }]);
  const early = await workspace.live.post(`/v1/finance/invoices/${await invoice()}/paid`, { paidAt: inHours(1) });
  expect([early.status, early.body.details.fields]).toEqual([
    400,
    [{ field: 'paidAt', code: 'out_of_range', message: 'paidAt must not be in the future' }],
  ]);
  await workspace.live.post('/v1/finance/invoices/999999/paid', {}, 404);
});

test('a sent invoice becomes overdue automatically after its due date, and can still be paid', async () => {
  const id = await invoice({ dueDate: '2026-03-01' });
  const overdue = await eventually(async () => {
    const { body } = await workspace.live.get(`/v1/finance/invoices/${id}`);
    return body.status === 'overdue' && body;
  }, 'the invoice to become overdue');
  expect(overdue).toMatchObject({ dueDate: '2026-03-01T00:00:00Z', paidAt: null });
  expect((await workspace.live.get('/v1/finance/invoices', { status: 'overdue' })).body.items).toEqual([overdue]);
  expect(await eventsAbout(workspace.id, `invoice/${id}`, 1)).toEqual([
    {
      event: 'invoice.overdue',
      data: {
        ...{ invoice_id: String(id), invoice_number: 'INV-1', total: 12.34, currency: 'EUR' },
        ...{ contact_id: String(contactId), due_date: '2026-03-01T00:00:00Z' },
      },
    },
  ]);
  expect((await workspace.live.post(`/v1/finance/invoices/${id}/paid`)).body).toMatchObject({ status: 'paid' });
});

test('outstanding covers every sent and overdue invoice under any filter and page', async () => {
  const own = await newWorkspace();
  const contact = (await own.live.post('/v1/contacts', { name: 'Bo' })).body.id;
  for (const fields of [{ total: 0.1 }, { total: 0.2, dueDate: '2026-03-01' }, { currency: 'USD', total: 7 }])
    await invoice({ contactId: contact, ...fields }, own);
  await invoice({ contactId: contact, status: 'draft' }, own);
  await settle();
  expect((await own.live.get('/v1/finance/invoices', { status: 'overdue' })).body.items).toHaveLength(1);
  const { body } = await own.live.get('/v1/finance/invoices', { currency: 'usd', limit: 1 });
  expect(body.items).toHaveLength(1);
  expect(body.outstanding).toEqual([
    { currency: 'EUR', count: 2, total: 0.3 },
    { currency: 'USD', count: 1, total: 7 },
  ]);
});

test('the summary of the month is exact right after the write', async () => {
  const { live, id } = await newWorkspace('EUR');
  const add = (fields: object) => live.post('/v1/finance/transactions', { currency: 'EUR', ...fields });
  expect((await live.get('/v1/finance/summary')).body).toEqual({
    from: expect.stringMatching(/-01T00:00:00Z$/),
    to: instant,
    totals: [],
    outstanding: [],
    topExpenseCategories: [],
  });
  await add({ type: 'income', amount: 0.1 });
  await add({ type: 'income', amount: 0.2 });
  await add({ type: 'expense', amount: 0.05, category: 'a/b #1' });
  await add({ type: 'expense', amount: 1, category: 'Rent', currency: 'USD' });
  await add({ type: 'expense', amount: 0.5 });
  await add({ type: 'income', amount: 3, status: 'pending' });
  await add({ type: 'expense', amount: 4, status: 'pending' });
  const contact = (await live.post('/v1/contacts', { name: 'Bo' })).body.id;
  await invoice({ contactId: contact, total: 2 }, { id });
  const { body } = await live.get('/v1/finance/summary');
  expect(body).toMatchObject({
    totals: [
      { currency: 'EUR', income: 0.3, expense: 0.55, net: -0.25 },
      { currency: 'USD', income: 0, expense: 1, net: -1 },
    ],
    outstanding: [{ currency: 'EUR', count: 2, total: 5 }],
    topExpenseCategories: [
      { category: 'Rent', currency: 'USD', count: 1, total: 1 },
      { category: 'a/b #1', currency: 'EUR', count: 1, total: 0.05 },
    ],
  });
  expect((await live.get('/v1/finance/summary', { currency: 'usd' })).body).toMatchObject({
    totals: [{ currency: 'USD', income: 0, expense: 1, net: -1 }],
    outstanding: [],
    topExpenseCategories: [{ category: 'Rent', currency: 'USD', count: 1, total: 1 }],
  });
});

test('a range that is too long or the wrong way round is refused', async () => {
  for (const range of [
    { from: '2025-01-01T00:00:00Z', to: '2026-01-02T00:00:01Z' },
    { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' },
  ]) {
    const { status, body } = await workspace.live.get('/v1/finance/summary', range);
    expect([status, body.details.fields]).toEqual([
      400,
      [{ field: 'query.from', code: 'out_of_range', message: expect.any(String) }],
    ]);
  }
  const leap = { from: '2025-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
  await workspace.live.get('/v1/finance/summary', leap, 200);
});

test('a range with more categories than one call may read is refused, and a shorter one is not', async () => {
  const { id } = await newWorkspace('EUR');
  const tenant: Tenant = { workspaceId: id, env: 'live' };
  const pk = rowPartition('counter', { tenant: tenantKey(tenant), group: 'realized/2025-03' });
  // More than DynamoDB reads at once.
  const counters = Array.from({ length: 4 }, (_, index) => ({
    ...{ pk, sk: `2025-03-01/EUR/expense/Category ${index}#0`, count: 1, cents: 100 },
    padding: 'x'.repeat(390_000),
  }));
  await writeRows(counters.map((Item) => ({ PutRequest: { Item } })));
  const summary = (from: string, to: string) => summarise(new UnitOfWork(tenant, system), { from, to });
  const inMarch = () => summary('2025-03-01T00:00:00Z', '2025-03-31T23:59:59Z');
  expect((await inMarch()).totals).toEqual([{ currency: 'EUR', income: 0, expense: 4, net: -4 }]);
  vi.stubEnv('READ_UNITS_PER_LIST', '1');
  await expect(inMarch()).rejects.toMatchObject({ status: 400, details: { reason: 'range_too_large' } });
  expect((await summary('2025-04-01T00:00:00Z', '2025-04-30T23:59:59Z')).totals).toEqual([]);
  vi.unstubAllEnvs();
});

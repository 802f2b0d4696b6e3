import { beforeAll, expect, test } from 'vitest';
import { commands } from '#infra/admin/commands/deal.ts';
import { everyItem } from '#test/client.ts';
import { eventsAbout } from '#test/feed.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace('EUR');
});

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const create = async (fields: object = {}) =>
  (await workspace.live.post('/v1/deals', { title: 'Deal', value: 99.9, ...fields })).body;
const win = (id: number) => commands.win.run({ workspaceId: workspace.id, env: 'live', id });
const booked = (dealId: number) => everyItem(workspace.live, '/v1/finance/transactions', { dealId });

test('winning a deal closes it and books its value as income', async () => {
  const contact = (await workspace.live.post('/v1/contacts', { name: 'Ada' })).body;
  const deal = await create({ contactId: contact.id });
  expect(await win(deal.id)).toEqual({
    ...deal,
    stage: 'Won',
    probability: 100,
    closedAt: instant,
    updatedAt: instant,
  });
  expect(await booked(deal.id)).toEqual([
    {
      id: expect.any(Number),
      type: 'income',
      status: 'realized',
      amount: 99.9,
      currency: 'EUR',
      category: null,
      description: 'Deal',
      contactId: contact.id,
      dealId: deal.id,
      invoiceId: null,
      revenueSourceId: null,
      source: 'deal',
      occurredAt: instant,
      createdAt: instant,
    },
  ]);
});

test('twenty wins at once book one transaction and win the deal once', async () => {
  const deal = await create();
  const shown = await Promise.all(Array.from({ length: 20 }, () => win(deal.id)));
  expect(new Set(shown.map(({ stage }) => stage))).toEqual(new Set(['Won']));
  const [income, ...others] = await booked(deal.id);
  expect(others).toEqual([]);
  expect((await eventsAbout(workspace.id, `deal/${deal.id}`, 3)).slice(1)).toEqual([
    { event: 'deal.column_changed', data: expect.objectContaining({ from_column_id: '10001', to_column_id: '10005' }) },
    {
      event: 'deal.stage_changed',
      data: {
        ...{ deal_id: String(deal.id), contact_id: null, from_stage: 'lead', to_stage: 'won', value: 99.9 },
        ...{ currency: 'EUR', closed_at: instant, actor: { type: 'user', id: null } },
        ...{ lost_reason: null, pipeline_id: '1' },
      },
    },
  ]);
  expect(await eventsAbout(workspace.id, `transaction/${income.id}`, 1)).toEqual([
    {
      event: 'transaction.created',
      data: {
        ...{ transaction_id: String(income.id), type: 'income', status: 'realized', amount: 99.9, currency: 'EUR' },
        ...{ category: null, contact_id: null, deal_id: String(deal.id), invoice_id: null, source: 'deal' },
        actor: { type: 'user', id: null },
      },
    },
  ]);
});

test('value and currency of a Won deal are fixed, the rest may change', async () => {
  const deal = await create();
  await win(deal.id);
  for (const patch of [{ value: 1 }, { currency: 'USD' }]) {
    const { status, body } = await workspace.live.patch(`/v1/deals/${deal.id}`, patch);
    expect([status, body.error, body.details]).toEqual([409, 'conflict', because('deal_won')]);
  }
  expect((await workspace.live.patch(`/v1/deals/${deal.id}`, { value: 99.9, title: 'Renamed' })).body).toMatchObject({
    title: 'Renamed',
    stage: 'Won',
  });
});

test('a Won deal may be moved on, and is not booked again when it is won again', async () => {
  const deal = await create();
  await win(deal.id);
  const moved = await workspace.live.post(`/v1/deals/${deal.id}/stage`, { stage: 'lead' });
  expect(moved.body).toMatchObject({ stage: 'Lead', closedAt: null });
  expect(await win(deal.id)).toMatchObject({ stage: 'Won' });
  expect(await booked(deal.id)).toHaveLength(1);
});

test('a deal without value is won without a booking', async () => {
  const deal = await create({ value: 0 });
  expect(await win(deal.id)).toMatchObject({ stage: 'Won' });
  expect(await booked(deal.id)).toEqual([]);
});

test('an unknown deal cannot be won', async () => {
  await expect(win(999_999)).rejects.toThrow('deal not found');
});

test('an archived deal is not won', async () => {
  const { id } = await create();
  await workspace.live.post(`/v1/deals/${id}/archive`, {}, 200);
  await expect(win(id)).rejects.toMatchObject({ status: 409, details: { reason: 'archived' } });
  expect(await booked(id)).toEqual([]);
  expect((await workspace.live.get(`/v1/deals/${id}`)).body.stage).not.toBe('Won');
});

import { expect, test } from 'vitest';
import { newWorkspace } from '#test/workspace.ts';

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const pipeline = (kind: 'deal' | 'contact', name: string) => ({
  id: expect.any(Number),
  name,
  kind,
  isDefault: true,
  isArchived: false,
  columnCount: 6,
  createdAt: instant,
});

test('every workspace has a deal pipeline and a contact pipeline in both environments', async () => {
  const workspace = await newWorkspace();
  for (const client of [workspace.live, workspace.test]) {
    const { body } = await client.get('/v1/pipelines');
    expect(body).toEqual({
      items: [pipeline('contact', 'Contacts'), pipeline('deal', 'Deals')],
      nextCursor: null,
      hasMore: false,
    });
    expect((await client.get('/v1/pipelines', { kind: 'Deal' })).body.items).toEqual([pipeline('deal', 'Deals')]);
  }
});

test('the columns of the deal pipeline count deals and add up their values per currency', async () => {
  const { live } = await newWorkspace('EUR');
  for (const deal of [{ value: 0.1 }, { value: 0.2 }, { value: 5, currency: 'USD' }, { stage: 'proposal' }])
    await live.post('/v1/deals', { title: 'x', ...deal });
  const { id } = (await live.get('/v1/pipelines', { kind: 'deal' })).body.items[0];
  const { body } = await live.get(`/v1/pipelines/${id}`);
  expect(body).toEqual({ ...pipeline('deal', 'Deals'), columns: expect.any(Array) });
  expect(body.columns[0]).toEqual({
    id: expect.any(Number),
    key: 'lead',
    name: 'Lead',
    stage: 'lead',
    position: 1,
    color: expect.stringMatching(/^#[0-9a-f]{6}$/),
    isTerminal: false,
    isApiSettable: true,
    defaultProbability: 10,
    count: 3,
    totals: [
      { currency: 'EUR', total: 0.3 },
      { currency: 'USD', total: 5 },
    ],
  });
  expect(body.columns[2]).toMatchObject({ key: 'proposal', count: 1, totals: [{ currency: 'EUR', total: 0 }] });
  expect(body.columns.map(({ key, isTerminal, isApiSettable }: never) => [key, isTerminal, isApiSettable])).toEqual([
    ['lead', false, true],
    ['qualified', false, true],
    ['proposal', false, true],
    ['negotiation', false, true],
    ['won', true, false],
    ['lost', true, true],
  ]);
  expect((await live.get(`/v1/pipelines/${id}/columns`)).body).toEqual({
    items: body.columns,
    nextCursor: null,
    hasMore: false,
  });
});

test('the columns of the contact pipeline count contacts and have no totals', async () => {
  const { live } = await newWorkspace();
  await live.post('/v1/contacts', { name: 'Ada' });
  const { id } = (await live.get('/v1/pipelines', { kind: 'contact' })).body.items[0];
  const { columns } = (await live.get(`/v1/pipelines/${id}`)).body;
  expect(columns.map(({ key, name, count, totals }: never) => [key, name, count, totals])).toEqual([
    ['new', 'New', 1, []],
    ['contacted', 'Contacted', 0, []],
    ['engaged', 'Engaged', 0, []],
    ['qualified', 'Qualified', 0, []],
    ['customer', 'Customer', 0, []],
    ['lost', 'Lost', 0, []],
  ]);
  expect(columns.every(({ defaultProbability }: never) => defaultProbability === null)).toBe(true);
});

test('a pipeline that is not there is 404', async () => {
  const { live } = await newWorkspace();
  await live.get('/v1/pipelines/99', undefined, 404);
  await live.get('/v1/pipelines/99/columns', undefined, 404);
});

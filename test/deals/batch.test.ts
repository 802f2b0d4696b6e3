import { expect, test } from 'vitest';
import { because } from '#test/refusals.ts';
import { newWorkspace } from '#test/workspace.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test asserts what it is.
type Row = Record<string, any>;

const shortOf = ({ status, deal, task, error }: Row) => [status, (deal ?? task)?.id ?? null, error?.details ?? null];

test('a batch of deals creates, changes and moves, each item for itself', async () => {
  const { live } = await newWorkspace();
  const deal = (await live.post('/v1/deals', { title: 'Old' })).body;
  const { status, body } = await live.post('/v1/deals/batch', {
    items: [
      { op: 'create', title: 'New', value: 3 },
      { op: 'update', id: deal.id, title: 'Renamed' },
      { op: 'stage', id: deal.id, stage: 'lost' },
      { op: 'stage', id: deal.id, stage: 'won' },
      { op: 'update', id: deal.id, stage: 'lead' },
      { op: 'create' },
      { op: 'update', id: 999, title: 'x' },
      { op: 'delete', id: 1 },
    ],
  });
  expect(status).toBe(200);
  expect([body.succeeded, body.failed]).toEqual([3, 5]);
  const field = (name: string, code: string, index: number) => ({
    fields: [{ field: `items[${index}].${name}`, code, message: expect.any(String) }],
  });
  expect(body.results.map(shortOf)).toEqual([
    [201, expect.any(Number), null],
    [200, deal.id, null],
    [200, deal.id, null],
    [400, null, because('won_is_panel_only')],
    [400, null, field('stage', 'not_allowed', 4)],
    [400, null, field('title', 'required', 5)],
    [404, null, null],
    [400, null, field('op', 'invalid_enum', 7)],
  ]);
  expect((await live.get(`/v1/deals/${deal.id}`)).body).toMatchObject({ title: 'Renamed', stage: 'Lost' });
});

test('an atomic batch of tasks keeps the count of their deal exact, or does nothing', async () => {
  const { live } = await newWorkspace();
  const contactId = (await live.post('/v1/contacts', { name: 'Ada' })).body.id;
  const dealId = (await live.post('/v1/deals', { title: 'Deal', contactId })).body.id;
  const items: object[] = Array.from({ length: 9 }, () => ({ op: 'create', title: 'x', dealId }));
  const open = async () => (await live.get(`/v1/deals/${dealId}`)).body.openTaskCount;
  const failed = await live.post('/v1/tasks/batch', { atomic: true, items: [...items, { op: 'create' }] });
  expect([failed.status, failed.body.details.results.at(-1).status, await open()]).toEqual([400, 400, 0]);
  const { status, body } = await live.post('/v1/tasks/batch', { atomic: true, items });
  expect([status, body.succeeded, await open()]).toEqual([200, 9, 9]);
  const ids = body.results.map(({ task }: Row) => task.id);
  const changes = [
    ...ids.slice(0, 3).map((id: number) => ({ op: 'status', id, status: 'done' })),
    ...ids.slice(3, 5).map((id: number) => ({ op: 'update', id, dealId: null })),
  ];
  const changed = await live.post('/v1/tasks/batch', { items: changes });
  expect([changed.body.succeeded, changed.body.failed, await open()]).toEqual([5, 0, 4]);
});

test('an atomic batch takes ten deals and ten tasks with every field, each of another contact', async () => {
  const { live, memberId } = await newWorkspace();
  const tens = Array.from({ length: 10 }, (_, index) => index);
  const created = await live.post('/v1/contacts/batch', {
    items: tens.map((one) => ({ op: 'create', name: `C${one}` })),
  });
  const contactIds = created.body.results.map(({ contact }: Row) => contact.id);
  const at = '2030-01-01T00:00:00Z';
  const deals = tens.map((one) => ({
    ...{
      op: 'create',
      title: `Deal ${one}`,
      value: 5,
      stage: 'qualified',
      contactId: contactIds[one],
      currency: 'EUR',
    },
    ...{ probability: 5, expectedCloseAt: at, notes: 'notes' },
  }));
  const made = (await live.post('/v1/deals/batch', { atomic: true, items: deals }, 200)).body;
  const dealIds = made.results.map(({ deal }: Row) => deal.id);
  const tasks = tens.map((one) => ({
    ...{ op: 'create', title: `Task ${one}`, description: 'text', priority: 'high', contactId: contactIds[one] },
    ...{ dueAt: `20${30 + one}-01-01T00:00:00Z`, remindAt: at, dealId: dealIds[one], assignedToUserId: memberId },
  }));
  const { results } = (await live.post('/v1/tasks/batch', { atomic: true, items: tasks }, 200)).body;
  for (const one of [0, 9]) {
    const { items } = (await live.get('/v1/tasks', { dealId: dealIds[one], contactId: contactIds[one] })).body;
    expect(items.map(({ id }: Row) => id)).toEqual([results[one].task.id]);
    expect((await live.get('/v1/deals', { contactId: contactIds[one] })).body.items).toMatchObject([
      { id: dealIds[one], openTaskCount: 1 },
    ]);
  }
  const won = tens.map((one) => ({ op: 'stage', id: dealIds[one], stage: 'lost' }));
  expect((await live.post('/v1/deals/batch', { atomic: true, items: won })).body.succeeded).toBe(10);
});

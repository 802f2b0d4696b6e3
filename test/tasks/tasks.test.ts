import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { system } from '#lib/core/tenant.ts';
import { listTasks } from '#lib/deals/task-list.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { everyItem } from '#test/client.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let contactId: number;
let dealId: number;
beforeAll(async () => {
  workspace = await newWorkspace();
  contactId = (await workspace.live.post('/v1/contacts', { name: 'Ada' })).body.id;
  dealId = (await workspace.live.post('/v1/deals', { title: 'Deal', contactId })).body.id;
});

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const create = async (fields: object = {}) =>
  (await workspace.live.post('/v1/tasks', { title: 'Call', ...fields })).body;
const newDeal = async (fields: object = {}) =>
  (await workspace.live.post('/v1/deals', { title: 'Deal', ...fields })).body.id as number;
const openTasks = async (id: number) => (await workspace.live.get(`/v1/deals/${id}`)).body.openTaskCount as number;

test('a title is enough for a task', async () => {
  const { status, body, headers } = await workspace.live.post('/v1/tasks', { title: ' Call ' });
  expect(status).toBe(201);
  expect(headers['location']).toBe(`/v1/tasks/${body.id}`);
  expect(body).toEqual({
    id: expect.any(Number),
    title: 'Call',
    status: 'Open',
    priority: 'Medium',
    dueAt: null,
    isOverdue: false,
    description: null,
    contactId: null,
    dealId: null,
    assignedToUserId: null,
    remindAt: null,
    completedAt: null,
    createdAt: instant,
    updatedAt: null,
  });
  expect((await workspace.live.get(`/v1/tasks/${body.id}`)).body).toEqual(body);
  expect((await workspace.live.get('/v1/tasks', { ids: body.id })).body.items).toEqual([body]);
});

test('a task of a deal has the contact of the deal unless it names one or null', async () => {
  const other = (await workspace.live.post('/v1/contacts', { name: 'Bo' })).body.id;
  expect(await create({ dealId })).toMatchObject({ dealId, contactId });
  expect(await create({ dealId, contactId: other })).toMatchObject({ dealId, contactId: other });
  expect(await create({ dealId, contactId: null })).toMatchObject({ dealId, contactId: null });
});

test.each([
  ['title', {}, 'required'],
  ['title', { title: 'x'.repeat(201) }, 'too_long'],
  ['description', { title: 'x', description: 'x'.repeat(10_001) }, 'too_long'],
  ['priority', { title: 'x', priority: 'urgent' }, 'invalid_enum'],
  ['status', { title: 'x', status: 'closed' }, 'invalid_enum'],
  ['dueAt', { title: 'x', dueAt: 'tomorrow' }, 'invalid_format'],
  ['contactId', { title: 'x', contactId: 999_999 }, 'unknown_reference'],
  ['dealId', { title: 'x', dealId: 999_999 }, 'unknown_reference'],
  ['assignedToUserId', { title: 'x', assignedToUserId: 999_999 }, 'unknown_reference'],
])('a bad %s is named with its code (case %#)', async (field, body, code) => {
  const answer = await workspace.live.post('/v1/tasks', body);
  expect([answer.status, answer.body.details]).toEqual([
    400,
    { fields: [{ field, code, message: expect.any(String) }] },
  ]);
});

afterEach(() => vi.unstubAllEnvs());

test('overdue tasks are found without reading those due later', async () => {
  const { id: workspaceId, live } = await newWorkspace();
  const late = (await live.post('/v1/tasks', { title: 'Late', dueAt: '2020-01-01T00:00:00Z' })).body;
  const items = Array.from({ length: 100 }, () => ({ op: 'create', title: 'Later', dueAt: '2099-01-01T00:00:00Z' }));
  for (let batch = 0; batch < 2; batch += 1) await live.post('/v1/tasks/batch', { items });
  vi.stubEnv('READ_UNITS_PER_LIST', '20');
  const tx = UnitOfWork.forAnswer({ workspaceId, env: 'live' }, system);
  const { items: found, hasMore } = await listTasks(tx, { overdue: true, limit: 25 });
  expect(found.map(({ id }) => id)).toEqual([late.id]);
  expect(hasMore).toBe(false);
  const ids = [late.id, late.id + 1];
  expect((await live.get('/v1/tasks', { overdue: true, ids: ids.join(',') })).body.items).toHaveLength(1);
  expect((await live.get('/v1/tasks', { overdue: true, ids: String(late.id + 1) })).body.items).toEqual([]);
});

test('a task is overdue while its due time has passed and it is not done', async () => {
  const { id, ...task } = await create({ dueAt: '2020-01-01T00:00:00Z', priority: 'HIGH', status: 'InProgress' });
  expect(task).toMatchObject({ isOverdue: true, priority: 'High', status: 'InProgress' });
  const overdue = async (wanted: boolean) =>
    (await workspace.live.get('/v1/tasks', { overdue: wanted, ids: id })).body.items.length as number;
  expect([await overdue(true), await overdue(false)]).toEqual([1, 0]);
  const done = (await workspace.live.post(`/v1/tasks/${id}/status`, { status: 'done' })).body;
  expect(done).toMatchObject({ status: 'Done', isOverdue: false, completedAt: instant });
  expect([await overdue(true), await overdue(false)]).toEqual([0, 1]);
  const open = (await workspace.live.post(`/v1/tasks/${id}/status`, { status: 'Open' })).body;
  expect(open).toMatchObject({ status: 'Open', isOverdue: true, completedAt: null });
  expect((await workspace.live.post(`/v1/tasks/${id}/status`, { status: 'open' })).body).toEqual(open);
});

test('a deal shows its tasks, newest first, and counts those that are not done', async () => {
  const deal = await newDeal();
  const first = await create({ dealId: deal, dueAt: '2020-01-01T00:00:00Z', priority: 'low' });
  const second = await create({ dealId: deal, status: 'done', title: 'Mail' });
  const { body } = await workspace.live.get(`/v1/deals/${deal}`);
  expect(body.openTaskCount).toBe(1);
  expect(body.tasks).toEqual([
    { id: second.id, title: 'Mail', status: 'Done', priority: 'Medium', dueAt: null, isOverdue: false },
    {
      id: first.id,
      title: 'Call',
      status: 'Open',
      priority: 'Low',
      dueAt: '2020-01-01T00:00:00Z',
      isOverdue: true,
    },
  ]);
  await workspace.live.patch(`/v1/tasks/${first.id}`, { title: 'Call again', dueAt: null });
  expect((await workspace.live.get(`/v1/deals/${deal}`)).body.tasks[1]).toMatchObject({
    title: 'Call again',
    isOverdue: false,
  });
});

test('openTaskCount follows a task from one deal to another and away', async () => {
  const [from, to] = [await newDeal(), await newDeal()];
  const task = await create({ dealId: from });
  expect(await Promise.all([from, to].map(openTasks))).toEqual([1, 0]);
  const moved = await workspace.live.patch(`/v1/tasks/${task.id}`, { dealId: to });
  expect(moved.body).toEqual({ ...task, dealId: to, updatedAt: instant });
  expect(await Promise.all([from, to].map(openTasks))).toEqual([0, 1]);
  await workspace.live.post(`/v1/tasks/${task.id}/status`, { status: 'done' });
  await workspace.live.patch(`/v1/tasks/${task.id}`, { dealId: from });
  expect(await Promise.all([from, to].map(openTasks))).toEqual([0, 0]);
  await workspace.live.post(`/v1/tasks/${task.id}/status`, { status: 'inprogress' });
  expect(await openTasks(from)).toBe(1);
  await workspace.live.patch(`/v1/tasks/${task.id}`, { dealId: null });
  expect(await openTasks(from)).toBe(0);
});

test('a deal shows its hundred newest tasks, and counts all', async () => {
  const { live } = workspace;
  const dealId = (await live.post('/v1/deals', { title: 'Busy' })).body.id;
  const ids: number[] = [];
  for (const count of [100, 5]) {
    const items = Array.from({ length: count }, () => ({ op: 'create', title: 'Call', dealId }));
    const { results } = (await live.post('/v1/tasks/batch', { items })).body;
    ids.push(...results.map(({ task }: { task: { id: number } }) => task.id));
  }
  const newest = ids.sort((a, b) => b - a).slice(0, 100);
  const answers = [
    await live.get(`/v1/deals/${dealId}`),
    await live.patch(`/v1/deals/${dealId}`, { title: 'Busier' }),
    await live.post(`/v1/deals/${dealId}/stage`, { stage: 'lost' }),
  ];
  for (const { body } of answers) {
    expect(body.tasks.map(({ id }: { id: number }) => id)).toEqual(newest);
    expect(body.openTaskCount).toBe(105);
  }
  expect(await everyItem(live, '/v1/tasks', { dealId })).toHaveLength(105);
});

test('twenty tasks made at once for one deal are all counted', async () => {
  const deal = await newDeal();
  const made = await Promise.all(Array.from({ length: 20 }, () => create({ dealId: deal })));
  expect(await openTasks(deal)).toBe(20);
  await Promise.all(made.map(({ id }) => workspace.live.post(`/v1/tasks/${id}/status`, { status: 'done' })));
  expect(await openTasks(deal)).toBe(0);
});

test('a patch changes the given fields, and the status has its own operation', async () => {
  const task = await create({ assignedToUserId: workspace.memberId, contactId, remindAt: '2030-01-01T00:00:00Z' });
  const patched = await workspace.live.patch(`/v1/tasks/${task.id}`, {
    assignedToUserId: null,
    contactId: null,
    remindAt: null,
    description: 'x',
    priority: 'low',
  });
  expect(patched.body).toEqual({
    ...task,
    assignedToUserId: null,
    contactId: null,
    remindAt: null,
    description: 'x',
    priority: 'Low',
    updatedAt: instant,
  });
  const { status, body } = await workspace.live.patch(`/v1/tasks/${task.id}`, { status: 'done' });
  expect([status, body.details.fields]).toEqual([
    400,
    [
      {
        field: 'status',
        code: 'not_allowed',
        message: 'status cannot be changed here: use POST /v1/tasks/{id}/status',
      },
    ],
  ]);
});

test('metadata of a task is replaced, kept apart from the task and found', async () => {
  const task = await create();
  const path = `/v1/tasks/${task.id}/metadata`;
  await workspace.live.put(path, { metadata: { 'ext.id': '7' } });
  expect((await workspace.live.get(path)).body).toEqual({ metadata: { 'ext.id': '7' } });
  const { items } = (await workspace.live.get('/v1/tasks', { 'metadata.ext.id': '7' })).body;
  expect(items).toEqual([{ ...task, updatedAt: instant }]);
});

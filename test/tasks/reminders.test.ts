import { beforeAll, expect, test } from 'vitest';
import { fromNow, hourMs } from '#lib/core/clock.ts';
import { advance, settle } from '#test/harness.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let live: TestWorkspace['live'];
let memberId: number;
beforeAll(async () => {
  const workspace = await newWorkspace();
  ({ live, memberId } = workspace);
});

const make = async (fields: object) => (await live.post('/v1/tasks', { title: 'Call', ...fields }, 201)).body.id;
const change = (id: number, fields: object) => live.patch(`/v1/tasks/${id}`, fields, 200);
const set = (id: number, status: string) => live.post(`/v1/tasks/${id}/status`, { status }, 200);

async function reminded(id: number) {
  await settle();
  const { body } = await live.get('/v1/events', { eventKind: 'task.reminder_due', limit: 100 });
  return body.items
    .map(({ data }: { data: Record<string, unknown> }) => data)
    .filter(({ task_id }: { task_id: string }) => task_id === String(id));
}

test('a reminder is emitted once at its time', async () => {
  const contactId = (await live.post('/v1/contacts', { name: 'Ada' })).body.id;
  const id = await make({ remindAt: fromNow(hourMs), contactId, assignedToUserId: memberId });
  await advance(hourMs / 2);
  expect(await reminded(id)).toEqual([]);
  await advance(hourMs);
  const before = (await live.get(`/v1/tasks/${id}`)).body;
  const due = [
    {
      task_id: String(id),
      title: 'Call',
      assigned_to_user_id: String(memberId),
      contact_id: String(contactId),
      deal_id: null,
    },
  ];
  expect(await reminded(id)).toEqual(due);
  await change(id, { title: 'Call again' });
  await set(id, 'done');
  await set(id, 'open');
  await advance(hourMs);
  expect(await reminded(id)).toEqual(due);
  expect(before).toMatchObject({ updatedAt: null });
});

const cases: [what: string, act: (id: number) => Promise<unknown>, count: number][] = [
  ['is changed otherwise', (id) => change(id, { title: 'Other' }), 1],
  ['is moved back', (id) => change(id, { remindAt: fromNow(3 * hourMs) }), 0],
  ['is moved ahead', (id) => change(id, { remindAt: fromNow(hourMs / 2) }), 1],
  ['is moved to the past', (id) => change(id, { remindAt: '2020-01-01' }), 0],
  ['loses its reminder', (id) => change(id, { remindAt: null }), 0],
  ['is in progress', (id) => set(id, 'inprogress'), 1],
  ['is done', (id) => set(id, 'done'), 0],
  ['is done and opened again', (id) => set(id, 'done').then(() => set(id, 'open')), 1],
];

test.each(cases)('a task that %s reminds as it says', async (_, act, count) => {
  const id = await make({ remindAt: fromNow(hourMs) });
  await act(id);
  await advance(2 * hourMs);
  expect(await reminded(id)).toHaveLength(count);
  await advance(2 * hourMs);
});

test.each([
  ['a past reminder', { remindAt: '2020-01-01T00:00:00Z' }],
  ['a done task', { remindAt: '2030-01-01T00:00:00Z', status: 'done' }],
  ['no reminder', {}],
])('%s has no timer', async (_, fields) => {
  const id = await make(fields);
  await advance(hourMs);
  expect(await reminded(id)).toEqual([]);
});

import { beforeAll, expect, test } from 'vitest';
import { mcp } from '#test/mcp/client.ts';
import { newWorkspace } from '#test/workspace.ts';

let tool: ReturnType<typeof mcp>;
beforeAll(async () => {
  const { live, liveKey } = await newWorkspace();
  tool = mcp(liveKey);
  for (const [index, name] of ['Ada', 'Bo', 'Cy'].entries()) {
    await live.post('/v1/contacts', { name, phone: '1234567', leadScore: index }, 201);
    await live.post('/v1/companies', { name }, 201);
    await live.post('/v1/deals', { title: name, value: index }, 201);
    await live.post('/v1/tasks', { title: name }, 201);
  }
});

test.each([
  ['contacts', 'name', { field: 'leadScore', op: 'gte', value: 1 }],
  ['companies', 'name', { field: 'name', op: 'ne', value: 'ada' }],
  ['deals', 'title', { field: 'value', op: 'gt', value: 0 }],
  ['tasks', 'title', { not: { field: 'title', op: 'eq', value: 'Ada' } }],
])('%s_search takes a filter and an order, page by page', async (noun, name, filter) => {
  const args = { filter: JSON.stringify(filter), sort: JSON.stringify([{ field: name, direction: 'desc' }]), limit: 1 };
  const first = await tool.value(`${noun}_search`, args);
  expect(first.items).toMatchObject([{ [name]: 'Cy' }]);
  const second = await tool.value(`${noun}_search`, { ...args, cursor: first.nextCursor });
  expect(second).toMatchObject({ items: [{ [name]: 'Bo' }], hasMore: false });
});

test.each([
  ['an unknown field', { filter: '{"field": "x", "op": "isSet"}' }, 'filter.field'],
  ['a filter that is no JSON', { filter: 'name = x' }, 'filter'],
  ['a filter of the list beside it', { sort: '[{"field": "id"}]', stage: 'new' }, 'stage'],
])('contacts_search refuses %s', async (_, args, field) => {
  const { isError, value } = await tool.call('contacts_search', args);
  expect([isError, value.details.fields[0].field]).toEqual([true, field]);
});

test('schema_describe tells what filters take', async () => {
  const { filters } = await tool.value('schema_describe', { object: 'task' });
  expect(Object.keys(filters)).toEqual(['task']);
  expect(filters.task).toContainEqual({
    fields: expect.arrayContaining(['dueAt', 'createdAt']),
    operators: ['eq', 'ne', 'in', 'notIn', 'gt', 'gte', 'lt', 'lte', 'between', 'isSet', 'isNotSet'],
  });
});

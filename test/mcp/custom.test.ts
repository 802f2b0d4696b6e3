import { beforeAll, expect, test } from 'vitest';
import { mcp } from '#test/mcp/client.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let tool: ReturnType<typeof mcp>;
beforeAll(async () => {
  workspace = await newWorkspace();
  tool = mcp(workspace.liveKey);
  for (const object of ['contact', 'company', 'deal', 'task'])
    await workspace.live.post(
      '/v1/fields',
      { object, slug: 'tier', title: 'Tier', type: 'select', options: [{ label: 'Gold' }] },
      201,
    );
});

test('schema_describe tells the fields of an object', async () => {
  const { items } = await tool.value('schema_describe', { object: 'deal' });
  expect(items).toMatchObject([{ object: 'deal', slug: 'tier', type: 'select', options: [{ label: 'Gold' }] }]);
});

test('schema_describe tells the boards of deals with their columns', async () => {
  const described = await tool.value('schema_describe', {});
  const board = (await workspace.live.get('/v1/pipelines/1')).body;
  expect(described.pipelines).toEqual([board]);
  expect(await tool.value('schema_describe', { object: 'deal' })).toHaveProperty('pipelines');
});

test.each([
  ['of another object', async () => tool, { object: 'task' }],
  [
    'to a key that does not read them',
    async () => mcp((await workspace.mint({ scopes: ['deals:read'] })).key),
    { object: 'deal' },
  ],
])('schema_describe tells no boards %s', async (_, client, given) => {
  expect(await (await client()).value('schema_describe', given)).not.toHaveProperty('pipelines');
});

test.each([
  ['contacts', { name: 'Ada' }],
  ['companies', { name: 'Engines' }],
  ['deals', { title: 'Engine' }],
  ['tasks', { title: 'Call' }],
])('%s_create and %s_update take custom values as JSON', async (noun, given) => {
  const { id } = await tool.value(`${noun}_create`, { ...given, fields: '{"tier": "gold"}' });
  const values = async () => (await workspace.live.get(`/v1/${noun}/${id}/fields`)).body.fields;
  expect(await values()).toEqual({ tier: 'Gold' });
  await tool.value(`${noun}_update`, { id, fields: '{"tier": null}' });
  expect(await values()).toEqual({ tier: null });
  const { isError, value } = await tool.call(`${noun}_update`, { id, fields: '{"tier": "Silver"}' });
  expect([isError, value.details.fields[0].field]).toEqual([true, 'fields.tier']);
});

test('companies are found, read, and changed with a note', async () => {
  const { id } = await tool.value('companies_create', {
    name: 'Difference Engines',
    domains: ['difference-engines.com'],
  });
  expect((await tool.value('companies_search', { domain: 'difference-engines.com' })).items).toMatchObject([{ id }]);
  await tool.value('companies_update', { id, website: 'https://difference-engines.com', note: 'Called' });
  const company = await tool.value('companies_get', { id });
  expect(company).toMatchObject({ website: 'https://difference-engines.com', fields: { tier: null } });
  expect(company.activities.items).toContainEqual(expect.objectContaining({ type: 'Note', text: 'Called' }));
});

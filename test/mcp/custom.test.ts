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
  expect(company).toMatchObject({ website: 'https://difference-engines.com' });
  expect(company).not.toHaveProperty('fields');
  expect(company.activities.items).toContainEqual(expect.objectContaining({ type: 'Note', text: 'Called' }));
});

const phone = { kind: 'phone', value: '+44 20 7946 0001', label: 'work' };

/** Returns a contact with a value, two addresses, and two companies, and a deal, a company, and a task with a value. */
async function records() {
  const { live } = workspace;
  const create = async (noun: string, body: object) => (await live.post(`/v1/${noun}`, body, 201)).body.id as number;
  const fields = { tier: 'Gold' };
  const [first, second] = [
    await create('companies', { name: 'First', fields }),
    await create('companies', { name: 'Second' }),
  ];
  const contact = await create('contacts', { name: 'Ada', email: 'ada@home.example', fields });
  await live.post(`/v1/contacts/${contact}/addresses`, { ...phone, force: true }, 201);
  const items = [{ companyId: first, title: 'Founder' }, { companyId: second }];
  await live.put(`/v1/contacts/${contact}/companies`, { items }, 200);
  const deal = await create('deals', { title: 'Engine', contactId: contact, fields });
  const task = await create('tasks', { title: 'Call', fields });
  return { first, second, contact, deal, task };
}

test('a contact that is read shows its values, addresses with labels, and companies with titles', async () => {
  const { contact, first, second } = await records();
  const shown = await tool.value('contacts_get', { id: contact });
  expect(shown).toMatchObject({
    id: contact,
    fieldValues: { tier: 'Gold' },
    addresses: [
      { kind: 'email', value: 'ada@home.example', isPrimary: true },
      { ...phone, isPrimary: true },
    ],
    companies: [
      { companyId: first, name: 'First', title: 'Founder', isPrimary: true },
      { companyId: second, name: 'Second', isPrimary: false },
    ],
  });
  expect(shown).not.toHaveProperty('fields');
  // A member that is not set is left out, and so is what it would be null in.
  expect(shown).not.toHaveProperty('archive');
  expect(shown.addresses[0]).not.toHaveProperty('label');
  expect(shown.companies[1]).not.toHaveProperty('title');
});

test('a company, a deal, and a task that are read show their values', async () => {
  const { first, deal, task } = await records();
  expect(await tool.value('companies_get', { id: first })).toMatchObject({ fields: { tier: 'Gold' } });
  expect(await tool.value('deals_get', { id: deal })).toMatchObject({ fields: { tier: 'Gold' } });
  expect(await tool.value('tasks_search', { id: task })).toMatchObject({ fieldValues: { tier: 'Gold' } });
});

test('a deal that is read shows its board and column by name, and its company', async () => {
  const { deal, first } = await records();
  expect(await tool.value('deals_get', { id: deal })).toMatchObject({
    pipeline: { id: 1, name: 'Deals', columnKey: 'lead', columnName: 'Lead' },
    company: { id: first, name: 'First' },
  });
});

test('an archived record that is read says since when', async () => {
  const { contact } = await records();
  await workspace.live.post(`/v1/contacts/${contact}/archive`, undefined, 200);
  const shown = await tool.value('contacts_get', { id: contact });
  expect(shown.archive).toEqual({ archivedAt: expect.any(String), archivedBy: expect.any(Object) });
});

test.each([
  ['a list', (id: number) => ({ filters: { ids: String(id), include: 'fields' } })],
  [
    'a search',
    (id: number) => ({ filter: JSON.stringify({ field: 'id', op: 'eq', value: id }), filters: { include: 'fields' } }),
  ],
])('%s shows the values that include names, and fields keeps them as fieldValues', async (_, given) => {
  const { contact } = await records();
  const { items } = await tool.value('contacts_search', { ...given(contact), fields: 'name,fieldValues' });
  expect(items).toEqual([{ id: contact, name: 'Ada', fieldValues: { tier: 'Gold' } }]);
});

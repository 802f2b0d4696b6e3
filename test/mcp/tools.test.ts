import { beforeAll, describe, expect, test } from 'vitest';
import { loadRoutes } from '#infra/functions.ts';
import { endpointsOf } from '#lib/mcp/tool.ts';
import { tools } from '#lib/mcp/tools.ts';
import { type Scope, scopes } from '#lib/scopes.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';
import { type Definition, mcp } from './client.ts';

const tokensOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value)) / 4;

let workspace: TestWorkspace;
let all: Definition[];
beforeAll(async () => {
  workspace = await newWorkspace();
  all = await mcp(workspace.liveKey).list();
});

test('the whole list has at most 30 tools and 6,000 tokens in either era', async () => {
  expect(all.length).toBeLessThanOrEqual(30);
  const { legacy, modern } = mcp(workspace.liveKey);
  for (const send of [legacy, modern])
    expect(tokensOf((await send('tools/list')).body.result)).toBeLessThanOrEqual(6000);
});

test('every tool has a title, a description, annotations, an outputSchema and a description of every parameter', () => {
  for (const { name, title, description, inputSchema, outputSchema, annotations } of all) {
    expect(name).toMatch(/^[a-z]+_[a-z_]+$/);
    expect([title, description], name).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\S/)]);
    expect([inputSchema.type, outputSchema.type], name).toEqual(['object', 'object']);
    expect(Object.keys(annotations).length, name).toBeGreaterThan(0);
    for (const [parameter, schema] of Object.entries(inputSchema.properties))
      expect(schema.description, `${name} ${parameter}`).toMatch(/\S/);
    for (const required of inputSchema.required ?? []) expect(Object.keys(inputSchema.properties)).toContain(required);
  }
});

test('annotations tell what reads, what is final and what may be repeated', () => {
  const having = (hint: keyof Definition['annotations']) =>
    all.filter(({ annotations }) => annotations[hint]).map(({ name }) => name);
  for (const { name, annotations } of all) {
    const methods = endpointsOf(tools.find((tool) => tool.name === name) as (typeof tools)[number]).map(
      ({ route }) => route.method,
    );
    // The trial of an agent is a POST that keeps and sends nothing.
    const onlyReads = methods.every((method) => method === 'GET') || name === 'agents_test';
    expect(annotations.readOnlyHint ?? false, name).toBe(onlyReads);
  }
  expect(having('destructiveHint')).toEqual([
    'tags_manage',
    'contacts_merge',
    'telegram_send',
    'twitter_send',
    'messages_cancel',
    'records_batch',
    'finance_record',
    'email_reply',
  ]);
  expect(having('idempotentHint')).toEqual([
    'contacts_update',
    'deals_update',
    'tasks_update',
    'email_update',
    'sequences_control',
  ]);
});

test('together the tools reach every operation except key management and webhook writes', async () => {
  const reached = new Set(tools.flatMap(endpointsOf).map(({ route }) => `${route.method} ${route.path}`));
  const wanted = (await loadRoutes())
    .map(({ route }) => route)
    .filter(({ path, scope }) => path.startsWith('/v1/') && scope !== 'keys:manage' && scope !== 'webhooks:write')
    .map(({ method, path }) => `${method} ${path}`)
    // contacts_get shows the contact with its tags.
    .filter((name) => name !== 'GET /v1/contacts/{id}/tags');
  expect(wanted.filter((name) => !reached.has(name))).toEqual([]);
});

describe('a key sees exactly the tools of its scopes', () => {
  const chosen = (list: Definition[], tool: string, parameter: string) =>
    list.find(({ name }) => name === tool)?.inputSchema.properties[parameter]?.enum;
  const always = ['workspace_get'];
  const seen: Record<Scope, string[]> = {
    'telegram:send': ['telegram_send', 'messages_cancel'],
    'telegram:read': ['jobs_search'],
    'twitter:send': ['twitter_send', 'messages_cancel', 'jobs_search'],
    'contacts:read': ['contacts_search', 'contacts_get'],
    'contacts:write': ['tags_manage', 'contacts_create', 'contacts_update', 'contacts_merge', 'records_batch'],
    'sequences:read': ['sequences_get'],
    'sequences:write': ['sequences_control'],
    'analytics:read': ['reports_get'],
    'finance:read': ['finance_get'],
    'finance:write': ['finance_record'],
    'deals:read': ['deals_search', 'deals_get'],
    'deals:write': ['deals_create', 'deals_update', 'records_batch'],
    'tasks:read': ['tasks_search'],
    'tasks:write': ['tasks_create', 'tasks_update', 'records_batch'],
    'email:read': ['email_search', 'email_get'],
    'email:write': ['email_update'],
    'email:send': ['email_reply'],
    'pipelines:read': ['reports_get'],
    'webhooks:read': ['webhooks_get'],
    'webhooks:write': [],
    'agents:read': ['agents_test'],
    'agents:run': ['agents_test'],
    'jobs:read': ['jobs_search'],
    'keys:manage': [],
  };

  test.each(scopes)('%s', async (scope) => {
    const { key } = await workspace.mint({ scopes: [scope] });
    const names = (await mcp(key).list()).map(({ name }) => name);
    expect(names.toSorted()).toEqual([...always, ...seen[scope]].toSorted());
    // In the order of the whole list, the same at every call.
    expect(names).toEqual(all.map(({ name }) => name).filter((name) => names.includes(name)));
  });

  test('and in them only the choices of its scopes', async () => {
    const { key } = await workspace.mint({ scopes: ['tasks:write', 'telegram:read', 'agents:read'] });
    const { list, call } = mcp(key);
    const tools = await list();
    expect(chosen(tools, 'records_batch', 'resource')).toEqual(['tasks']);
    expect(chosen(tools, 'workspace_get', 'part')).toEqual(['me', 'telegram_accounts']);
    expect(chosen(tools, 'jobs_search', 'view')).toEqual(['telegram']);
    expect(chosen(tools, 'agents_test', 'action')).toEqual(['list', 'get']);
    const { isError, value } = await call('records_batch', {
      resource: 'contacts',
      items: [{ op: 'create', name: 'A' }],
    });
    expect([isError, value.details.fields]).toEqual([
      true,
      [{ field: 'resource', code: 'invalid_enum', message: 'resource must be one of tasks' }],
    ]);
  });
});

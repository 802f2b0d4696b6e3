import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { tools } from '#functions/mcp/tools/all.ts';
import { loadRoutes } from '#infra/functions.ts';
import { ownFields, renderUntrustedFields, textsOfResults } from '#infra/untrusted-fields.ts';
import { type Scope, scopes, scopesOf } from '#lib/core/scopes.ts';
import { isWrite } from '#lib/http/route.ts';
import { endpointsOf, isChoice, type Tool } from '#lib/mcp/tool.ts';
import { type Definition, mcp } from '#test/mcp/client.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

const toolOf = (name: string) => tools.find((tool) => tool.name === name) as Tool;
const tokensOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value)) / 4;

let workspace: TestWorkspace;
let all: Definition[];
beforeAll(async () => {
  workspace = await newWorkspace();
  all = await mcp(workspace.liveKey).list();
});

test('the whole list has at most 40 tools and 8,000 tokens in either era', async () => {
  expect(all.length).toBeLessThanOrEqual(40);
  const { legacy, modern } = mcp(workspace.liveKey);
  for (const send of [legacy, modern])
    expect(tokensOf((await send('tools/list')).body.result)).toBeLessThanOrEqual(8000);
});

test('every tool describes itself, its output and each of its parameters', () => {
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

test('annotations say which tools read, overwrite, may be repeated, and reach outside the CRM', () => {
  const having = (hint: keyof Definition['annotations'], value = true) =>
    all.filter(({ annotations }) => annotations[hint] === value).map(({ name }) => name);
  const writing = all
    .filter(({ name }) => endpointsOf(toolOf(name)).some(({ route }) => isWrite(route)))
    .map(({ name }) => name);
  expect(all.filter(({ annotations }) => !annotations.readOnlyHint).map(({ name }) => name)).toEqual(writing);
  // What a client takes for destructive unless it is told otherwise.
  expect(writing.filter((name) => !having('destructiveHint', false).includes(name))).toEqual([
    'tags_manage',
    'contacts_create',
    'contacts_update',
    'contacts_merge',
    'companies_create',
    'companies_update',
    'telegram_send',
    'twitter_send',
    'messages_cancel',
    'deals_update',
    'tasks_update',
    'records_batch',
    'finance_record',
    'email_update',
    'email_reply',
    'sequences_control',
  ]);
  expect(having('idempotentHint')).toEqual(['deals_update', 'tasks_update', 'email_update', 'sequences_control']);
  const reaching = [
    'telegram_send',
    'twitter_send',
    'messages_cancel',
    'email_reply',
    'sequences_control',
    'agents_test',
  ];
  expect(having('openWorldHint', false)).toEqual(writing.filter((name) => !reaching.includes(name)));
});

test('the untrusted fields are up to date (npm run untrusted-fields)', () => {
  expect(readFileSync('lib/mcp/untrusted-fields.ts', 'utf8')).toBe(renderUntrustedFields());
});

test('every text of a result is our own or named as untrusted by the server', async () => {
  const { legacy, modern } = mcp(workspace.liveKey);
  const { instructions } = (await modern('server/discover')).body.result;
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  expect((await legacy('initialize', params)).body.result.instructions).toBe(instructions);
  const untrusted = /Untrusted content: .* in the fields ([\w, ]+)\. /.exec(instructions)?.[1]?.split(', ') ?? [];
  const texts = textsOfResults();
  const known = [...untrusted, ...ownFields];
  expect([...texts].filter((name) => !known.includes(name) && !name.endsWith('At'))).toEqual([]);
  expect(untrusted.filter((name) => !texts.has(name))).toEqual([]);
  expect(untrusted).toEqual(expect.arrayContaining(['name', 'username', 'body', 'bodyText', 'subject', 'preview']));
});

test('the tools reach every operation except keys, accounts, erasure and webhook writes', async () => {
  const unreached = ['contacts:erase', 'keys:manage', 'accounts:manage', 'webhooks:write'];
  const reached = new Set(tools.flatMap(endpointsOf).map(({ route }) => `${route.method} ${route.path}`));
  const routes = (await loadRoutes())
    .map(({ route }) => route)
    .filter((route) => route.path.startsWith('/v1/') && !scopesOf(route).some((scope) => unreached.includes(scope)))
    .map(({ method, path, hasNoTool = false }) => ({ name: `${method} ${path}`, hasNoTool }));
  const wanted = routes.filter(({ hasNoTool }) => !hasNoTool).map(({ name }) => name);
  expect(wanted.filter((name) => !reached.has(name))).toEqual([]);
  expect(routes.filter(({ name, hasNoTool }) => hasNoTool && reached.has(name))).toEqual([]);
});

describe('a key sees exactly the tools of its scopes', () => {
  const chosen = (list: Definition[], tool: string, parameter: string) =>
    list.find(({ name }) => name === tool)?.inputSchema.properties[parameter]?.enum;
  const always = ['workspace_get', 'schema_describe'];
  /** A noun's own tools are called after it, or are a choice among others; here is what is called otherwise. */
  const namedAfter = (scope: Scope) => {
    const [noun = '', access] = scope.split(':');
    const choicesOf = ({ uses }: Tool) => (isChoice(uses) ? Object.keys(uses.values) : []);
    return all
      .filter(({ name }) => name.startsWith(`${noun}_`) || choicesOf(toolOf(name)).includes(noun))
      .filter(({ annotations }) => (annotations.readOnlyHint ? 'read' : 'write') === access)
      .map(({ name }) => name);
  };
  const seen: Partial<Record<Scope, string[]>> = {
    'telegram:send': ['telegram_send', 'messages_cancel'],
    'telegram:read': ['jobs_search'],
    'twitter:send': ['twitter_send', 'messages_cancel', 'jobs_search'],
    'contacts:erase': [],
    'contacts:write': ['tags_manage', 'contacts_create', 'contacts_update', 'contacts_merge', 'records_batch'],
    'analytics:read': ['reports_get'],
    'email:write': ['email_update'],
    'email:send': ['email_reply'],
    'email:compose': ['email_reply'],
    'webhooks:read': ['webhooks_get'],
    'webhooks:write': [],
    'agents:read': ['agents_test'],
    'agents:run': ['agents_test'],
    'keys:manage': [],
    'accounts:manage': [],
  };

  test.each(scopes)('%s', async (scope) => {
    const { key } = await workspace.mint({ scopes: [scope] });
    const names = (await mcp(key).list()).map(({ name }) => name);
    expect(names.toSorted()).toEqual([...always, ...(seen[scope] ?? namedAfter(scope))].toSorted());
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

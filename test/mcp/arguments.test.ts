import * as v from 'valibot';
import { beforeAll, expect, test } from 'vitest';
import { tools } from '#functions/mcp/tools/all.ts';
import { mintKey } from '#lib/auth/key-store.ts';
import { entriesOf } from '#lib/core/fields.ts';
import { scopes } from '#lib/core/scopes.ts';
import { operator } from '#lib/core/tenant.ts';
import { endpointsOf, isChoice, type Tool } from '#lib/mcp/tool.ts';
import { transact } from '#lib/table/transact.ts';
import { mcp } from '#test/mcp/client.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

// The first call to every function of a new system.

let workspace: TestWorkspace;
let tool: ReturnType<typeof mcp>;
beforeAll(async () => {
  workspace = await newWorkspace();
  const { key } = await transact({ workspaceId: workspace.id, env: 'live' }, operator, (tx) =>
    mintKey(
      tx,
      { name: 'arguments', scopes, ipAllowlist: [], expiresAt: null },
      { createdByKeyId: null, rateLimitPerMinute: 1_000_000 },
    ),
  );
  tool = mcp(key);
});

const many = <One>(one: One, count = 20_000) => Array.from({ length: count }, () => one);
/** More of each kind than any parameter takes: the longest of texts is a mail of 200,000 characters. */
const tooMuch: Record<string, unknown> = {
  'a text': 'x'.repeat(300_000),
  'a text of marks': `a${'\u0301\u0316'.repeat(150_000)}`,
  'a list of texts': many('a@b.example'),
  'a list of numbers': many(1),
  'a list of objects': many({}),
  'an object': Object.fromEntries(many('').map((_, index) => [`k${index}`, 'v'])),
};

const refuses = (schema: v.GenericSchema, value: unknown) => !v.safeParse(schema, value).success;
/** Those that are an operation's own under another name. */
const renamedIn = ({ renamed = {} }: Tool, name: string) => Object.values(renamed).includes(name);

test.each(Object.keys(tooMuch))(
  'no parameter of a tool, nor of an operation behind it, takes %s without bound',
  (kind) => {
    const taking = tools.flatMap((of) => [
      ...Object.entries(of.takes).flatMap(([name, { isOwn, schema }]) =>
        isOwn && name !== 'filters' && !renamedIn(of, name) && !refuses(schema, tooMuch[kind])
          ? [`${of.name} ${name}`]
          : [],
      ),
      ...endpointsOf(of).flatMap(({ route }) =>
        [route.query, route.body].flatMap((schema) =>
          Object.entries(entriesOf(schema)).flatMap(([name, entry]) =>
            refuses(entry, tooMuch[kind]) ? [] : [`${route.method} ${route.path} ${name}`],
          ),
        ),
      ),
    ]);
    expect([...new Set(taking)]).toEqual([]);
  },
);

const withoutText = { toString: 1, valueOf: 1 };

test('no argument of any tool is taken for a text when it is none', async () => {
  const failed: string[] = [];
  const wrong = (parameter: string) => [withoutText, [withoutText]].map((value) => ({ [parameter]: value }));
  for (const { name, uses, takes } of tools)
    for (const chosen of isChoice(uses) ? Object.keys(uses.values).map((value) => ({ [uses.by]: value })) : [{}]) {
      const calls = Object.keys(takes)
        .flatMap(wrong)
        .map(async (hostile) => {
          const { isError, value } = await tool.call(name, { id: 1, ...chosen, ...hostile });
          const isTold = isError
            ? ['bad_request', 'not_found', 'conflict'].includes(value.error)
            : 'ignoredArguments' in value;
          if (!isTold) failed.push(`${name} ${JSON.stringify({ ...chosen, ...hostile })}: ${JSON.stringify(value)}`);
        });
      await Promise.all(calls);
    }
  expect(failed).toEqual([]);
});

test('an argument that a tool reads is bounded and named in the error', async () => {
  const { id } = await tool.value('contacts_create', { name: 'Bounded' });
  const long = 'x'.repeat(1_000_000);
  for (const [name, args, field, code] of [
    ['contacts_get', { id, include: many('messages', 90_000) }, 'include', 'too_many'],
    ['contacts_get', { id, include: [long] }, 'include[0]', 'invalid_enum'],
    ['contacts_update', { id, addTags: many('vip') }, 'addTags', 'too_many'],
    ['contacts_update', { id, removeTagIds: many(1) }, 'removeTagIds', 'too_many'],
    ['contacts_update', { id, note: long }, 'note', 'too_long'],
    ['contacts_search', { fields: long }, 'fields', 'too_long'],
    ['contacts_search', { fields: many('name') }, 'fields', 'too_long'],
    ['contacts_search', { filters: long }, 'filters', 'invalid_type'],
    ['contacts_search', { filters: { metadata: long } }, 'query.metadata', 'invalid_type'],
    ['contacts_search', { filters: { ids: many(1) } }, 'query.ids', 'too_long'],
    ['contacts_get', { id, include: ['activities'], filters: { type: many('Note') } }, 'query.type', 'too_long'],
    ['workspace_get', { part: 'tags', q: `a${'\u0301\u0316'.repeat(100_000)}` }, 'q', 'too_long'],
    ['workspace_get', { part: 'tags', filters: { q: long } }, 'q', 'too_long'],
    ['workspace_get', { part: 'tags', limit: 'many' }, 'limit', 'invalid_type'],
  ] as const) {
    const { isError, value } = await tool.call(name, args);
    expect([isError, value.details?.fields?.[0]], `${name} ${field}`).toEqual([
      true,
      { field, code, message: expect.stringMatching(new RegExp(`^${field.split('[')[0]}`)) },
    ]);
  }
});

test('a list in a list is one text, and not joined with the one around it', async () => {
  const one = await tool.value('contacts_create', { name: 'One' });
  const two = await tool.value('contacts_create', { name: 'Two' });
  const { items } = await tool.value('contacts_search', { filters: { ids: [one.id, two.id] } });
  expect(items.length).toBe(2);
  for (const ids of [[[one.id, two.id]], [one.id, [two.id]], [[[one.id]]]]) {
    const { isError, value } = await tool.call('contacts_search', { filters: { ids } });
    expect([isError, value.details?.fields?.[0]?.field], JSON.stringify(ids)).toEqual([true, 'query.ids']);
  }
});

test('tags are refused together when one transaction cannot take them, and 20 are added together', async () => {
  const { id } = await tool.value('contacts_create', { name: 'Tagged' });
  const names = (count: number) => Array.from({ length: count }, (_, index) => `z${index}`);
  const { isError, value } = await tool.call('contacts_update', { id, addTags: names(60) });
  expect([isError, value.details]).toEqual([true, because('batch_too_large')]);
  expect((await tool.value('contacts_get', { id })).tags).toEqual([]);
  expect((await tool.value('contacts_update', { id, addTags: names(20) })).tags).toHaveLength(20);
});

test('a repeated value counts once, a single one needs no list, and blank or null is none', async () => {
  const tag = await tool.value('tags_manage', { action: 'create', name: 'Twice' });
  const { id } = await tool.value('contacts_create', { name: 'Repeated', notes: 'x' });
  const { tags } = await tool.value('contacts_update', { id, addTags: ['Twice', 'Twice', tag.id] });
  expect(tags.map(({ name }: { name: string }) => name)).toEqual(['Twice']);
  const { tags: left } = await tool.value('contacts_update', { id, removeTagIds: tag.id });
  expect(left).toEqual([]);
  const read = await tool.value('contacts_get', {
    id,
    include: ['duplicates', 'duplicates'],
    fields: ['duplicates', 'notes'],
  });
  expect(read).toEqual({ id, notes: 'x', duplicates: { items: [], hasMore: false, nextCursor: null } });
  const found = await tool.value('workspace_get', { part: 'tags', q: ' ', limit: '1', after: null, filters: null });
  expect(found.items.map(({ name }: { name: string }) => name)).toEqual(['Twice']);
});

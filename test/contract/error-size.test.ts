import { beforeAll, expect, test } from 'vitest';
import { loadRoutes } from '#infra/functions.ts';
import type { Problem } from '#lib/core/problem.ts';
import { readBody } from '#lib/http/operation.ts';
import type { Route } from '#lib/http/route.ts';
import document from '#openapi' with { type: 'json' };
import type { Answer, Client } from '#test/client.ts';
import type { Schema } from '#test/contract/wrong-values.ts';
import { mcp } from '#test/mcp/client.ts';
import { newWorkspace } from '#test/workspace.ts';

const maxBytes = 64 * 1024;
/** Four times what an answer may have; a body may have four times that. */
const room = 4 * maxBytes;
const many = (one: string) => Array.from({ length: Math.floor(room / (one.length + 1)) }, () => one);
const names = (characters: number, start = '') =>
  Array.from(
    { length: Math.floor(room / (characters + 12 + start.length)) },
    (_, index) => `"${start}${String(index).padStart(characters, 'n')}":{}`,
  );

/** JSON that no field takes. */
const junk: Record<string, string> = {
  'a list of texts': `[${many('"\\u0001"').join()}]`,
  'a list of objects': `[${many('{}').join()}]`,
  'thousands of names': `{${names(90).join()}}`,
  'names that no text may have': `{${names(90, '\\u0001\\u0001').join()}}`,
  'a long name': `{"${'n'.repeat(room)}":{}}`,
  'a long text': `"${'\\u0001'.repeat(room / 6)}"`,
};

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
);
const v1 = operations.filter(({ path }) => path.startsWith('/v1/'));

const schemas = document.components.schemas as unknown as Record<string, Schema>;
const withBody = (await loadRoutes()).flatMap(({ route }) => {
  const paths = document.paths as unknown as Record<string, Record<string, Schema>>;
  const schema = paths[route.path]?.[route.method.toLowerCase()]?.['requestBody']?.content['application/json']?.schema;
  const body = schema && (schemas[String(schema['$ref']).split('/').at(-1) as string] ?? schema);
  const field = Object.keys(body?.['properties'] ?? {}).at(-1);
  return field === undefined || !route.path.startsWith('/v1/')
    ? []
    : [{ name: `${route.method} ${route.path}`, route: route as Route, field }];
});

let client: Client;
let key: string;
beforeAll(async () => {
  ({ testKey: key, test: client } = await newWorkspace());
});

const bytesOf = ({ body }: Answer) => Buffer.byteLength(JSON.stringify(body ?? null));

const parsed = Object.entries(junk).map(([kind, text]) => [kind, JSON.parse(text)] as const);

const refusalOf = (route: Route, body: unknown): unknown => {
  try {
    readBody(route, { body, bodyProblem: undefined, isStrict: false });
    return null;
  } catch (problem) {
    return (problem as Problem).body;
  }
};

test.each(withBody)('$name refuses junk in few words', ({ route, field }) => {
  for (const [kind, value] of parsed)
    expect(Buffer.byteLength(JSON.stringify(refusalOf(route, { [field]: value }))), kind).toBeLessThan(maxBytes);
});

test.each(Object.entries(junk))('a call with %s answers in few words', async (_, value) => {
  for (const [path, field] of [
    ['/v1/contacts', 'name'],
    ['/v1/contacts', 'fields'],
    ['/v1/contacts/batch', 'items'],
  ] as const) {
    const answer = await client.call('POST', path, { body: `{"${field}":${value}}` });
    expect(answer.status, `${path} ${field}`).toBe(400);
    expect(bytesOf(answer), `${path} ${field}`).toBeLessThan(maxBytes);
  }
});

test('long ids in a path and long parameters of a query are refused in few words', async () => {
  const long = 'n'.repeat(7_000);
  for (const { method, path } of v1) {
    const answer = await client.call(method, path.replaceAll(/\{\w+\}/g, long), {
      query: { limit: long, after: long, stage: long },
    });
    expect(answer.status, `${method} ${path}`).toBeLessThan(500);
    expect(bytesOf(answer), `${method} ${path}`).toBeLessThan(maxBytes);
  }
});

test('MCP answers in few words when it refuses or ignores input', async () => {
  const { legacy, send } = mcp(key);
  const args = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`unknown${index}`, 1]));
  const { body } = await legacy('tools/call', { name: 'contacts_search', arguments: { ...args, q: 'Ann' } });
  const { ignoredArguments } = body.result.structuredContent;
  expect(ignoredArguments.slice(-2)).toEqual(['unknown19', '+59980 more']);
  expect(ignoredArguments).toHaveLength(21);
  const text = 'n'.repeat(1_000_000);
  const unknown = await legacy('tools/call', { name: text, arguments: {} });
  expect(unknown.body.error.message).toMatch(/^unknown tool: n+$/);
  const withId = await send({ jsonrpc: '2.0', id: text, method: 'ping' });
  expect(withId).toMatchObject({ status: 400, body: { id: null, error: { code: -32600 } } });
  for (const answer of [unknown, withId]) expect(bytesOf(answer)).toBeLessThan(maxBytes);
});

import { beforeAll, describe, expect, test } from 'vitest';
import document from '#openapi' with { type: 'json' };
import type { Answer, Client } from '#test/client.ts';
import type { Schema } from '#test/contract/wrong-values.ts';
import { mcp } from '#test/mcp/client.ts';
import { newWorkspace } from '#test/workspace.ts';

const maxBytes = 64 * 1024;
/** Four times what an answer may have; a body may have four times that, and every operation reads each kind. */
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

const schemas = document.components.schemas as unknown as Record<string, Schema>;
const operations = Object.entries(document.paths as unknown as Record<string, Record<string, Schema>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody }]) => {
      const schema = requestBody?.content['application/json']?.schema as Schema | undefined;
      const body = schema && (schemas[String(schema['$ref']).split('/').at(-1) as string] ?? schema);
      return { name: `${method.toUpperCase()} ${path}`, method: method.toUpperCase(), path, body };
    }),
);
const v1 = operations.filter(({ path }) => path.startsWith('/v1/'));

let client: Client;
let key: string;
beforeAll(async () => {
  ({ testKey: key, test: client } = await newWorkspace());
});

const bytesOf = ({ body }: Answer) => Buffer.byteLength(JSON.stringify(body ?? null));

describe.each(v1.filter(({ body }) => body))('$name', ({ method, path, body }) => {
  const fields = Object.keys((body as Schema)['properties'] ?? {});
  // A batch answers for each of its items.
  const isBatch = path.endsWith('/batch');
  test.skipIf(fields.length === 0).each(Object.entries(junk))('refuses %s in few words', async (_, value) => {
    const field = fields.at(-1) as string;
    const answer = await client.call(method, path.replaceAll(/\{\w+\}/g, '1'), { body: `{"${field}":${value}}` });
    expect(answer.status).toBeGreaterThanOrEqual(isBatch ? 200 : 400);
    expect(answer.status).toBeLessThan(500);
    expect(bytesOf(answer)).toBeLessThan(maxBytes);
  });
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

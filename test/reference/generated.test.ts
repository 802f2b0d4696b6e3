import { describe, expect, test } from 'vitest';
import { llmsText } from '#infra/reference/llms.ts';
import { postmanCollection } from '#infra/reference/postman.ts';
import openapi from '#openapi' with { type: 'json' };
import type { Document } from '#panel/document/document.ts';
import { place } from '#test/place.ts';
import { newWorkspace } from '#test/workspace.ts';

const document = openapi as unknown as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);

interface Request {
  method: string;
  auth?: { type: string };
  url: { raw: string; variable?: { key: string; value: string }[]; query?: { key: string; disabled: boolean }[] };
  header: { key: string; value: string; disabled?: boolean }[];
  body?: { raw: string };
}

const collection = JSON.parse(postmanCollection(document)) as {
  item: { name: string; item: { request: Request }[] }[];
};
const requests = collection.item.flatMap(({ item }) => item.map(({ request }) => request));

describe('the Postman collection', () => {
  test('has every operation once, with the example as its body', () => {
    const named = requests.map(
      ({ method, url }) =>
        `${method} ${url.raw
          .replace('{{baseUrl}}', '')
          .replace(/\?.*/, '')
          .replaceAll(/:(\w+)/g, '{$1}')}`,
    );
    expect(named.sort()).toEqual(operations.sort());
    const create = requests.find(({ method, url }) => method === 'POST' && url.raw === '{{baseUrl}}/v1/contacts');
    const { requestBody } = openapi.paths['/v1/contacts'].post;
    expect(JSON.parse(create?.body?.raw as string)).toEqual(requestBody.content['application/json'].example);
  });

  test('sends no header and no filter of an example unasked', () => {
    const unasked = requests.flatMap(({ header, url: { query = [] } }) =>
      [...header, ...query].filter(({ disabled }) => !disabled).map(({ key }) => key),
    );
    // An address is removed from the suppressions, the schema of fields read, and everything searched, by a query that has to name it.
    expect(new Set(unasked)).toEqual(new Set(['Content-Type', 'address', 'object', 'q']));
  });

  test('reads what a key may read, as Postman would fill it in', async () => {
    const { liveKey } = await newWorkspace();
    const lists = requests.filter(({ method, url }) => method === 'GET' && !url.variable);
    expect(lists.length).toBeGreaterThan(25);
    for (const { url, auth } of lists) {
      const headers: Record<string, string> = auth?.type === 'noauth' ? {} : { authorization: `Bearer ${liveKey}` };
      const answer = await fetch(url.raw.replace('{{baseUrl}}', place('baseUrl')), { headers });
      expect(answer.status, `${url.raw} ${await answer.text()}`).toBe(200);
    }
  });
});

test('llms.txt names every operation and event in Markdown of its form', () => {
  const text = llmsText(document);
  expect(text).toMatch(/^# .+\n\n> .+\n\n/);
  for (const operation of operations) expect(text).toContain(`[${operation}](/docs/#/operations/`);
  for (const kind of Object.keys(document.webhooks)) expect(text).toContain(`- \`${kind}\`: `);
});

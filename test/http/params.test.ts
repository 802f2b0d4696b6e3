import * as v from 'valibot';
import { expect, test } from 'vitest';
import { endpoint } from '#lib/http/endpoint.ts';

const route = { method: 'GET', summary: 'x', scope: 'any', status: 200, response: v.unknown(), errors: [] } as const;

test('params have only the names of the path, and a text parameter is not a number', () => {
  const works = [
    endpoint({ ...route, path: '/v1/things/{id}' }, async ({ params }) => params.id),
    // @ts-expect-error: the path has no id
    endpoint({ ...route, path: '/v1/things' }, async ({ params }) => params.id),
    // @ts-expect-error: it is called otherwise
    endpoint({ ...route, path: '/v1/things/{thingId}' }, async ({ params }) => params.id),
    endpoint({ ...route, path: '/v1/things/{name}', textParams: ['name'] }, async ({ texts }) => texts.name.trim()),
    // @ts-expect-error: it is a text
    endpoint({ ...route, path: '/v1/things/{name}', textParams: ['name'] }, async ({ params }) => params.name),
  ];
  expect(works).toHaveLength(5);
});

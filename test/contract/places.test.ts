import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { loadRoutes } from '#infra/functions.ts';

const routes = (await loadRoutes()).map(({ route }) => route).filter(({ path }) => path.startsWith('/v1/'));
const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
const titleOf = (schema: v.GenericSchema) => v.getTitle(schema as never);

describe('a created resource is at its Location', () => {
  /** What nobody reads by its id: it is in a list, or used by the operations under it. */
  const unread = [
    'POST /v1/companies/{id}/activities',
    'POST /v1/contacts/{id}/activities',
    'POST /v1/files',
    'POST /v1/tags',
    'POST /v1/telegram/logins',
    'POST /v1/twitter/accounts',
  ];
  const making = routes.filter(({ method, status }) => method === 'POST' && status !== 200);

  test.each(making.map((route) => [nameOf(route), route] as const))('%s', (name, route) => {
    const params = Object.fromEntries([...route.path.matchAll(/\{(\w+)\}/g)].map(([, key]) => [key as string, 7]));
    const asked = route.path.replaceAll(/\{\w+\}/g, '7');
    const place =
      route.location?.({ id: 7, endpointId: 7 } as v.InferOutput<typeof route.response>, params) ?? `${asked}/7`;
    const found = routes.some(({ method, path }) => method === 'GET' && path.replaceAll(/\{\w+\}/g, '7') === place);
    expect(found, place).toBe(!unread.includes(name));
  });
});

describe('If-Match of a write takes the ETag that a GET above it answers', () => {
  const reads = routes.filter(({ method, path }) => method === 'GET' && path.includes('{'));
  const tagged = ({ volatile, reported }: (typeof routes)[number]) => ({ volatile, reported });
  const changing = routes.flatMap((route) => {
    const above = reads.filter(({ path }) => `${route.path}/`.startsWith(`${path}/`));
    return route.current && above.length > 0 ? [[nameOf(route), route, above] as const] : [];
  });

  test('for most writes', () => expect(changing.length).toBeGreaterThan(30));
  test.each(changing)('%s', (_, write, above) => {
    const title = titleOf(write.representation ?? write.response);
    const read = above.find(({ response }) => titleOf(response) === title);
    expect(read && tagged(read)).toEqual(tagged(write));
  });
});

import { expect, test } from 'vitest';
import { loadRoutes } from '#infra/functions.ts';

/** The lists that show what a collection without one of its own, or with a dear one, has to be stopped. */
const elsewhere: Record<string, string> = {
  '/v1/contacts': '/v1/tags',
  '/v1/twitter/messages': '/v1/jobs',
  '/panel/invoices': '/v1/finance/invoices',
  '/panel/revenue-sources': '/v1/finance/revenue-sources',
};

/** What a call that stops something names is shown to whoever can make it, at little cost. */
test('what can be stopped on a used-up day is shown on it', async () => {
  const routes = (await loadRoutes()).map(({ route }) => route);
  const isDone = (body: object) => (route: (typeof routes)[number]) => route.evenWhenUsedUp?.(body) === true;
  const shown = new Set(
    routes
      .filter(({ method }) => method === 'GET')
      .filter(isDone({}))
      .map(({ path }) => path),
  );
  const stopping = routes.filter(
    (route) =>
      route.method === 'DELETE' ||
      (route.method !== 'GET' && [{}, { isActive: false }, { status: 'disabled' }].some((body) => isDone(body)(route))),
  );
  const unshown = stopping.flatMap(({ method, path }) => {
    const collection = path.split('/{')[0] as string;
    const isShown = [elsewhere[collection], collection, collection.replace('/panel/', '/v1/')].some(
      (list) => list !== undefined && shown.has(list),
    );
    return isShown ? [] : [`${method} ${path}`];
  });
  expect(unshown.toSorted()).toEqual([]);
});

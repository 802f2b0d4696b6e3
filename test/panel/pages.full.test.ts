import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { api, eventually } from '#test/client.ts';
import { newWorkspace } from '#test/workspace.ts';
import { startBrowser } from './chromium.ts';
import { crawl, openPlace } from './crawl.ts';
import { signedIn } from './member.ts';
import { shiftOf, widths } from './page.ts';
import { newDemo, openPanel } from './signed-in.ts';

let browser: Browser | undefined;
let session: string;
beforeAll(async () => {
  browser = await startBrowser();
  if (!browser) return;
  const demo = await newDemo();
  ({ session } = demo);
  const crm = api(demo.liveKey);
  const { id } = (await crm.post('/v1/webhooks', { url: 'http://127.0.0.1:9/nobody' })).body;
  await crm.post('/v1/tags', { name: 'Told' });
  await crm.post('/v1/contacts', { name: 'Somebody' });
  await eventually(async () => {
    const [delivery] = (await crm.get(`/v1/webhooks/${id}/deliveries`)).body.items;
    return delivery?.attemptCount > 0;
  }, 'a delivery that was tried');
});
afterAll(() => browser?.close());

/** Those that the contract names (section 27). */
const places = [
  ...['/home', '/inbox', '/contacts', '/companies', '/deals', '/tasks', '/finance', '/accounts'],
  ...['keys', 'webhooks', 'events', 'requests', 'jobs', 'reference', 'mcp'].map((name) => `/developers/${name}`),
];

/** What they lead to. */
const further = [
  ...[
    '/inbox/{id}',
    '/contacts/{id}',
    '/companies/{id}',
    '/deals/{id}',
    '/developers/webhooks/{id}',
    '/settings/sequences/{id}',
  ],
  ...['/finance/invoices', '/finance/transactions', '/finance/sources'],
  ...['/settings/members', '/settings/workspace', '/settings/fields', '/settings/sequences', '/settings/agents'],
  ...['/contacts/tags', '/contacts/suppressions', '/developers/audit'],
  '/developers/webhooks/{id}/deliveries/{id}',
];

test.for([
  ['wide', 'light', true],
  ['wide', 'dark', false],
  ['narrow', 'light', false],
  ['narrow', 'dark', true],
] as const)('every page of the demo, %s and %s, has no fault', async ([size, scheme, withDialogs], { skip }) => {
  if (!browser) return skip();
  const watched = await openPanel(browser, session, { width: widths[size], scheme });
  const { seen, found } = await crawl(watched, `${size}-${scheme}`, { withDialogs });
  expect(found).toEqual([]);
  expect(seen).toEqual(expect.arrayContaining(places));
  expect(seen.map((path) => path.replaceAll(/\/\d+/g, '/{id}'))).toEqual(expect.arrayContaining(further));
  await watched.page.context().close();
});

test('a page opened by its link does not jump while it loads', async ({ skip }) => {
  if (!browser) return skip();
  const { page } = await openPanel(browser, session, { width: widths.narrow });
  for (const path of ['/home', '/inbox/1', '/contacts/1', '/deals/1']) {
    await page.goto('about:blank');
    await openPlace(page, path);
    expect([path, (await shiftOf(page)) < 0.1]).toEqual([path, true]);
  }
  await page.context().close();
});

const lists = [
  ...[
    '/inbox',
    '/contacts',
    '/companies',
    '/deals',
    '/tasks',
    '/finance/invoices',
    '/finance/transactions',
    '/finance/sources',
  ],
  ...['/accounts', '/settings/sequences', '/settings/agents', '/developers/webhooks', '/developers/jobs'],
];

test('where there is nothing yet, every page says what to do', async ({ skip }) => {
  if (!browser) return skip();
  const { id } = await newWorkspace();
  const watched = await openPanel(browser, (await signedIn(id)).token);
  const { found } = await crawl(watched, 'empty');
  expect(found).toEqual([]);
  for (const path of lists) {
    await openPlace(watched.page, path);
    expect([path, (await watched.page.locator('main .empty').count()) > 0]).toEqual([path, true]);
  }
  await watched.page.context().close();
});

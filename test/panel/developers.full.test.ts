import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { api } from '#test/client.ts';
import { startBrowser } from './chromium.ts';
import { openPlace } from './crawl.ts';
import { newDemo, openPanel, panelUrl } from './signed-in.ts';

let browser: Browser | undefined;
let demo: Awaited<ReturnType<typeof newDemo>>;
beforeAll(async () => {
  browser = await startBrowser();
  if (browser) demo = await newDemo();
});
afterAll(() => browser?.close());

/** Notes the calls of the API that a page makes, as `GET /v1/events`. */
function callsOf(page: Page): string[] {
  const calls: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/v1\/|^\/panel\/(sessions|conversations)/.test(pathname)) calls.push(`${request.method()} ${pathname}`);
  });
  return calls;
}

test.for(['/home', '/inbox', '/contacts', '/deals', '/tasks'])(
  '%s opens with at most 12 calls',
  async (path, { skip }) => {
    if (!browser) return skip();
    const { page, faults } = await openPanel(browser, demo.session);
    await page.goto(`${panelUrl}#${path}`);
    await page.waitForLoadState('networkidle');
    const calls = callsOf(page);
    // As in a new tab, the position in the feed is not known.
    await page.evaluate(`
      for (const name of Object.keys(sessionStorage)) if (name.includes('position')) sessionStorage.removeItem(name);
      location.reload()`);
    await page.waitForEvent('load');
    await page.waitForSelector('main h1');
    await page.waitForTimeout(1500);
    expect(calls.length, calls.join('\n')).toBeLessThanOrEqual(12);
    expect(calls.filter((call) => call === 'GET /panel/sessions/current')).toHaveLength(1);
    expect(calls.filter((call) => call === 'GET /v1/events')).toHaveLength(1);
    expect(faults).toEqual([]);
    await page.context().close();
  },
);

test('a conversation loads nothing again for a change of another contact', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const { page } = await openPanel(browser, demo.session);
  await openPlace(page, '/inbox');
  await page.locator('main a[href^="#/inbox/"]').first().click();
  await page.waitForSelector('.composer textarea');
  await page.waitForTimeout(3000);
  const calls = callsOf(page);
  const [, open] = /inbox\/(\d+)/.exec(page.url()) ?? [];
  await crm.post('/v1/contacts', { name: 'Somebody else' });
  await page.waitForTimeout(4000);
  expect(calls.filter((call) => call.startsWith(`GET /v1/contacts/${open}`))).toEqual([]);
  await page.context().close();
});

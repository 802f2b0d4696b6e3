import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { api, eventually } from '#test/client.ts';
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

/** Notes the calls of the API that a page makes, as `GET /v1/events?since=7`. */
function callsOf(page: Page): string[] {
  const calls: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (/^\/v1\/|^\/panel\/(sessions|conversations|webhooks)/.test(pathname))
      calls.push(`${request.method()} ${pathname}${search}`);
  });
  return calls;
}

/** Makes an endpoint and what was sent to it. */
async function newDelivered(): Promise<number> {
  const crm = api(demo.liveKey);
  const url = 'https://example.com/delivered';
  const { id } = (await crm.post('/v1/webhooks', { url, eventKinds: ['field.created'] }, 201)).body;
  await crm.post(`/v1/webhooks/${id}/test`, {});
  return id;
}

const firstPages = ['/home', '/inbox', '/contacts', '/contacts/{id}', '/deals', '/tasks', '/developers/webhooks/{id}'];

test.for(firstPages)('%s opens with at most 12 calls, and asks nothing twice', async (kind, { skip }) => {
  if (!browser) return skip();
  const path = kind.replace('{id}', String(kind.includes('webhooks') ? await newDelivered() : 1));
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
  // The feed is looked at every two seconds, which a slow page lives to see.
  const looks = calls.filter((call) => call.startsWith('GET /v1/events?'));
  expect(looks.length).toBeLessThanOrEqual(2);
  const own = calls.filter((call) => !looks.slice(1).includes(call));
  expect(own.length, own.join('\n')).toBeLessThanOrEqual(12);
  expect(own.filter((call, at) => own.indexOf(call) < at)).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a board loads nothing again after a move of its own, and its columns after that of another', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const { id } = (await crm.post('/v1/deals', { title: 'Moved by keys', value: 700 })).body;
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/deals');
  const card = page.locator(`[data-deal="${id}"]`);
  await card.getByText('10%').waitFor();
  const calls = callsOf(page);
  const loads = () => calls.filter((call) => /^GET .v1.(deals|pipelines)/.test(call));
  await card.getByRole('link').focus();
  await page.keyboard.press('Shift+ArrowRight');
  // The API sets the probability of the column.
  await card.getByText('30%').waitFor();
  await page.waitForTimeout(5000);
  expect(calls.filter((call) => call.startsWith('POST'))).toEqual([expect.stringContaining(`/v1/deals/${id}/column`)]);
  expect(loads()).toEqual([]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await card.getByText('10%').waitFor();
  await crm.post(`/v1/deals/${id}/stage`, { stage: 'proposal' });
  await page
    .getByRole('region', { name: /^Proposal/ })
    .filter({ has: card })
    .waitFor();
  expect(loads()).not.toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
});

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

test('a paused endpoint says until when, and tries again at a click', async ({ skip }) => {
  if (!browser) return skip();
  let status = 503;
  const receiver = createServer((_request, answer) => {
    answer.statusCode = status;
    answer.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const crm = api(demo.liveKey);
  const { id } = (await crm.post('/v1/webhooks', { url, eventKinds: ['task.created'] })).body;
  for (let count = 0; count < 10; count += 1) await crm.post('/v1/tasks', { title: `Task ${count}` });
  await eventually(async () => (await crm.get(`/v1/webhooks/${id}`)).body.pausedUntil !== null, 'a pause');

  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/developers/webhooks?order=health');
  const row = page.locator('tbody tr').first();
  await row.getByText('Paused').waitFor();
  expect(await row.locator('.spark').getAttribute('aria-label')).toMatch(/^0 succeeded, \d+ failed/);
  await row.getByRole('link').click();
  await page.getByText(/Paused after \d+ failures in a row\. The next try is/).waitFor();
  // No delivery is tried before the pause ends, and none in the past.
  await page.getByRole('link', { name: 'task.created' }).first().click();
  await page.getByText('Next attempt').waitFor();
  expect(await page.locator('.facts').textContent()).not.toMatch(/Next attempt.*ago/);
  await page.getByRole('button', { name: 'Send now' }).waitFor();
  await page.goBack();

  status = 200;
  await page.getByRole('button', { name: 'Try now' }).click();
  await page.getByText('What waits is sent now.').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Try now' }).count()).toBe(0);
  await expect.poll(() => page.locator('tbody').getByText('Succeeded').count()).toBe(10);
  expect(faults).toEqual([]);
  await page.context().close();
  receiver.close();
});

test('an endpoint is made with headers and a secret of its own, and changed without the rest', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/developers/webhooks');
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill('https://example.com/own');
  await dialog.getByText('Headers of its own').click();
  await dialog.getByLabel('Add or replace headers').fill('Authorization: Bearer one\nX-Team: sales');
  await dialog.getByLabel('A secret of its own').check();
  await dialog.getByRole('button', { name: 'Create endpoint' }).click();
  await page.getByRole('heading', { name: 'The signing secret' }).waitFor();
  const { items } = (await crm.get('/v1/webhooks')).body;
  const { id, ...made } = items.find((one: { url: string }) => one.url === 'https://example.com/own');
  expect(made).toMatchObject({ headers: ['Authorization', 'X-Team'], ownSecret: true });

  await openPlace(page, `/developers/webhooks/${id}`);
  await page.getByText('Never delivered').waitFor();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.waitForLoadState('networkidle');
  await crm.patch(`/v1/webhooks/${id}`, { description: 'Theirs' });
  await dialog.getByLabel('X-Team').check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  const { body: changed } = await crm.get(`/v1/webhooks/${id}`);
  expect(changed).toMatchObject({ description: 'Theirs', headers: ['Authorization'], eventKinds: ['*'], filter: null });
  // The browser tells of the conflict, which the page has solved.
  expect(faults.filter((fault) => !fault.includes('412'))).toEqual([]);
  await page.context().close();
});

test('an event names its contact, and the tab is named after the page', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/developers/events');
  await api(demo.liveKey).post('/v1/contacts', { name: 'Event Person' });
  await page.locator('summary', { hasText: 'Event Person' }).first().waitFor();
  await openPlace(page, '/developers/jobs');
  await page.getByRole('heading', { level: 1, name: 'Scheduled messages' }).waitFor();
  expect(await page.title()).toMatch(/Scheduled messages · CRM$/);
  expect(faults).toEqual([]);
  await page.context().close();
});

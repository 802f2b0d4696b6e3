import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { api, type Client } from '#test/client.ts';
import { clientOf } from '#test/workspace.ts';
import { startBrowser } from './chromium.ts';
import { crawl, openPlace } from './crawl.ts';
import { screenshot, widths } from './page.ts';
import { fillRealistically } from './realistic.ts';
import { newDemo, newSession, openPanel } from './signed-in.ts';

let browser: Browser | undefined;
let session: string;
let workspaceId: number;
let crm: Client;
beforeAll(async () => {
  browser = await startBrowser();
  if (!browser) return;
  const demo = await newDemo();
  ({ session, workspaceId } = demo);
  crm = await clientOf(workspaceId);
  await fillRealistically({
    workspaceId,
    get: async (path) => (await crm.get(path, {}, 200)).body,
    post: async (path, body) => (await crm.post(path, body)).body,
  });
});
afterAll(() => browser?.close());

test.for([
  ['on a phone', { width: widths.narrow }],
  ['on a phone in German', { width: widths.narrow, locale: 'de-DE' }],
  ['at 200 % zoom', { width: widths.wide / 2 }],
] as const)('no page scrolls sideways %s with hostile data', async ([name, options], { skip }) => {
  if (!browser) return skip();
  const watched = await openPanel(browser, session, options);
  const { found, seen } = await crawl(watched, `realistic-${name.replaceAll(/\W+/g, '-')}`);
  expect(found).toEqual([]);
  expect(seen.length).toBeGreaterThan(20);
  await watched.page.context().close();
});

const composerOverflow =
  "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.composer'))";

test.for([
  ['on a phone', { width: 360, height: 640 }],
  ['at 200 % zoom', { width: 720, height: 450 }],
] as const)('messages have 45 % of the height %s', async ([, viewport], { skip }) => {
  if (!browser) return skip();
  const { page } = await openPanel(browser, session, { viewport });
  const pane = page.locator('.messages');
  const share = async () => ((await pane.boundingBox())?.height ?? 0) / viewport.height;
  await openPlace(page, '/inbox');
  await page.locator('main a[href^="#/inbox/"]').first().click();
  await page.locator('.composer textarea').waitFor();
  await expect.poll(share).toBeGreaterThan(0.45);
  for (const sender of ['A buyer', 'Ben Baker', 'S'.repeat(90)]) {
    await openPlace(page, '/inbox?channel=email');
    await page.locator('main a[href^="#/inbox/"]').filter({ hasText: sender }).click();
    await page.locator('.recipients').waitFor();
    await expect.poll(share, { message: sender }).toBeGreaterThan(0.45);
    expect(await page.evaluate(composerOverflow), sender).toBe(0);
    await screenshot(page, `inbox-mail-${viewport.width}-${sender.slice(0, 3)}`);
  }
  await page.context().close();
});

test('Overdue has every task that is late, and a line of text adds one of mine', async ({ skip }) => {
  if (!browser) return skip();
  const { tasks } = (await crm.get('/v1/analytics/dashboard')).body;
  expect(tasks.overdue).toBeGreaterThan(100);
  const { page, faults } = await openPanel(browser, session);
  await openPlace(page, '/tasks?assignee=all');
  const overdue = page.getByRole('heading', { name: /^Overdue/ });
  expect(await overdue.textContent()).toBe(`Overdue ${tasks.overdue}`);
  expect(
    await page
      .getByRole('list', { name: /^Overdue/ })
      .getByRole('checkbox')
      .count(),
  ).toBe(50);
  await page
    .getByRole('button', { name: `Show ${tasks.overdue - 50} more` })
    .first()
    .click();
  expect(
    await page
      .getByRole('list', { name: /^Overdue/ })
      .getByRole('checkbox')
      .count(),
  ).toBe(tasks.overdue);
  expect(await page.locator('.task .title[dir="auto"]').count()).toBe(await page.locator('.task').count());
  // Without a choice it is one's own list.
  await openPlace(page, '/tasks');
  await expect.poll(async () => Number((await overdue.textContent())?.replace(/\D/g, ''))).toBeLessThan(tasks.overdue);
  await page.getByLabel('Add a task').fill('Water the plants');
  await page.keyboard.press('Enter');
  const added = page
    .getByRole('list', { name: /^Today/ })
    .getByRole('button', { name: 'Water the plants', exact: true });
  await added.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Deal').fill('Ten seats');
  const option = dialog.locator('datalist option[value^="Ten seats"]').first();
  await option.waitFor({ state: 'attached' });
  await dialog.getByLabel('Deal').fill((await option.getAttribute('value')) as string);
  await dialog.getByLabel('Remind').fill('2031-05-01T09:00');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  const [task] = (await crm.get('/v1/tasks', { q: 'Water the plants' })).body.items;
  expect(task).toMatchObject({ dealId: expect.any(Number), remindAt: '2031-05-01T07:00:00Z' });
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a search asks for nothing while an input method composes', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, session);
  await openPlace(page, '/contacts');
  let searches = 0;
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/v1/contacts/search') searches += 1;
  });
  await page.getByRole('searchbox').first().focus();
  const keyboard = await page.context().newCDPSession(page);
  for (const text of ['t', 'た', 'たな', 'たなか']) {
    await keyboard.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
    await page.waitForTimeout(500);
  }
  expect(searches).toBe(0);
  await keyboard.send('Input.insertText', { text: '田中' });
  await expect.poll(() => searches).toBeGreaterThan(0);
  expect(decodeURIComponent(page.url())).toMatch(/\?q=田中$/);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('Home lists what waits for me, and compares numbers with the period before', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, session, { timezoneId: 'Asia/Tokyo' });
  await openPlace(page, '/home');
  const numberOf = async (name: string) =>
    Number((await page.getByRole('region', { name }).getByRole('heading').textContent())?.replaceAll(/\D/g, ''));
  expect(await numberOf('My tasks due')).toBeGreaterThan(40);
  expect(await numberOf('Waiting for an answer')).toBeGreaterThan(20);
  expect(await numberOf('Deals that close this week')).toBeGreaterThan(0);
  await page.getByRole('region', { name: 'Failed sends' }).waitFor();
  const done = page.getByRole('region', { name: 'My tasks due' }).getByRole('checkbox').first();
  const before = await numberOf('My tasks due');
  await done.click();
  await expect.poll(() => numberOf('My tasks due')).toBe(before - 1);
  const asked: URL[] = [];
  page.on('request', (request) => asked.push(new URL(request.url())));
  await page.getByLabel('Period').selectOption('30');
  const received = page.locator('.figure', { hasText: 'Messages received' });
  await expect.poll(() => received.textContent()).toMatch(/26\d.* before$/);
  const zones = asked
    .filter(({ pathname }) => pathname.startsWith('/v1/analytics/'))
    .map(({ searchParams }) => searchParams.get('timeZone'));
  expect(new Set(zones)).toEqual(new Set(['Asia/Tokyo']));
  expect(faults).toEqual([]);
  await page.context().close();
});

test('transactions stand by date with the totals of their month, and an invoice has a page', async ({ skip }) => {
  if (!browser) return skip();
  const book = (day: string, amount: number) =>
    crm.post(
      '/v1/finance/transactions',
      { type: 'income', amount, currency: 'SEK', occurredAt: `${day}T00:00:00Z` },
      201,
    );
  for (const [day, amount] of [
    ['2025-03-20', 30],
    ['2025-03-31', 40],
    ['2025-03-01', 20],
    ['2025-04-01', 500],
  ] as const)
    await book(day, amount);
  const { page, faults } = await openPanel(browser, session, { timezoneId: 'America/New_York' });
  await openPlace(page, '/finance/transactions?month=2025-03');
  expect(await page.locator('tbody time').allTextContents()).toEqual(['31 Mar 2025', '20 Mar 2025', '1 Mar 2025']);
  expect(await page.locator('.facts').textContent()).toMatch(/Net in SEK.*90\.00/);
  await page.getByRole('link', { name: 'April 2025' }).click();
  await expect.poll(() => page.locator('tbody time').allTextContents()).toEqual(['1 Apr 2025']);
  await openPlace(page, '/finance/invoices');
  await page.getByRole('link', { name: 'D-1001' }).click();
  await page.getByRole('heading', { level: 1, name: 'D-1001' }).waitFor();
  await page.getByRole('button', { name: 'Actions for D-1001' }).click();
  await page.getByRole('menuitem', { name: 'Mark as paid' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Mark as paid' }).click();
  await page.locator('.head').getByText('Paid', { exact: true }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a member sets the panel for oneself, on every device, and ends a session elsewhere', async ({ skip }) => {
  if (!browser) return skip();
  const elsewhere = await newSession(workspaceId);
  const { page, faults } = await openPanel(browser, session);
  await openPlace(page, '/home');
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('button', { name: 'Your settings' }).click();
  await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
  await page.getByLabel('Form of dates').selectOption('iso');
  await page.getByLabel('Theme').selectOption('dark');
  await page.getByLabel('Language').selectOption('de');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor();
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
  // Another browser of the same member.
  const other = await openPanel(browser, session);
  await openPlace(other.page, '/finance/invoices');
  await other.page.getByRole('heading', { level: 1, name: 'Finanzen' }).waitFor();
  expect(await other.page.locator('tbody time').first().textContent()).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  await openPlace(other.page, '/settings/you');
  await other.page.getByLabel('Sprache').selectOption('en');
  await other.page.getByLabel('Farben').selectOption('system');
  await other.page.getByLabel('Zeitzone').selectOption('');
  await other.page.getByRole('button', { name: 'Speichern' }).click();
  await other.page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  const sessions = other.page.getByRole('region', { name: 'Where you are signed in' }).getByRole('listitem');
  await sessions.filter({ hasText: 'This one' }).waitFor();
  const others = sessions.filter({ hasNotText: 'This one' }).getByRole('button', { name: 'Sign out there' });
  for (let left = await others.count(); left > 0; left -= 1) {
    await others.first().click();
    await expect.poll(() => others.count()).toBe(left - 1);
  }
  await expect.poll(() => sessions.count()).toBe(1);
  expect((await api(elsewhere).get('/panel/sessions/current')).status).toBe(401);
  expect(faults).toEqual([]);
  await Promise.all([page, other.page].map((one) => one.context().close()));
});

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { api } from '#test/client.ts';
import { startBrowser } from './chromium.ts';
import { openPlace } from './crawl.ts';
import { signedIn } from './member.ts';
import { accessibilityFindings, overflowPx, screenshot, widths } from './page.ts';
import { newDemo, openPanel } from './signed-in.ts';

let browser: Browser | undefined;
let demo: Awaited<ReturnType<typeof newDemo>>;
beforeAll(async () => {
  browser = await startBrowser();
  if (!browser) return;
  demo = await newDemo();
  const crm = api(demo.liveKey);
  await crm.post('/v1/contacts', { name: 'Zora Finch', email: 'zora@finch.example' });
  await crm.post('/v1/companies', { name: 'Finch & Sons' });
  await crm.post('/v1/deals', { title: 'Finch renewal', value: 900, currency: 'EUR' });
  await crm.post('/v1/tasks', { title: 'Ring Finch' });
});
afterAll(() => browser?.close());

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Search' });
const field = (page: Page) => dialog(page).getByRole('combobox');
const option = (page: Page, name: string | RegExp) => dialog(page).getByRole('option', { name });
const chosen = (page: Page) => dialog(page).getByRole('option', { selected: true });
const path = (page: Page) => new URL(page.url()).hash.slice(1);

async function openPalette(page: Page, keys = 'Control+k') {
  await page.keyboard.press(keys);
  await field(page).waitFor();
}

test('keys alone find a record, open it, and a second one in a new tab', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, demo.session);
  await page.keyboard.press('/');
  await page.keyboard.type('finch');
  for (const name of [/^Zora Finch/, /^Finch & Sons/, /^Finch renewal/, /^Ring Finch/])
    await option(page, name).waitFor();
  expect(
    await option(page, /^Zora Finch/)
      .locator('mark')
      .first()
      .textContent(),
  ).toBe('Finch');
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'palette-found');
  while (!/^Finch renewal/.test((await chosen(page).textContent()) ?? '')) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Finch renewal', level: 1 }).waitFor();
  await openPalette(page);
  expect(await chosen(page).textContent()).toContain('Finch renewal');
  await page.keyboard.type('zora');
  await option(page, /^Zora Finch/).waitFor();
  const [opened] = await Promise.all([page.waitForEvent('popup'), page.keyboard.press('Control+Enter')]);
  await opened.getByRole('heading', { name: 'Zora Finch', level: 1 }).waitFor();
  expect(path(page)).toMatch(/^\/deals\/\d+$/);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('an action opens its dialog from anywhere, and Escape goes back to where the focus was', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/contacts');
  await page.getByRole('searchbox').focus();
  await openPalette(page);
  await page.keyboard.press('Escape');
  await expect.poll(() => dialog(page).count()).toBe(0);
  expect(await page.locator('main input[type=search]:focus').count()).toBe(1);
  await openPalette(page);
  await page.keyboard.type('new deal');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'New deal' }).locator('form :focus').waitFor();
  expect(path(page)).toBe('/deals');
  await page.keyboard.press('Escape');
  await openPalette(page);
  await page.keyboard.type('go to webh');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
  await openPalette(page);
  await page.keyboard.type('sandb');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('html').getAttribute('data-environment')).toBe('test');
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a late answer to fewer letters never replaces a newer one, and Enter waits for its answer', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, demo.session);
  const held = Promise.withResolvers<void>();
  await page.route(/\/v1\/search\?q=fin$/, async (route) => {
    await held.promise;
    await route.continue().catch(() => undefined);
  });
  await openPalette(page);
  const slow = page.waitForRequest(/\/v1\/search\?q=fin$/);
  await page.keyboard.type('fin');
  await slow;
  await page.keyboard.type('ch renewal');
  await option(page, /^Finch renewal/).waitFor();
  held.resolve();
  await page.waitForTimeout(500);
  expect(await dialog(page).getByRole('option').count()).toBe(1);
  await field(page).fill('zora finch');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Zora Finch', level: 1 }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a Cyrillic layout, a phone, and the dark scheme work alike', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, demo.session, { width: widths.narrow, scheme: 'dark' });
  const keyboard = await page.context().newCDPSession(page);
  await keyboard.send('Input.dispatchKeyEvent', { type: 'keyDown', modifiers: 2, key: 'л', code: 'KeyK' });
  await field(page).waitFor();
  await field(page).fill('finch');
  await option(page, /^Zora Finch/).waitFor();
  expect(await overflowPx(page)).toBe(0);
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'palette-narrow-dark');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Search everything' }).click();
  await field(page).waitFor();
  await screenshot(page, 'palette-narrow-dark-empty');
  expect(faults).toEqual([]);
  await page.context().close();
});

test('letters that are typed while it loads are not lost, and no page takes them', async ({ skip }) => {
  if (!browser) return skip();
  const { page } = await openPanel(browser, demo.session);
  await openPlace(page, '/deals');
  await page.route(/\/panel\/palette\./, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await route.continue();
  });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('new');
  await field(page).waitFor();
  await page.keyboard.type(' task');
  expect(await field(page).inputValue()).toBe('new task');
  expect(await page.getByRole('dialog').count()).toBe(1);
  await page.context().close();
});

test('a member sees nothing of what their role may not read', async ({ skip }) => {
  if (!browser) return skip();
  const { token } = await signedIn(demo.workspaceId, 'member');
  const { page, faults } = await openPanel(browser, token);
  await openPalette(page);
  await page.keyboard.type('finch');
  await option(page, /^Zora Finch/).waitFor();
  await field(page).fill('new');
  expect(await option(page, /^New API key/).count()).toBe(0);
  expect(await dialog(page).getByRole('alert').count()).toBe(0);
  expect(faults).toEqual([]);
  await page.context().close();
});

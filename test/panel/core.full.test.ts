import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { api } from '#test/client.ts';
import { startBrowser } from './chromium.ts';
import { openPlace } from './crawl.ts';
import { newDemo, openPanel } from './signed-in.ts';

let browser: Browser | undefined;
let demo: Awaited<ReturnType<typeof newDemo>>;
beforeAll(async () => {
  browser = await startBrowser();
  if (browser) demo = await newDemo();
});
afterAll(() => browser?.close());

test.for(['America/New_York', 'Asia/Tokyo'])('saving a title moves no day in %s', async (timezoneId, { skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const body = { title: 'Day', value: 5, currency: 'EUR', expectedCloseAt: '2026-11-30T00:00:00.000Z' };
  const { id } = (await crm.post('/v1/deals', body)).body;
  const { page, faults } = await openPanel(browser, demo.session, { timezoneId });
  await openPlace(page, `/deals/${id}`);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByLabel('Expected to close').inputValue()).toBe('2026-11-30');
  await dialog.getByLabel('Title').fill('Day, renamed');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  const deal = (await crm.get(`/v1/deals/${id}`)).body;
  expect(deal).toMatchObject({ title: 'Day, renamed', expectedCloseAt: expect.stringMatching(/^2026-11-30T00:00:00/) });
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a conflict shows both values, and what nobody touched stays the other’s', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const { id } = (await crm.post('/v1/deals', { title: 'First', value: 100, currency: 'EUR' })).body;
  const { page } = await openPanel(browser, demo.session);
  await openPlace(page, `/deals/${id}`);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.waitForLoadState('networkidle');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('Mine');
  await crm.patch(`/v1/deals/${id}`, { title: 'Theirs', value: 5555 });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Now it is: Theirs').waitFor();
  expect(await dialog.getByLabel('Title').inputValue()).toBe('Mine');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  expect((await crm.get(`/v1/deals/${id}`)).body).toMatchObject({ title: 'Mine', value: 5555 });
  await page.context().close();
});

test('a form that opens on an older version takes over what has changed since', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const { id } = (await crm.post('/v1/deals', { title: 'First', value: 100, currency: 'EUR' })).body;
  const { page } = await openPanel(browser, demo.session);
  await openPlace(page, `/deals/${id}`);
  const version = Promise.withResolvers<void>();
  await page.route(`**/v1/deals/${id}`, async (route) => {
    await version.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('Mine');
  await crm.patch(`/v1/deals/${id}`, { value: 5555 });
  await dialog.getByRole('button', { name: 'Save' }).click();
  version.resolve();
  await page.getByText('Saved.').waitFor();
  expect((await crm.get(`/v1/deals/${id}`)).body).toMatchObject({ title: 'Mine', value: 5555 });
  await page.context().close();
});

test('Escape and Cancel ask before they discard what was entered', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/deals');
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('Half a deal');
  for (const press of [
    () => page.keyboard.press('Escape'),
    () => dialog.getByRole('button', { name: 'Cancel' }).click(),
  ]) {
    await press();
    await dialog.getByText('Discard your changes?').waitFor();
    await dialog.getByRole('button', { name: 'Go back' }).click();
    expect(await dialog.getByLabel('Title').inputValue()).toBe('Half a deal');
  }
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Discard' }).click();
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  // Nothing was entered: nothing is asked.
  await page.keyboard.press('n');
  await expect.poll(() => page.locator('dialog form :focus').count()).toBe(1);
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a draft is there again after another page and a reload, and gone with a sign-out', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/inbox');
  await page.locator('main a[href^="#/inbox/"]').first().click();
  const field = page.locator('.composer textarea');
  await field.fill('Half a sentence');
  const { hash } = new URL(page.url());
  await openPlace(page, '/contacts');
  await openPlace(page, hash.slice(1));
  expect(await field.inputValue()).toBe('Half a sentence');
  await page.reload();
  await page.waitForSelector('.composer textarea');
  expect(await field.inputValue()).toBe('Half a sentence');
  expect(await page.title()).toMatch(/ · CRM$/);
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await page.evaluate("sessionStorage.getItem('crm.drafts')")).toBeNull();
  expect(faults).toEqual([]);
  await page.context().close();
});

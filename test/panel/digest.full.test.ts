import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { api } from '#test/client.ts';
import { startBrowser } from './chromium.ts';
import { openPlace } from './crawl.ts';
import { accessibilityFindings } from './page.ts';
import { newDemo, openPanel } from './signed-in.ts';

let browser: Browser | undefined;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

test('a member sets the mail of what waits, which keeps the zone and the language of the browser', async ({ skip }) => {
  if (!browser) return skip();
  const { session } = await newDemo();
  const { page, faults } = await openPanel(browser, session, { timezoneId: 'Asia/Tokyo', locale: 'de-DE' });
  await openPlace(page, '/settings/you');
  const mails = page.locator('input[name=mails]');
  expect([await mails.isChecked(), await page.locator('select[name=mailHour]').inputValue()]).toEqual([false, '8']);
  await mails.check();
  await page.locator('select[name=mailHour]').selectOption('7');
  await page.locator('form button[type=submit]').click();
  const me = async () => (await api(session).get('/panel/me')).body;
  await expect.poll(async () => (await me()).notifications.mailHour).toBe(7);
  expect(await me()).toMatchObject({ timeZone: 'Asia/Tokyo', language: 'de', notifications: { browser: false } });
  await expect.poll(() => page.locator('select[name=timeZone]').inputValue()).toBe('Asia/Tokyo');
  expect([await accessibilityFindings(page), faults]).toEqual([[], []]);
  await page.context().close();
});

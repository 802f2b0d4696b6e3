import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { api } from '#test/client.ts';
import { startBrowser } from './chromium.ts';
import { openPlace } from './crawl.ts';
import { accessibilityFindings, overflowPx, screenshot, widths } from './page.ts';
import { newDemo, openPanel } from './signed-in.ts';

let browser: Browser | undefined;
let demo: Awaited<ReturnType<typeof newDemo>>;
beforeAll(async () => {
  browser = await startBrowser();
  if (browser) demo = await newDemo();
});
afterAll(() => browser?.close());

const item = (page: Page, name: string) => page.getByRole('menuitem', { name });

test('addresses are added, labeled, made primary, removed, and shared', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const { id } = (await crm.post('/v1/contacts', { name: 'Ada Address', email: 'ada@work.example' })).body;
  const other = (await crm.post('/v1/contacts', { name: 'Shares It', email: 'both@home.example' })).body.id;
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `/contacts/${id}`);
  const addresses = page.getByRole('region', { name: 'Addresses' });
  const row = (value: string) => addresses.getByRole('listitem').filter({ hasText: value });
  const dialog = page.getByRole('dialog');
  const values = async () =>
    (await crm.get(`/v1/contacts/${id}/addresses`)).body.items.map(
      ({ value, label, isPrimary }: Record<string, unknown>) => [value, label, isPrimary],
    );
  const add = async (value: string, label: string, kind = 'E-mail') => {
    await addresses.getByRole('button', { name: 'Add an address' }).click();
    await dialog.getByLabel('Kind').selectOption(kind);
    await dialog.getByLabel(kind, { exact: true }).fill(value);
    await dialog.getByLabel('Label').fill(label);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  };
  await add('ada@home.example', 'home');
  await row('ada@home.example').getByText('home', { exact: true }).waitFor();
  await add('+49 170 1234567', 'mobile', 'Phone');
  await row('+49 170 1234567').waitFor();
  await add('both@home.example', 'family');
  await dialog.getByText('Shares It has this address.').waitFor();
  expect(await dialog.getByRole('link', { name: 'Shares It' }).getAttribute('href')).toBe(`#/contacts/${other}`);
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'address-taken');
  await dialog.getByRole('button', { name: 'Use it anyway' }).click();
  await row('both@home.example').waitFor();

  await row('ada@home.example').getByRole('button', { name: 'Actions' }).click();
  await item(page, 'Make primary').click();
  await page.getByRole('region', { name: 'Details' }).getByRole('link', { name: 'ada@home.example' }).waitFor();
  await row('ada@work.example').getByRole('button', { name: 'Actions' }).click();
  await item(page, 'Edit label …').click();
  await dialog.getByLabel('Label').fill('work');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await row('ada@work.example').getByText('work', { exact: true }).waitFor();
  await row('+49 170 1234567').getByRole('button', { name: 'Actions' }).click();
  await item(page, 'Remove').click();
  await row('+49 170 1234567').waitFor({ state: 'detached' });
  await expect.poll(values).toEqual([
    ['ada@home.example', 'home', true],
    ['ada@work.example', 'work', false],
    ['both@home.example', 'family', false],
  ]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await row('+49 170 1234567').getByText('mobile').waitFor();
  expect(await values()).toContainEqual(['+49 170 1234567', 'mobile', true]);
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'addresses');
  await page.setViewportSize({ width: widths.narrow, height: 900 });
  expect(await overflowPx(page)).toBe(0);
  // The browser notes the answer 409 itself.
  expect(faults.filter((fault) => !fault.includes('409'))).toEqual([]);
  await page.context().close();
});

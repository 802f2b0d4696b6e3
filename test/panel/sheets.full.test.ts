import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
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
  if (!browser) return;
  demo = await newDemo();
  const crm = api(demo.liveKey);
  for (const name of ['Ada Sheet', 'Ben Sheet', 'Cleo Row'])
    await crm.post('/v1/contacts', { name, email: `${name.split(' ')[0]}@sheet.example`.toLowerCase() });
});
afterAll(() => browser?.close());

test.for([
  ['wide', 'light'],
  ['narrow', 'dark'],
] as const)(
  'an export has the records and columns that the table shows, %s and %s',
  async ([size, scheme], { skip }) => {
    if (!browser) return skip();
    const { page, faults } = await openPanel(browser, demo.session, {
      width: widths[size],
      scheme,
      acceptDownloads: true,
    });
    await openPlace(page, '/contacts?q=sheet');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Export contacts' });
    await dialog.getByText('3 contacts').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await overflowPx(page)).toBe(0);
    await screenshot(page, `export-${size}-${scheme}`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Export' }).click(),
    ]);
    await dialog.getByRole('link', { name: 'Download' }).waitFor();
    await screenshot(page, `export-${size}-${scheme}-done`);
    expect(download.suggestedFilename()).toMatch(/^contacts-\d{4}-\d\d-\d\d\.csv$/);
    const lines = (await readFile(await download.path(), 'utf8')).split(/\r?\n/);
    expect(lines[0]).toMatch(/^\uFEFFname,/);
    expect(
      lines
        .slice(1, -1)
        .map((line) => line.split(',')[0])
        .sort(),
    ).toEqual(['Ada Sheet', 'Ben Sheet', 'Cleo Row']);
    await openPlace(page, '/import/exports');
    const [again] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download contacts' }).first().click(),
    ]);
    expect(again.suggestedFilename()).toBe(download.suggestedFilename());
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await overflowPx(page)).toBe(0);
    await screenshot(page, `exports-${size}-${scheme}`);
    expect(faults.filter((fault) => !fault.startsWith('asked '))).toEqual([]);
    await page.context().close();
  },
);

test.for([
  ['wide', 'light'],
  ['wide', 'dark'],
  ['narrow', 'light'],
] as const)('a file is dropped, mapped, tried, imported, and undone, %s and %s', async ([size, scheme], { skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, demo.session, { width: widths[size], scheme });
  await openPlace(page, '/contacts');
  await page.locator('.grid-tools').getByRole('link', { name: 'Import', exact: true }).click();
  const text = [
    'Full Name,E-mail,Town,Old ID',
    'Nora Import,nora@import.example,Bern,7',
    'Otto Import,no address,Bonn,8',
  ].join('\n');
  const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
  await page.locator('input[type=file]').setInputFiles(file);
  const wizard = page.getByRole('region', { name: 'New import' });
  expect(await wizard.getByLabel('Field of Full Name').inputValue()).toBe('name');
  expect(await wizard.getByLabel('Field of E-mail').inputValue()).toBe('email');
  await wizard.getByLabel('Field of Town').selectOption('notes');
  await wizard.getByLabel('Field of Old ID').selectOption({ label: 'Metadata: Old_ID' });
  await wizard.getByLabel('Without an event and webhook').check();
  await wizard.getByLabel('When is a record the same').selectOption('email');
  expect(await accessibilityFindings(page)).toEqual([]);
  expect(await overflowPx(page)).toBe(0);
  await screenshot(page, `import-mapping-${size}-${scheme}`);
  await wizard.getByRole('button', { name: 'Try without changes' }).click();
  await wizard.getByText('Created: 1 · Updated: 0 · Left as they were: 0 · Failed: 1').waitFor();
  await wizard.getByRole('listitem').filter({ hasText: 'Otto Import' }).waitFor();
  await screenshot(page, `import-tried-${size}-${scheme}`);
  const crm = api(demo.liveKey);
  const found = async () => (await crm.get('/v1/contacts', { email: 'nora@import.example' })).body.items;
  expect(await found()).toEqual([]);
  await wizard.getByRole('button', { name: /^Import about/ }).click();
  await page.getByRole('heading', { name: 'people.csv', level: 1 }).waitFor();
  await page.getByText('Created: 1', { exact: false }).waitFor();
  expect(await found()).toMatchObject([{ name: 'Nora Import', notes: 'Bern' }]);
  const [{ id }] = await found();
  expect((await crm.get(`/v1/contacts/${id}/metadata`)).body).toEqual({ metadata: { Old_ID: '7' } });
  await screenshot(page, `import-done-${size}-${scheme}`);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Archived: 1').waitFor();
  expect(await found()).toEqual([]);
  await page.getByRole('link', { name: 'Import', exact: true }).last().click();
  await page.getByRole('link', { name: 'people.csv' }).first().waitFor();
  expect(await overflowPx(page)).toBe(0);
  await screenshot(page, `import-list-${size}-${scheme}`);
  expect(faults.filter((fault) => !fault.startsWith('asked '))).toEqual([]);
  await page.context().close();
});

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { api } from '#test/client.ts';
import { startBrowser } from './chromium.ts';
import { openPlace } from './crawl.ts';
import { accessibilityFindings, overflowPx, screenshot, widths } from './page.ts';
import { newDemo, openPanel } from './signed-in.ts';

let browser: Browser | undefined;
let demo: Awaited<ReturnType<typeof newDemo>>;

const many = 450;
const nameAt = (at: number) => `Tabled ${String(at).padStart(3, '0')}`;

beforeAll(async () => {
  browser = await startBrowser();
  if (!browser) return;
  demo = await newDemo();
  const crm = api(demo.testKey);
  for (let first = 0; first < many; first += 50) {
    const items = Array.from({ length: 50 }, (_, at) => ({
      op: 'create',
      name: nameAt(first + at),
      leadScore: (first + at) % 101,
    }));
    await crm.post('/v1/contacts/batch', { items });
  }
});
afterAll(() => browser?.close());

const open = (options: Parameters<typeof openPanel>[2] = {}) =>
  openPanel(browser as Browser, demo.session, { ...options, environment: 'test' });
const names = (page: Page) => page.getByRole('rowheader').allTextContents();
const firstName = async (page: Page) => (await names(page))[0]?.trim();
const focusedRow = (page: Page): Promise<string> =>
  page.evaluate("document.activeElement.querySelector('[role=rowheader]')?.textContent.trim()");
const selected = (page: Page) => page.locator('[data-row][aria-selected="true"]');

test('a table shows the rows of all pages, of which few are drawn', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await open();
  await openPlace(page, '/contacts');
  const { total } = (await api(demo.testKey).post('/v1/contacts/search', { limit: 1, count: true })).body;
  await page.getByText(`${total} contacts`).waitFor();
  expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe(String(total + 1));
  const box = page.locator('.grid-box');
  let mostRows = 0;
  const atEnd = async () => {
    mostRows = Math.max(mostRows, await page.getByRole('row').count());
    await box.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    return names(page);
  };
  await expect.poll(atEnd, { timeout: 60_000 }).toContainEqual(expect.stringContaining(nameAt(0)));
  expect(mostRows).toBeLessThan(60);
  const oldest = page.getByRole('row').filter({ hasText: nameAt(0) });
  expect(Number(await oldest.getAttribute('aria-rowindex'))).toBeGreaterThan(many - 60);
  expect(await accessibilityFindings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a click on a column sorts, another turns it around, and a third ends it', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await open();
  await openPlace(page, '/contacts');
  const newest = await firstName(page);
  const header = page.getByRole('columnheader', { name: 'Lead score' });
  await header.getByRole('button').click();
  await expect.poll(() => header.getAttribute('aria-sort')).toBe('ascending');
  await expect.poll(() => firstName(page)).toBe(nameAt(404));
  await header.getByRole('button').press('Enter');
  await expect.poll(() => header.getAttribute('aria-sort')).toBe('descending');
  await expect.poll(() => firstName(page)).toBe(nameAt(403));
  await page.reload();
  await expect.poll(() => firstName(page)).toBe(nameAt(403));
  await header.getByRole('button').click();
  await expect.poll(() => firstName(page)).toBe(newest);
  expect(await header.getAttribute('aria-sort')).toBeNull();
  expect(faults).toEqual([]);
  await page.context().close();
});

test('columns are chosen and ordered by keys and by dragging, and stay in this browser', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.testKey);
  const field = { object: 'contact', slug: 'shoe_size', title: 'Shoe size', type: 'number' };
  await crm.post('/v1/fields', field, 201);
  await crm.post('/v1/contacts', { name: 'With a size', fields: { shoe_size: 1043 } }, 201);
  const { page, faults } = await open();
  await openPlace(page, '/contacts');
  const headers = async () => (await page.getByRole('columnheader').allTextContents()).filter((title) => title !== '');
  const before = await headers();
  await page.getByRole('button', { name: 'Columns' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('checkbox', { name: 'Shoe size' }).check();
  await dialog.getByRole('checkbox', { name: 'Phone' }).uncheck();
  const handle = dialog.locator('[data-handle="fields.shoe_size"]');
  await handle.focus();
  await page.keyboard.press('Home');
  await expect.poll(() => handle.getAttribute('aria-label')).toBe('Move Shoe size, place 1');
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'table-columns');
  await dialog.getByRole('button', { name: 'Show', exact: true }).click();
  const chosen = ['Name', 'Shoe size', ...before.slice(1).filter((title) => title !== 'Phone')];
  await expect.poll(headers).toEqual(chosen);
  const row = page.getByRole('row').filter({ hasText: 'With a size' });
  await row.getByRole('gridcell', { name: '1,043' }).waitFor();
  await page
    .getByRole('columnheader', { name: 'Shoe size' })
    .dragTo(page.getByRole('columnheader', { name: 'Company' }));
  const moved = ['Name', 'Stage', 'Company', 'Shoe size', ...chosen.slice(4)];
  await expect.poll(headers).toEqual(moved);
  await page.reload();
  await expect.poll(headers).toEqual(moved);
  await page.getByRole('button', { name: 'Columns' }).click();
  await dialog.getByRole('button', { name: 'Show the usual columns' }).click();
  await expect.poll(headers).toEqual(before);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('keys go through the rows, select them, and open one', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await open();
  await openPlace(page, '/contacts?sort=name&q=Tabled');
  await expect.poll(() => firstName(page)).toBe(nameAt(0));
  await page.keyboard.press('j');
  await expect.poll(() => focusedRow(page)).toBe(nameAt(0));
  await page.keyboard.press('j');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('k');
  await expect.poll(() => focusedRow(page)).toBe(nameAt(1));
  await page.keyboard.press('x');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByText('3 contacts selected').waitFor();
  await page.keyboard.press(' ');
  await page.getByText('2 contacts selected').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => selected(page).count()).toBe(0);
  await page.keyboard.press('End');
  await expect.poll(() => focusedRow(page)).toBe(nameAt(99));
  await page.keyboard.press('Home');
  await expect.poll(() => focusedRow(page)).toBe(nameAt(0));
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: nameAt(0) }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

test('the way back leads to where a table was left', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await open();
  await openPlace(page, '/contacts?q=Tabled&sort=name');
  const box = page.locator('.grid-box');
  const row = page.getByRole('row').filter({ hasText: nameAt(230) });
  const findRow = async () => {
    if ((await row.count()) > 0) return true;
    await box.evaluate((element) => element.scrollBy({ top: 600 }));
    return false;
  };
  await expect.poll(findRow, { timeout: 60_000 }).toBe(true);
  await row.getByRole('link').click();
  await page.getByRole('heading', { level: 1, name: nameAt(230) }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor();
  await row.waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

test('tags are chips of a column', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.testKey);
  const { id } = (await crm.post('/v1/contacts', { name: 'Tagged One' })).body;
  await crm.post(`/v1/contacts/${id}/tags`, { tagName: 'vip' });
  const { page, faults } = await open();
  await page.evaluate(`localStorage['crm.columns.contact'] = '["name","tags","email"]'`);
  await openPlace(page, '/contacts?q=Tagged%20One');
  await page.getByRole('gridcell', { name: 'vip' }).locator('.badge').waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

test('all that fit are selected and changed, and archived ones come back by undo', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.testKey);
  const count = async (filter: object) =>
    (await crm.post('/v1/contacts/search', { q: 'Tabled', filter, limit: 1, count: true })).body.total;
  const isCustomer = { field: 'stage', op: 'eq', value: 'customer' };
  const { page, faults } = await open();
  await openPlace(page, '/contacts?q=Tabled&sort=name');
  const bar = page.getByRole('group', { name: 'Selected rows' });
  await page.getByRole('checkbox', { name: `Select ${nameAt(3)}` }).click();
  await bar.getByRole('button', { name: 'Select all that fit' }).click();
  await page.getByText(`${many} contacts selected`).waitFor();
  await bar.getByRole('button', { name: 'Stage' }).click();
  await page.getByRole('menuitem', { name: 'Customer' }).click();
  await bar.getByRole('progressbar').waitFor();
  await page.getByText(`Changed: ${many} contacts.`).waitFor();
  expect(await count(isCustomer)).toBe(many);
  await page.getByRole('row').nth(1).getByText('Customer').waitFor();
  await bar.getByRole('button', { name: 'Select none' }).click();

  await page.getByRole('checkbox', { name: `Select ${nameAt(3)}` }).click();
  await page.getByRole('checkbox', { name: `Select ${nameAt(5)}` }).click({ modifiers: ['Shift'] });
  await bar.getByRole('button', { name: 'Archive' }).click();
  await expect.poll(async () => (await names(page)).slice(0, 4).join()).toMatch(/000.*001.*002.*006/);
  expect(await count(isCustomer)).toBe(many - 3);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await names(page)).slice(0, 4).join()).toMatch(/000.*001.*002.*003/);
  expect(await count(isCustomer)).toBe(many);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('rows that one reads stay where they are while others change and make records', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.testKey);
  const { page, faults } = await open();
  await openPlace(page, '/contacts');
  const box = page.locator('.grid-box');
  const seen = page.getByRole('row').filter({ hasText: nameAt(many - 30) });
  await box.evaluate((element) => element.scrollTo({ top: 1200 }));
  await seen.waitFor();
  const placeOf = async () => Math.round((await seen.boundingBox())?.y ?? 0);
  await expect.poll(placeOf).toBeGreaterThan(100);
  const before = await placeOf();
  await crm.post('/v1/contacts', { name: 'Comes first' }, 201);
  const { items } = (await crm.get('/v1/contacts', { q: nameAt(many - 30) })).body;
  await crm.post(`/v1/contacts/${items[0].id}/stage`, { stage: 'qualified' });
  await seen.getByText('Qualified').waitFor();
  expect(await placeOf()).toBe(before);
  await box.evaluate((element) => element.scrollTo({ top: 0 }));
  await page.getByRole('row').filter({ hasText: 'Comes first' }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a table says what to do where nothing fits, and where it cannot be read', async ({ skip }) => {
  if (!browser) return skip();
  const { page } = await open();
  await openPlace(page, '/contacts?q=nobody%20like%20that');
  await page.getByRole('link', { name: 'Show all contacts' }).click();
  await page.getByRole('grid').waitFor();
  await page.route('**/v1/contacts?*', (route) => route.fulfill({ status: 400, json: { error: 'no' } }));
  await page.reload();
  const alert = page.getByRole('main').getByRole('alert');
  await alert.waitFor();
  await page.unroute('**/v1/contacts?*');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => page.getByRole('rowheader').count()).toBeGreaterThan(5);
  await page.context().close();
});

test.for(['light', 'dark'] as const)(
  'tables fit a phone, in %s, where a tap on a row opens it',
  async (scheme, { skip }) => {
    if (!browser) return skip();
    const { page, faults } = await open({ width: widths.narrow, scheme });
    for (const path of ['/contacts', '/companies', '/deals?layout=table', '/tasks?layout=table']) {
      await openPlace(page, path);
      expect([path, await overflowPx(page)]).toEqual([path, 0]);
      expect(await accessibilityFindings(page)).toEqual([]);
      await screenshot(page, `table-${scheme}${path.replaceAll(/[/?=]/g, '-')}`);
    }
    await openPlace(page, '/contacts');
    const row = page.getByRole('row').nth(2);
    const name = (await row.getByRole('rowheader').textContent())?.trim() as string;
    await row.click({ position: { x: 300, y: 45 } });
    await page.getByRole('heading', { level: 1, name }).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  },
);

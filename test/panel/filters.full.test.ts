import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { api, type Client } from '#test/client.ts';
import { startBrowser } from './chromium.ts';
import { openPlace } from './crawl.ts';
import { signedIn } from './member.ts';
import { accessibilityFindings, overflowPx, screenshot, widths } from './page.ts';
import { newDemo, openPanel } from './signed-in.ts';

let browser: Browser | undefined;
let demo: Awaited<ReturnType<typeof newDemo>>;
let crm: Client;
let tierId: number;
beforeAll(async () => {
  browser = await startBrowser();
  if (!browser) return;
  demo = await newDemo();
  crm = api(demo.liveKey);
  const options = [
    { label: 'Gold', color: '#d4a017' },
    { label: 'Silver', color: '#999999' },
  ];
  const field = (body: object) => crm.post('/v1/fields', { object: 'contact', ...body });
  tierId = (await field({ slug: 'tier', title: 'Customer tier', type: 'select', options })).body.id;
  await field({ slug: 'budget', title: 'Budget', type: 'money' });
  const make = (name: string, more: object) => crm.post('/v1/contacts', { name, ...more });
  await make('Gold Digger', { fields: { tier: 'Gold', budget: { amount: 900, currency: 'EUR' } }, leadScore: 80 });
  await make('Gold Fish', { fields: { tier: 'Gold', budget: { amount: 5, currency: 'EUR' } }, tags: ['Hot'] });
  await make('Silver Surfer', { fields: { tier: 'Silver' }, leadScore: 60, metadata: { source: 'fair' } });
});
afterAll(() => browser?.close());

const isExpected = (fault: string) => /status of 400/.test(fault);
const names = (page: Page) => page.locator('main [role="rowheader"]').allTextContents();
const shows = (page: Page, expected: string[]) =>
  expect.poll(async () => (await names(page)).map((name) => name.trim()).sort()).toEqual(expected);
const chips = async (page: Page) =>
  (await page.locator('.filter-chips li').allTextContents()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
const choose = async (page: Page, field: string) => {
  await page.keyboard.type(field);
  await page.keyboard.press('Enter');
};

test('a filter is built by keys alone, reads as a sentence, and is in the address', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/contacts');
  const add = page.getByRole('button', { name: /^(Filter|Add a filter)$/ });
  await add.focus();
  await page.keyboard.press('Enter');
  await choose(page, 'tier');
  await expect.poll(() => page.locator(':focus').getAttribute('type')).toBe('checkbox');
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.keyboard.press('Space');
  await page.keyboard.press('Enter');
  await shows(page, ['Gold Digger', 'Gold Fish']);
  await expect.poll(() => chips(page)).toEqual(['Customer tier is Gold']);
  // The focus is where it was, so that the next condition follows.
  await page.keyboard.press('Enter');
  await choose(page, 'budget');
  await page.keyboard.type('100');
  await page.keyboard.press('Enter');
  await shows(page, ['Gold Digger']);
  await expect.poll(() => chips(page)).toEqual(['Customer tier is Gold', 'and Budget is at least €100.00']);
  await page.reload();
  await shows(page, ['Gold Digger']);
  // A click on a condition edits it.
  await page.getByRole('button', { name: 'Edit: Budget is at least €100.00' }).click();
  await page.getByRole('dialog').getByLabel('How it compares').selectOption('is less than');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  await page.getByRole('button', { name: 'Edit: Budget is at least €100.00' }).click();
  await page.getByRole('dialog').getByLabel('How it compares').selectOption('is less than');
  await page.getByRole('button', { name: 'Apply' }).click();
  await shows(page, ['Gold Fish']);
  await page.getByRole('button', { name: 'Remove: Customer tier is Gold' }).click();
  await expect.poll(() => chips(page)).toEqual(['Budget is less than €100.00']);
  await page.getByRole('button', { name: 'Clear' }).click();
  await expect.poll(() => chips(page)).toEqual([]);
  expect(await accessibilityFindings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('times, people, tags, and metadata are asked in words', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/contacts?q=gold');
  const add = async (field: string, fill: (dialog: ReturnType<Page['getByRole']>) => Promise<unknown>) => {
    await page.getByRole('button', { name: /^(Filter|Add a filter)$/ }).click();
    await choose(page, field);
    const dialog = page.getByRole('dialog');
    await fill(dialog);
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  };
  await add('created', async (dialog) => {
    await dialog.getByLabel('When').selectOption('… ago');
    await dialog.getByLabel('Number').fill('2');
    await dialog.getByLabel('Unit').selectOption('weeks');
  });
  await add('created', (dialog) => dialog.getByLabel('When').selectOption('start of this month'));
  await add('created', async (dialog) => {
    await dialog.getByLabel('How it compares').selectOption('is before');
    await dialog.getByLabel('Date').fill('2031-03-01');
  });
  await add('tag', (dialog) => dialog.getByRole('checkbox', { name: 'Hot' }).check());
  await add('assigned', (dialog) => dialog.getByLabel('How it compares').selectOption('has no value'));
  await expect
    .poll(() => chips(page))
    .toEqual([
      'Created is on or after 2 weeks ago',
      'and Created is on or after start of this month',
      'and Created is before 1 Mar 2031',
      'and Tag has Hot',
      'and Assigned to has no value',
    ]);
  await shows(page, ['Gold Fish']);
  const [, query = ''] = page.url().split('?');
  expect(
    JSON.parse(new URLSearchParams(query).get('filter') ?? '').and.map(({ value }: { value: unknown }) => value),
  ).toEqual(['today-2w', 'startOfMonth', '2031-02-28T23:00:00.000Z', [expect.any(Number)], undefined]);
  await openPlace(page, '/contacts');
  await add('metadata.source', async (dialog) => {
    await dialog.getByLabel('How it compares').selectOption('is');
    await dialog.getByLabel('Value').fill('FAIR');
  });
  await shows(page, ['Silver Surfer']);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('groups say that one of several holds, or none', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `/contacts?filter=${encodeURIComponent('{"field":"fields.tier","op":"isSet"}')}`);
  await page.getByRole('button', { name: 'Groups' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit the filter' });
  const add = async (at: number, field: string, fill: () => Promise<unknown>) => {
    await dialog.getByRole('button', { name: 'Add a condition' }).nth(at).click();
    await choose(page, field);
    await fill();
    await page.keyboard.press('Enter');
  };
  await dialog.getByRole('button', { name: 'Add a group' }).click();
  await add(0, 'tag', () => dialog.getByRole('checkbox', { name: 'Hot' }).check());
  await add(0, 'lead score', () => page.keyboard.type('70'));
  await dialog.getByLabel('Not').nth(1).check();
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'filter-groups');
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await expect
    .poll(() => chips(page))
    .toEqual(['Customer tier has a value', 'and not (Tag has Hot or Lead score is at least 70)']);
  await shows(page, ['Silver Surfer']);
  // A filter of more than five levels is refused where it is made.
  await page.getByRole('button', { name: 'Groups' }).click();
  const addGroup = dialog.getByRole('button', { name: 'Add a group' });
  await addGroup.first().click();
  await addGroup.first().click();
  await add(0, 'tag', () => dialog.getByRole('checkbox', { name: 'Hot' }).check());
  await dialog.getByLabel('Not').nth(3).check();
  await dialog.getByLabel('Not').nth(2).click();
  await dialog.getByText('A filter has at most five levels.').waitFor();
  expect(await dialog.getByLabel('Not').nth(2).isChecked()).toBe(false);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a view is saved, changed, shared, renamed, and removed, and links lead to it', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, demo.session);
  const views = page.getByRole('navigation', { name: 'Views' });
  const current = () => views.locator('[aria-current]').textContent();
  const filter = JSON.stringify({ field: 'fields.tier', op: 'eq', value: 'Gold' });
  await openPlace(page, `/contacts?filter=${encodeURIComponent(filter)}`);
  await page.getByRole('button', { name: 'Save as a view' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name of the view').fill('Golden');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect.poll(current).toBe('Golden');
  const [view] = (await crm.get('/v1/views')).body.items;
  // It is of the member, so a key does not see it.
  expect(view).toBeUndefined();
  const { hash } = new URL(page.url());
  expect(hash).toMatch(/^#\/contacts\?view=\d+$/);
  await shows(page, ['Gold Digger', 'Gold Fish']);

  await page.getByRole('button', { name: 'Remove: Customer tier is Gold' }).click();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await shows(page, ['Gold Digger', 'Gold Fish']);
  await page.getByRole('button', { name: 'Edit: Customer tier is Gold' }).click();
  await dialog.getByLabel('Silver').check();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect.poll(() => new URL(page.url()).hash).toBe(hash);
  await shows(page, ['Gold Digger', 'Gold Fish', 'Silver Surfer']);

  await views.getByRole('link', { name: 'All' }).click();
  await expect.poll(current).toBe('All');
  await page.goBack();
  await expect.poll(current).toBe('Golden');
  await shows(page, ['Gold Digger', 'Gold Fish', 'Silver Surfer']);

  const act = async (item: string) => {
    await page.getByRole('button', { name: /^Actions for Gold/ }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  const other = await openPanel(browser, (await signedIn(demo.workspaceId, 'member')).token);
  await openPlace(other.page, hash.slice(1));
  await other.page.getByText('There is no such view').waitFor();
  await act('Share with everybody');
  // What was saved before may still be told.
  await expect.poll(async () => (await crm.get('/v1/views')).body.items.length).toBe(1);
  await other.page.reload();
  await shows(other.page, ['Gold Digger', 'Gold Fish', 'Silver Surfer']);
  await act('Rename');
  await dialog.getByLabel('Name of the view').fill('Gold and silver');
  await page.keyboard.press('Enter');
  await expect.poll(current).toBe('Gold and silver');
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'views');
  await act('Delete the view');
  await dialog.getByRole('button', { name: 'Delete the view' }).click();
  await expect.poll(() => views.getByRole('link').allTextContents()).toEqual(['All']);
  expect([...faults, ...other.faults]).toEqual([]);
  await Promise.all([page, other.page].map((one) => one.context().close()));
});

test('a fault of the API is told at its condition, and a field that is gone can be left out', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, demo.session);
  const filter = {
    and: [
      { field: 'fields.tier', op: 'eq', value: 'Gold' },
      { field: 'name', op: 'contains', value: 'old' },
    ],
  };
  const more = { sort: [{ field: 'fields.tier' }], columns: ['stage', 'fields.tier'], isShared: true };
  const view = (await crm.post('/v1/views', { object: 'contact', name: 'Tiers', filter, ...more })).body;
  await crm.post(`/v1/fields/${tierId}/archive`, {});
  await openPlace(page, '/contacts');
  await page.getByRole('link', { name: 'Tiers' }).click();
  await page.getByText('The view “Tiers” asks for the field fields.tier').waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'view-invalid');
  await page.getByRole('alert').getByRole('button', { name: 'Leave it out' }).click();
  await shows(page, ['Gold Digger', 'Gold Fish']);
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('“Tiers” is saved.').waitFor();
  expect((await crm.get(`/v1/views/${view.id}`)).body).toMatchObject({
    filter: { field: 'name' },
    sort: [],
    columns: ['stage'],
  });
  await crm.post(`/v1/fields/${tierId}/restore`, {});

  const wrong = {
    or: [
      { field: 'name', op: 'contains', value: 'old' },
      { field: 'phone', op: 'eq', value: 'none' },
    ],
  };
  await openPlace(page, `/contacts?filter=${encodeURIComponent(JSON.stringify(wrong))}`);
  await expect.poll(() => chips(page)).toEqual(['Name contains old', 'or Phone is none must have digits']);
  await page.getByRole('button', { name: 'Edit: Phone is none' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('must have digits').waitFor();
  await dialog.getByLabel('Value').fill('555');
  await page.keyboard.press('Enter');
  await shows(page, ['Gold Digger', 'Gold Fish']);
  expect(faults.filter((fault) => !isExpected(fault))).toEqual([]);
  await page.context().close();
});

test.for([
  ['/contacts', 'light'],
  ['/companies', 'dark'],
  ['/deals?layout=table', 'light'],
] as const)('filters and views of %s fit a phone, in %s', async ([path, scheme], { skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, demo.session, { width: widths.narrow, scheme });
  await openPlace(page, path);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('combobox', { name: 'Choose a field' }).waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await choose(page, 'created');
  await page.getByRole('dialog').getByLabel('When').selectOption('start of last year');
  await screenshot(page, `narrow-filter-${path.slice(1, 5)}`);
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect.poll(() => chips(page)).toEqual(['Created is on or after start of last year']);
  await page.getByRole('button', { name: 'Groups' }).click();
  await page.getByRole('button', { name: 'Add a group' }).click();
  expect(await accessibilityFindings(page)).toEqual([]);
  expect(await overflowPx(page)).toBe(0);
  await screenshot(page, `narrow-groups-${path.slice(1, 5)}`);
  expect(faults).toEqual([]);
  await page.context().close();
});

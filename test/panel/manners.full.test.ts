import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { api, type Client } from '#test/client.ts';
import { startBrowser } from './chromium.ts';
import { openPlace } from './crawl.ts';
import { accessibilityFindings, screenshot } from './page.ts';
import { newDemo, openPanel } from './signed-in.ts';

let browser: Browser | undefined;
let demo: Awaited<ReturnType<typeof newDemo>>;
let crm: Client;
beforeAll(async () => {
  browser = await startBrowser();
  if (!browser) return;
  demo = await newDemo();
  crm = api(demo.liveKey);
});
afterAll(() => browser?.close());

const boxOf = async (of: Locator) => (await of.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
const isExpected = (fault: string) => /status of (400|404|412)/.test(fault);

test('records of one name are told apart by an address, and chosen without seeing an id', async ({ skip }) => {
  if (!browser) return skip();
  const make = async (email: string) => (await crm.post('/v1/contacts', { name: 'Twin Turner', email })).body.id;
  await make('first@twins.example');
  const second = await make('second@twins.example');
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/deals');
  await page.getByRole('button', { name: 'New deal' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('For the second twin');
  await dialog.getByLabel('Contact').fill('Twin');
  const offers = dialog.locator('datalist option[value^="Twin"]');
  await offers.nth(1).waitFor({ state: 'attached' });
  const texts = await offers.evaluateAll((options) => options.map((option) => option.getAttribute('value') ?? ''));
  expect(texts.sort()).toEqual(['Twin Turner · first@twins.example', 'Twin Turner · second@twins.example']);
  await dialog.getByLabel('Contact').fill('Twin Turner');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText(/from the list/).waitFor();
  await dialog.getByLabel('Contact').fill('Twin Turner · second@twins.example');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await expect
    .poll(async () =>
      (await crm.get('/v1/deals', { q: 'second twin' })).body.items.map((of: { contactId: number }) => of.contactId),
    )
    .toEqual([second]);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a toast lets clicks reach what is behind it', async ({ skip }) => {
  if (!browser) return skip();
  const { id } = (await crm.post('/v1/contacts', { name: 'Behind A Toast' })).body;
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `/contacts/${id}`);
  await page.getByLabel('Stage').selectOption('Engaged');
  const toast = page.locator('.toast').first();
  await toast.waitFor();
  const { x, y } = await boxOf(toast);
  const isBehind = `document.elementFromPoint(${x + 20}, ${y + 10})?.closest('.toasts') === null`;
  expect(await page.evaluate(isBehind)).toBe(true);
  await toast.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await crm.get(`/v1/contacts/${id}`)).body.stage).toBe('new');
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a conversation is snoozed until any time, and Escape leaves what is being written', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/inbox');
  await page.locator('main a[href^="#/inbox/"]').filter({ hasText: 'Ann Archer' }).click();
  const text = page.getByRole('textbox', { name: 'Message to Ann Archer' });
  await text.fill('A draft');
  await page.keyboard.press('Escape');
  expect(await page.evaluate('document.activeElement === document.body')).toBe(true);
  expect(await text.inputValue()).toBe('A draft');
  await page.getByRole('button', { name: 'Snooze' }).click();
  await page.getByRole('menuitem', { name: 'At another time' }).click();
  const dialog = page.getByRole('dialog', { name: 'Snooze' });
  await dialog.getByLabel('Until').fill('2031-05-01T09:30');
  await dialog.getByRole('button', { name: 'Snooze' }).click();
  await dialog
    .getByText(/366 days/)
    .first()
    .waitFor();
  const day = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10);
  await dialog.getByLabel('Until').fill(`${day}T12:00`);
  expect(await accessibilityFindings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Snooze' }).click();
  await page.getByText(/^Snoozed until/).waitFor();
  const [snoozed] = (await crm.get('/v1/conversations', { state: 'snoozed' })).body.items;
  expect(snoozed).toMatchObject({
    state: 'snoozed',
    snoozedUntil: expect.stringMatching(new RegExp(`^${day}T1[01]:00:00Z`)),
  });
  expect(faults.filter((fault) => !isExpected(fault))).toEqual([]);
  await page.context().close();
});

test('the value of somebody else is below its field, and an address breaks before a sign', async ({ skip }) => {
  if (!browser) return skip();
  const email = 'wolfeschlegel@purchasing.department.example.com';
  const { id } = (await crm.post('/v1/contacts', { name: 'Conny Flict', company: 'Before', email })).body;
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `/contacts/${id}`);
  const details = page.getByRole('region', { name: 'Details' });
  // A part of the address is in one line.
  const parts = details.getByRole('link', { name: email }).locator('bdi > span');
  const heights = await parts.evaluateAll((all) => all.map((part) => part.getClientRects().length));
  expect(new Set(heights)).toEqual(new Set([1]));
  await details.locator('[title="Edit Company"]').click();
  const field = details.getByLabel('Company', { exact: true });
  await page.waitForLoadState('networkidle');
  await field.fill('Mine');
  await crm.patch(`/v1/contacts/${id}`, { company: 'Theirs' });
  await page.keyboard.press('Enter');
  const note = details.locator('.field .conflict');
  await note.waitFor();
  const [above, below] = [await boxOf(field), await boxOf(note)];
  expect(below.x).toBeCloseTo(above.x, 0);
  expect(below.width).toBeCloseTo(above.width, 0);
  expect(below.y).toBeGreaterThanOrEqual(above.y + above.height);
  await screenshot(page, 'conflict-in-place');
  expect(faults.filter((fault) => !isExpected(fault))).toEqual([]);
  await page.context().close();
});

test('a sequence says how many have reached each step, and Home adds up each currency', async ({ skip }) => {
  if (!browser) return skip();
  for (const [currency, value] of [
    ['EUR', 1000],
    ['USD', 500],
  ] as const)
    await crm.post('/v1/deals', { title: `In ${currency}`, value, currency });
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/settings/sequences');
  await page.locator('main a[href^="#/settings/sequences/"]').first().click();
  const steps = page.getByRole('region', { name: 'Steps' });
  await steps
    .getByText(/^Reached \d+ · replied here \d+ · failed here \d+$/)
    .first()
    .waitFor();
  await openPlace(page, '/home');
  const open = page.locator('.facts div').filter({ hasText: 'Open deals' });
  await expect.poll(() => open.locator('.line').count()).toBeGreaterThanOrEqual(3);
  const lines = await open.locator('.line').allTextContents();
  expect(lines[0]).toMatch(/^€/);
  expect(lines.at(-1)).toBe('Each in its currency');
  expect(faults).toEqual([]);
  await page.context().close();
});

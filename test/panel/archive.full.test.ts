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

/** The records of a story, each with its page, the text that its page shows, and a control that changes it. */
const archivable = [
  { noun: 'contacts', body: { name: 'Arno Archive' }, list: '/contacts', edits: 'Add an address' },
  { noun: 'companies', body: { name: 'Archive Inc' }, list: '/companies', edits: 'Edit Website' },
  { noun: 'deals', body: { title: 'Archive deal' }, list: '/deals', edits: 'Edit Probability' },
] as const;

test.for(archivable)('$noun are archived with an undo, found as archived, and restored', async (story, { skip }) => {
  if (!browser) return skip();
  const { noun, body, list, edits } = story;
  const crm = api(demo.liveKey);
  const name = Object.values(body)[0] as string;
  const { id } = (await crm.post(`/v1/${noun}`, body)).body;
  const archive = async () => (await crm.get(`/v1/${noun}/${id}`, { include: 'archive' })).body.archive;
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `${list}/${id}`);
  const note = page.locator('.note.archived');
  const edit = page.getByRole('button', { name: edits });
  const archiveIt = async () => {
    await page.getByRole('button', { name: `More for ${name}` }).click();
    await item(page, 'Archive').click();
    await note.getByText('Archived').waitFor();
  };
  await edit.waitFor();
  await archiveIt();
  expect(await archive()).toMatchObject({ archivedBy: { type: 'user' } });
  await page.getByRole('button', { name: 'Undo' }).click();
  await note.waitFor({ state: 'detached' });
  expect(await archive()).toBe(null);
  await archiveIt();
  expect(await edit.count()).toBe(0);
  expect(await page.getByRole('main').locator('form, input:enabled:not([type="radio"]), select:enabled').count()).toBe(
    0,
  );
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, `archived-${noun}`);
  await page.setViewportSize({ width: widths.narrow, height: 900 });
  expect(await overflowPx(page)).toBe(0);
  await page.setViewportSize({ width: widths.wide, height: 900 });

  await openPlace(page, list === '/deals' ? '/deals?layout=table' : list);
  await page.getByRole('grid').waitFor();
  const filter = page.getByRole('search').getByLabel('Archived');
  const cell = page.getByRole('rowheader', { name });
  expect(await cell.count()).toBe(0);
  await filter.selectOption('All');
  await cell.getByText('Archived').waitFor();
  await expect.poll(() => page.getByRole('row').count()).toBeGreaterThan(2);
  await filter.selectOption('Only');
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByRole('link', { name }).click();
  await note.getByRole('button', { name: 'Restore' }).click();
  await edit.waitFor();
  expect(await archive()).toBe(null);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a conversation with an archived contact offers Restore in the place of an answer', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const { id } = (await crm.post('/v1/contacts', { name: 'Ines Inbox', email: 'ines@inbox.example' })).body;
  await crm.post(`/v1/contacts/${id}/archive`, {});
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `/inbox/${id}`);
  const conversation = page.getByRole('region', { name: 'Ines Inbox' });
  const note = conversation.locator('.note.archived');
  await note.getByText('Archived').waitFor();
  expect(await conversation.locator('.composer').count()).toBe(0);
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'archived-conversation');
  await note.getByRole('button', { name: 'Restore' }).click();
  await conversation.locator('.composer textarea').waitFor();
  // The browser notes that nothing was written yet.
  expect(faults.filter((fault) => !fault.includes('404'))).toEqual([]);
  await page.context().close();
});

test('a task is archived from its list with an undo, and restored', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const contactId = (await crm.post('/v1/contacts', { name: 'Long Gone' })).body.id;
  const { id } = (await crm.post('/v1/tasks', { title: 'Archive task', contactId })).body;
  await crm.post(`/v1/contacts/${contactId}/archive`, {});
  const archive = async () => (await crm.get(`/v1/tasks/${id}`, { include: 'archive' })).body.archive;
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/tasks?assignee=none');
  const row = page.getByRole('listitem').filter({ hasText: 'Archive task' });
  const choose = async (text: string) => {
    await row.getByRole('button', { name: 'Actions for Archive task' }).click();
    await item(page, text).click();
  };
  await row.getByRole('link', { name: 'Long Gone' }).waitFor();
  await choose('Archive');
  await row.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await row.waitFor();
  expect(await archive()).toBe(null);
  await choose('Archive');
  await row.waitFor({ state: 'detached' });
  await page.getByRole('search').getByLabel('Archived').selectOption('Only');
  await row.getByText('Archived').waitFor();
  expect(await row.getByRole('checkbox').isDisabled()).toBe(true);
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'archived-task');
  await page.setViewportSize({ width: widths.narrow, height: 900 });
  expect(await overflowPx(page)).toBe(0);
  await choose('Restore');
  await row.waitFor({ state: 'detached' });
  expect(await archive()).toBe(null);
  expect(faults).toEqual([]);
  await page.context().close();
});

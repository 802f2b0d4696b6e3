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

const partners = {
  name: 'Partners',
  columns: [
    { name: 'First call', stage: 'lead', probability: 15 },
    { name: 'Second call', stage: 'lead' },
    { name: 'Offer sent', stage: 'proposal', color: '#3949ab' },
  ],
};

const columnOf = (page: Page, name: string) => page.getByRole('region', { name: new RegExp(`^${name}`) });

test('a deal begins on a board of its own, is moved by drag and keys, and says why it is lost', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const board = (await crm.post('/v1/pipelines', partners)).body;
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/deals');
  await page.getByRole('search').getByLabel('Pipeline').selectOption('Partners');
  await page.getByText('No deals yet').waitFor();
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('Joint venture');
  await dialog.getByLabel('Value').fill('1200');
  await dialog.getByLabel('Pipeline').selectOption('Partners');
  await dialog.getByLabel('Column').selectOption('Second call');
  await dialog.getByRole('button', { name: 'Create deal' }).click();
  const card = page.getByRole('listitem').filter({ hasText: 'Joint venture' });
  await columnOf(page, 'Second call').filter({ has: card }).waitFor();
  const read = async () =>
    (await crm.get('/v1/deals', { pipelineId: String(board.id), include: 'pipeline' })).body.items;
  const [{ id }] = await read();

  await card.dragTo(page.getByRole('heading', { name: /^Offer sent/ }));
  await columnOf(page, 'Offer sent').filter({ has: card }).getByText('€1,200', { exact: false }).first().waitFor();
  await expect.poll(async () => (await read())[0].pipeline.columnName).toBe('Offer sent');
  await page.locator('.toasts').getByText('is in Offer sent now').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await columnOf(page, 'Second call').filter({ has: card }).waitFor();
  await expect.poll(async () => (await read())[0].pipeline.columnName).toBe('Second call');

  await card.getByRole('link').focus();
  await page.keyboard.press('Shift+ArrowLeft');
  await columnOf(page, 'First call').filter({ has: card }).waitFor();
  await expect.poll(async () => (await read())[0]).toMatchObject({ probability: 15, stage: 'Lead' });
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'boards');

  await card.getByRole('button', { name: /Move to/ }).click();
  await page.getByRole('menuitem', { name: 'Lost' }).click();
  await dialog.getByLabel('Reason for the loss').fill('Too far away');
  await dialog.getByRole('button', { name: 'Mark as lost' }).click();
  await columnOf(page, 'Lost').filter({ has: card }).waitFor();
  await expect.poll(async () => (await read())[0].pipeline.lostReason).toBe('Too far away');

  await openPlace(page, `/deals/${id}`);
  const facts = page.getByRole('region', { name: 'Facts' });
  await facts.getByText('Too far away').waitFor();
  const bar = page.getByRole('list', { name: 'Stage' });
  await expect
    .poll(() => bar.getByRole('listitem').allTextContents())
    .toEqual(['First call', 'Second call', 'Offer sent', 'Lost']);
  await bar.getByRole('button', { name: 'Offer sent' }).click();
  await facts.getByText('Too far away').waitFor({ state: 'detached' });
  await expect
    .poll(async () => (await read())[0].pipeline)
    .toMatchObject({ columnName: 'Offer sent', lostReason: null });
  await page.getByRole('button', { name: /Show the changes/ }).click();
  await page.getByRole('region', { name: 'History' }).getByText('First call → Lost').waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'boards-deal');
  const main = (await crm.get('/v1/pipelines', { kind: 'deal' })).body.items.find(
    ({ isDefault }: { isDefault: boolean }) => isDefault,
  );
  await facts.getByLabel('Pipeline').selectOption(main.name);
  await bar.getByRole('button', { name: 'Negotiation' }).waitFor();
  await expect
    .poll(async () => (await crm.get(`/v1/deals/${id}`, { include: 'pipeline' })).body.pipeline)
    .toMatchObject({ id: main.id, columnKey: 'proposal' });
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a table beside the board shows the same deals in any order', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const board = (await crm.post('/v1/pipelines', { ...partners, name: 'Tabled' })).body;
  for (const value of [20, 300, 1])
    await crm.post('/v1/deals', { title: `Worth ${value}`, value, currency: 'EUR', pipelineId: board.id });
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `/deals?board=${board.id}`);
  await page.getByRole('link', { name: 'Table' }).click();
  const titles = () => page.getByRole('rowheader').allTextContents();
  await expect.poll(titles).toEqual(['Worth 1', 'Worth 300', 'Worth 20']);
  await page.getByRole('columnheader', { name: 'Value' }).getByRole('button').click();
  await expect.poll(titles).toEqual(['Worth 1', 'Worth 20', 'Worth 300']);
  await page.getByRole('columnheader', { name: 'Value' }).getByRole('button').click();
  await expect.poll(titles).toEqual(['Worth 300', 'Worth 20', 'Worth 1']);
  expect(page.url()).toContain('layout=table');
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'boards-table');
  const filter = { and: [{ field: 'value', op: 'gte', value: 100 }] };
  await page.goto(`${page.url()}&filter=${encodeURIComponent(JSON.stringify(filter))}`);
  await expect.poll(titles).toEqual(['Worth 300']);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a board is made, its columns changed, ordered, and deleted, and it is archived and restored', async ({
  skip,
}) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/settings');
  await page.getByRole('link', { name: 'Pipelines' }).click();
  const boards = page.getByRole('region', { name: 'Pipelines' });
  await boards.getByText('Default', { exact: true }).waitFor();
  const dialog = page.getByRole('dialog');
  const choose = async (of: string, item: string) => {
    await page.getByRole('button', { name: `Actions for ${of}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await page.getByRole('button', { name: 'New pipeline' }).click();
  await dialog.getByLabel('Name').fill('Renewals');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: /Renewals/ }).waitFor();
  const id = Number(page.url().split('board=').at(-1));
  const read = async () => (await crm.get(`/v1/pipelines/${id}`)).body;
  const names = async () => (await read()).columns.map(({ name }: { name: string }) => name);
  expect(await names()).toEqual(['Lead', 'Qualified', 'Proposal', 'Negotiation', 'Won', 'Lost']);

  await page.getByRole('button', { name: 'New column' }).click();
  await dialog.getByLabel('Name').fill('Contract sent');
  await dialog.getByLabel('Stage').selectOption('Negotiation');
  await dialog.getByLabel('Probability in %').fill('80');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('listitem').filter({ hasText: 'Contract sent' }).getByText('80%').waitFor();
  await choose('Lead', 'Edit');
  await dialog.getByLabel('Name').fill('Coming up');
  await dialog.getByLabel('Color').fill('#d81b60');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect
    .poll(async () => (await read()).columns[0])
    .toMatchObject({ name: 'Coming up', color: '#d81b60', stage: 'lead' });

  const handle = page.getByRole('button', { name: /^Move Contract sent/ });
  await handle.focus();
  await page.keyboard.press('ArrowUp');
  await expect
    .poll(names)
    .toEqual(['Coming up', 'Qualified', 'Proposal', 'Contract sent', 'Negotiation', 'Won', 'Lost']);
  expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toMatch(/^Move Contract sent/);
  const rows = page.locator('.ordered li');
  await rows.filter({ hasText: 'Contract sent' }).dragTo(rows.first());
  await expect
    .poll(names)
    .toEqual(['Contract sent', 'Coming up', 'Qualified', 'Proposal', 'Negotiation', 'Won', 'Lost']);
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'boards-settings');

  const column = async (name: string) => (await read()).columns.find((one: { name: string }) => one.name === name);
  const columnId = (await column('Contract sent')).id;
  const deal = (await crm.post('/v1/deals', { title: 'Renewal', columnId })).body;
  const place = async () => (await crm.get(`/v1/deals/${deal.id}`, { include: 'pipeline' })).body.pipeline;
  await choose('Contract sent', 'Delete');
  await dialog.getByLabel('Move its deals to').selectOption('Proposal');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect.poll(place, { timeout: 20_000 }).toMatchObject({ columnName: 'Proposal' });
  await expect.poll(names).not.toContain('Contract sent');

  await choose('Renewals', 'Archive');
  expect(await accessibilityFindings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Archive' }).click();
  await page.getByText('“Renewals” is archived.').waitFor();
  await expect.poll(place, { timeout: 20_000 }).not.toMatchObject({ name: 'Renewals' });
  await page.getByLabel('Show archived').check();
  await boards.getByRole('listitem').filter({ hasText: 'Renewals' }).getByRole('button', { name: 'Restore' }).click();
  await expect.poll(read).toMatchObject({ isArchived: false });
  await choose('Renewals', 'Make default');
  await page.getByText('Saved.').last().waitFor();
  await boards.getByRole('listitem').filter({ hasText: 'Renewals' }).getByText('Default', { exact: true }).waitFor();
  await choose('Renewals', 'Rename');
  await dialog.getByLabel('Name').fill('Repeat business');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await boards.getByText('Repeat business').waitFor();
  expect(await read()).toMatchObject({ name: 'Repeat business', isDefault: true });
  expect(faults).toEqual([]);
  await page.context().close();
});

test.for(['light', 'dark'] as const)('boards and their settings fit a phone, in %s', async (scheme, { skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const name = `${scheme} ${'Donaudampfschifffahrt'.repeat(3)}`;
  const columns = [{ name: 'Donaudampfschifffahrtsgesellschaft', stage: 'lead' }];
  const board = (await crm.post('/v1/pipelines', { name, columns })).body;
  const { id } = (await crm.post('/v1/deals', { title: name.repeat(2), value: 1e9, pipelineId: board.id })).body;
  const { page, faults } = await openPanel(browser, demo.session, { width: widths.narrow, scheme });
  for (const path of [
    `/settings/pipelines?board=${board.id}`,
    `/deals?board=${board.id}`,
    `/deals?board=${board.id}&layout=table`,
    `/deals/${id}`,
  ]) {
    await openPlace(page, path);
    expect([path, await overflowPx(page)]).toEqual([path, 0]);
    expect(await accessibilityFindings(page)).toEqual([]);
    await screenshot(page, `${scheme}${path.replaceAll(/[/?&]/g, '-')}`);
  }
  expect(faults).toEqual([]);
  await page.context().close();
});

import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { api, type Client } from '#test/client.ts';
import { startBrowser } from './chromium.ts';
import { openPlace } from './crawl.ts';
import { newDemo, openPanel } from './signed-in.ts';

let browser: Browser | undefined;
let demo: Awaited<ReturnType<typeof newDemo>>;
let crm: Client;

const marks = ['Acted one', 'Acted two', 'Acted three'];

beforeAll(async () => {
  browser = await startBrowser();
  if (!browser) return;
  demo = await newDemo();
  crm = api(demo.liveKey);
  const { id: contactId } = (await crm.post('/v1/contacts', { name: 'Whose they are' }, 201)).body;
  for (const mark of marks) {
    await crm.post('/v1/companies', { name: mark }, 201);
    await crm.post('/v1/deals', { title: mark, contactId, value: 10, currency: 'EUR' }, 201);
    await crm.post('/v1/tasks', { title: mark }, 201);
  }
});
afterAll(() => browser?.close());

interface Acted {
  noun: 'companies' | 'deals' | 'tasks';
  place: string;
  counted: string;
  /** The button of a menu, what is chosen there, and what the records then have. */
  acts: readonly (readonly [menu: string, choice: RegExp, after: object])[];
  column: string;
}

test.for<Acted>([
  {
    noun: 'companies',
    place: '/companies?q=Acted',
    counted: '3 companies',
    acts: [['Assigned to', /^Olivia/, { assignedToUserId: expect.any(Number) }]],
    column: 'name',
  },
  {
    noun: 'deals',
    place: '/deals?layout=table&q=Acted',
    counted: '3 deals',
    acts: [
      ['Column', /^Proposal$/, { stage: 'Proposal' }],
      ['Owner', /^Olivia/, { owner: { assignedToUserId: expect.any(Number) } }],
    ],
    column: 'title',
  },
  {
    noun: 'tasks',
    place: '/tasks?layout=table&q=Acted',
    counted: '3 tasks',
    acts: [
      ['Status', /^In progress$/, { status: 'InProgress' }],
      ['Priority', /^High$/, { priority: 'High' }],
      ['Assignee', /^Olivia/, { assignedToUserId: expect.any(Number) }],
    ],
    column: 'title',
  },
])('$noun that are selected are changed, archived with an undo, and exported', async (acted, { skip }) => {
  if (!browser) return skip();
  const { noun, place, counted, acts, column } = acted;
  const include = noun === 'deals' ? 'owner' : '';
  const found = async () =>
    (await crm.post(`/v1/${noun}/search`, { q: 'Acted', ...(include && { include }) })).body.items as object[];
  const { page, faults } = await openPanel(browser, demo.session, { acceptDownloads: true });
  await openPlace(page, place);
  const bar = page.getByRole('group', { name: 'Selected rows' });
  await page.getByText(counted, { exact: true }).first().waitFor();
  for (const mark of marks) await page.getByRole('checkbox', { name: `Select ${mark}` }).click();
  await bar.getByText(`${counted} selected`).waitFor();
  for (const [menu, choice, after] of acts) {
    await bar.getByRole('button', { name: menu }).click();
    await page.getByRole('menuitem', { name: choice }).click();
    await expect.poll(found, { timeout: 20_000 }).toEqual(marks.map(() => expect.objectContaining(after)));
    await bar.getByRole('button', { name: menu }).waitFor();
  }
  await bar.getByRole('button', { name: 'Archive' }).click();
  await expect.poll(found, { timeout: 20_000 }).toEqual([]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await found()).length).toBe(marks.length);

  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: `Export ${noun}` });
  await dialog.getByText(counted).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Export' }).click(),
  ]);
  const [header, ...rows] = (await readFile(await download.path(), 'utf8')).trim().split(/\r?\n/);
  expect(header?.replace('\uFEFF', '').split(',')[0]).toBe(column);
  expect(rows.map((row) => row.split(',')[0]).sort()).toEqual(marks.toSorted());
  expect(faults.filter((fault) => !fault.startsWith('asked '))).toEqual([]);
  await page.context().close();
});

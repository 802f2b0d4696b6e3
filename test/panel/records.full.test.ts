import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { api, eventually } from '#test/client.ts';
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

const details = (page: Page) => page.getByRole('region', { name: 'Details' });

test('a field of a contact is edited in place by the keyboard, and others’ changes stay', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const { id } = (await crm.post('/v1/contacts', { name: 'Ivy Inplace', company: 'Old' })).body;
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `/contacts/${id}`);
  await details(page)
    .getByRole('button', { name: /Edit Company/ })
    .focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('company');
  await page.keyboard.type('Never');
  await page.keyboard.press('Escape');
  await details(page).getByText('Old').waitFor();
  // Escape gives the focus back to the field's button.
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toMatch(/Edit Company$/);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('company');
  await crm.patch(`/v1/contacts/${id}`, { phone: '+49 30 123' });
  await page.keyboard.type('New');
  await page.keyboard.press('Enter');
  await page.getByText('Saved.').waitFor();
  await expect
    .poll(async () => (await crm.get(`/v1/contacts/${id}`)).body)
    .toMatchObject({ company: 'New', phone: '+49 30 123' });
  await expect
    .poll(() => details(page).getByRole('link', { name: '+49 30 123' }).getAttribute('href'))
    .toBe('tel:+4930123');
  // Of a field that both change, both values show.
  await Promise.all([
    page.waitForResponse((response) => new URL(response.url()).pathname === `/v1/contacts/${id}`),
    details(page)
      .getByRole('button', { name: /Edit Company/ })
      .click(),
  ]);
  await page.getByLabel('Company', { exact: true }).fill('Mine');
  await crm.patch(`/v1/contacts/${id}`, { company: 'Theirs' });
  await page.keyboard.press('Enter');
  await page.getByText('Now it is: Theirs').waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await crm.get(`/v1/contacts/${id}`)).body.company).toBe('Mine');
  expect(faults.filter((fault) => !fault.includes('412'))).toEqual([]);
  await page.context().close();
});

test('the timeline has messages, notes, changes, deals, and tasks, named actors, and filters', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const { items } = (await crm.get('/v1/contacts', { q: 'Ann Archer' })).body;
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `/contacts/${items[0].id}`);
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await timeline
    .getByText(/^Deal .* was created$/)
    .first()
    .waitFor();
  await timeline.getByText('Met at the spring fair; wants an offer for ten seats.').waitFor();
  await timeline.getByText('Demo live').first().waitFor();
  const times = await timeline
    .locator('time')
    .evaluateAll((all) => all.map((one) => one.getAttribute('datetime') ?? ''));
  expect(times).toEqual([...times].sort().reverse());
  expect(await accessibilityFindings(page)).toEqual([]);
  expect(await overflowPx(page)).toBeLessThanOrEqual(0);
  await screenshot(page, 'contact');
  await timeline.getByText('Notes', { exact: true }).click();
  await expect.poll(() => timeline.getByRole('listitem').count()).toBe(1);
  await timeline.getByText('Messages', { exact: true }).click();
  await timeline.getByRole('link', { name: 'Telegram' }).first().waitFor();
  expect(await timeline.getByText(/^Deal .* was created$/).count()).toBe(0);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('custom fields are shown and edited by their types', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const options = [{ label: 'Gold' }, { label: 'Silver' }];
  for (const [slug, type] of Object.entries({ motto: 'text', seats: 'number', budget: 'money', since: 'date' }))
    await crm.post('/v1/fields', { object: 'contact', slug, title: `The ${slug}`, type });
  await crm.post('/v1/fields', { object: 'contact', slug: 'level', title: 'The level', type: 'select', options });
  await crm.post('/v1/fields', {
    object: 'contact',
    slug: 'topics',
    title: 'The topics',
    type: 'multi_select',
    options,
  });
  const { id } = (await crm.post('/v1/contacts', { name: 'Fay Fields' })).body;
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `/contacts/${id}`);
  const fields = page.getByRole('region', { name: 'Fields' });
  const edit = async (name: string, fill: () => Promise<unknown>) => {
    await fields.getByRole('button', { name: `Edit ${name}` }).click();
    await fill();
    await fields.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => fields.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
  };
  await edit('The motto', () => fields.getByLabel('The motto').fill('Onward'));
  await edit('The seats', () => fields.getByLabel('The seats').fill('12.5'));
  await edit('The budget', async () => {
    await fields.getByLabel('The budget').fill('900');
    await fields.getByLabel('Currency').fill('eur');
  });
  await edit('The since', () => fields.getByLabel('The since').fill('2026-11-30'));
  await edit('The level', () => fields.getByRole('radio', { name: 'Gold' }).check());
  await edit('The topics', () => fields.getByLabel('Silver').check());
  expect((await crm.get(`/v1/contacts/${id}/fields`)).body.fields).toEqual({
    motto: 'Onward',
    seats: 12.5,
    budget: { amount: 900, currency: 'EUR' },
    since: '2026-11-30',
    level: 'Gold',
    topics: ['Silver'],
  });
  await fields.getByText('€900.00').waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a person is exported, marked against sequence mail, and erased after the name is typed', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const { id } = (await crm.post('/v1/contacts', { name: 'Eve Erased', email: 'eve@erased.example' })).body;
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `/contacts/${id}`);
  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'More for Eve Erased' }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await choose('Stop sequence mail');
  await details(page).getByText('No sequence mail').waitFor();
  const [file] = await Promise.all([page.waitForEvent('download'), choose('Export as JSON')]);
  expect(file.suggestedFilename()).toBe(`contact-${id}.json`);
  await choose('Erase …');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('Eve');
  await dialog.getByRole('button', { name: 'Erase for good' }).click();
  await dialog.getByText('That is another name').waitFor();
  await dialog.getByRole('textbox').fill('Eve Erased');
  await dialog.getByRole('button', { name: 'Erase for good' }).click();
  await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor();
  expect((await crm.get(`/v1/contacts/${id}`)).status).toBe(404);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a deal has an owner, a stage bar, fields in place, its history, and its contact', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const contactId = (await crm.post('/v1/contacts', { name: 'Dora Deal', phone: '+49 30 77' })).body.id;
  const given = { title: 'Full deal', value: 100, currency: 'EUR', contactId, expectedCloseAt: '2020-01-31T00:00:00Z' };
  const { id } = (await crm.post('/v1/deals', given)).body;
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `/deals/${id}`);
  await page.getByLabel('Owner', { exact: true }).selectOption('Olivia Owner');
  await page.getByText('Olivia Owner is assigned.').waitFor();
  const facts = page.getByRole('region', { name: 'Facts' });
  await facts.getByRole('button', { name: /Edit Value/ }).click();
  await facts.getByLabel('Value').fill('250');
  await page.keyboard.press('Enter');
  await facts.getByText('€250.00').waitFor();
  await page.getByRole('list', { name: 'Stage' }).getByRole('button', { name: 'Proposal' }).click();
  await expect.poll(async () => (await crm.get(`/v1/deals/${id}`)).body.stage).toBe('Proposal');
  await page.getByRole('region', { name: 'Notes' }).getByRole('button').click();
  await page.getByRole('textbox', { name: 'Notes' }).fill('Wants blue.');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Wants blue.').waitFor();
  expect((await crm.get(`/v1/deals/${id}`, { include: 'owner' })).body).toMatchObject({
    value: 250,
    notes: 'Wants blue.',
    expectedCloseAt: expect.stringMatching(/^2020-01-31T00:00:00/),
    owner: { assignedToUserId: expect.any(Number) },
  });
  expect(
    await page.getByRole('region', { name: 'Contact', exact: true }).getByRole('link', { name: '+49 30 77' }).count(),
  ).toBe(1);
  await page.getByRole('button', { name: /Show the changes/ }).click();
  const history = page.getByRole('region', { name: 'History' });
  await history.getByText('Lead → Proposal').waitFor();
  await history.getByText('Value: 100 → 250').waitFor();
  await history.getByText('Owner: – → Olivia Owner').waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  expect(await overflowPx(page)).toBeLessThanOrEqual(0);
  await screenshot(page, 'deal');

  await openPlace(page, '/deals');
  const card = page.getByRole('listitem').filter({ hasText: 'Full deal' });
  await card.getByText('Olivia Owner').waitFor();
  await card.getByText(/Overdue since/).waitFor();
  await screenshot(page, 'board');
  await page.getByLabel('Expected to close').selectOption('Overdue');
  await expect.poll(() => page.locator('.stage').count()).toBe(4);
  await card.waitFor();
  await page.getByLabel('Owner', { exact: true }).selectOption('Nobody');
  await expect.poll(() => card.count()).toBe(0);
  expect(await accessibilityFindings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('chosen contacts are tagged together, and the tag is renamed and deleted', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const names = ['Bulk One', 'Bulk Two', 'Bulk Three'];
  for (const name of names) await crm.post('/v1/contacts', { name });
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/contacts?q=Bulk');
  await page.getByRole('checkbox', { name: 'Select Bulk Three' }).click();
  await page.getByRole('checkbox', { name: 'Select Bulk One' }).click({ modifiers: ['Shift'] });
  await page.getByText('3 contacts selected').waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'contacts-bulk');
  await page.getByRole('button', { name: 'Tag …' }).click();
  await page.getByRole('dialog').getByLabel('Tag').fill('Bulky');
  await page.keyboard.press('Enter');
  await page.getByText('Changed: 3 contacts.').waitFor();

  await openPlace(page, '/contacts/tags');
  await page.getByRole('button', { name: 'Actions for Bulky' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Bulkier');
  await page.getByRole('dialog').getByLabel('Color').fill('#00ff00');
  await page.getByRole('button', { name: 'Save' }).click();
  const row = page.getByRole('row').filter({ hasText: 'Bulkier' });
  expect(await row.textContent()).toContain('3');
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Actions for Bulkier' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => row.count()).toBe(0);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a contact goes into a sequence and is taken out of it', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const { items } = (await crm.get('/v1/sequences', { status: 'active' })).body;
  const { id } = (await crm.post('/v1/contacts', { name: 'Sam Sequence', username: 'sam_sequence' })).body;
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/contacts?q=Sam%20Sequence');
  await page.getByRole('checkbox', { name: 'Select Sam Sequence' }).click();
  await page.getByRole('button', { name: 'Enroll …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Enroll' }).click();
  await page.getByText('Changed: 1 contact.').waitFor();
  const enrolled = async () =>
    (await crm.get(`/v1/sequences/${items[0].id}/enrollments`, { contactId: String(id) })).body.items;
  expect(await enrolled()).toMatchObject([{ status: 'active' }]);
  await openPlace(page, `/contacts/${id}`);
  await page.getByRole('button', { name: 'More for Sam Sequence' }).click();
  await page.getByRole('menuitem', { name: 'Sequences …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Take out' }).click();
  await page.getByText(/^Sam Sequence is out of/).waitFor();
  expect(await enrolled()).not.toMatchObject([{ status: 'active' }]);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('records of long names are no wider than a phone', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const name = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(5);
  const contactId = (await crm.post('/v1/contacts', { name, email: `${'x'.repeat(60)}@${'y'.repeat(60)}.example` }))
    .body.id;
  const deal = { title: name, value: 1e9, currency: 'EUR', contactId, notes: name };
  const { id } = (await crm.post('/v1/deals', deal)).body;
  await crm.post('/v1/tags', { name: name.slice(0, 50) });
  const { page, faults } = await openPanel(browser, demo.session, { width: widths.narrow });
  const paths = [
    '/contacts',
    `/contacts/${contactId}`,
    '/contacts/tags',
    '/contacts/suppressions',
    '/deals',
    `/deals/${id}`,
  ];
  for (const path of [...paths, '/developers/audit']) {
    await openPlace(page, path);
    expect([path, await overflowPx(page)]).toEqual([path, 0]);
    expect(await accessibilityFindings(page)).toEqual([]);
    await screenshot(page, `narrow${path.replaceAll('/', '-')}`);
  }
  expect(faults).toEqual([]);
  await page.context().close();
});

test('the audit trail names the key behind a call', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  await crm.post('/v1/tags', { name: 'Audited' });
  const isThere = async () =>
    (await crm.get('/v1/audit-events')).body.items.some(({ path }: { path: string }) => path === '/v1/tags');
  await eventually(isThere, 'the audit entry');
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/developers/audit');
  await page.getByRole('row').filter({ hasText: 'POST /v1/tags' }).first().getByText('Demo live').waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
});

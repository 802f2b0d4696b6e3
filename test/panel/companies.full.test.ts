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

const details = (page: Page) => page.getByRole('region', { name: 'Details' });

test('a company is made, found, and edited in place, and says which domain is taken', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  await crm.post('/v1/companies', { name: 'Taken', domains: ['taken.com'] });
  const { page, faults } = await openPanel(browser, demo.session);
  await page.getByRole('link', { name: 'Companies' }).click();
  await page.getByRole('heading', { level: 1, name: 'Companies' }).waitFor();
  await page.getByRole('button', { name: 'New company' }).waitFor();
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Acme');
  await dialog.getByLabel('Domains').fill('taken.com, acme.com');
  await dialog.getByRole('button', { name: 'Create company' }).click();
  await dialog.locator('.field .problem').waitFor();
  expect(await dialog.getByLabel('Domains').getAttribute('aria-invalid')).toBe('true');
  await dialog.getByLabel('Domains').fill('acme.com, acme.de');
  await dialog.getByRole('button', { name: 'Create company' }).click();
  await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor();
  const id = Number(page.url().split('/').at(-1));
  const edit = async (name: string, label: string, value: string) => {
    await details(page)
      .getByRole('button', { name: `Edit ${name}` })
      .click();
    await details(page).getByLabel(label, { exact: true }).fill(value);
    await details(page).getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => details(page).getByRole('button', { name: 'Cancel' }).count()).toBe(0);
  };
  await edit('Website', 'Website', 'www.acme.com');
  await edit('Address', 'Address', 'Main Street 1\nBerlin');
  await details(page).getByRole('button', { name: 'Edit Assigned to' }).click();
  await details(page).getByLabel('Assigned to').selectOption('Max Member');
  await details(page).getByRole('button', { name: 'Save' }).click();
  await details(page).getByText('Max Member').waitFor();
  expect((await crm.get(`/v1/companies/${id}`)).body).toMatchObject({
    name: 'Acme',
    domains: ['acme.com', 'acme.de'],
    website: 'www.acme.com',
    address: 'Main Street 1\nBerlin',
    assignedToUserId: expect.any(Number),
  });
  const history = page.getByRole('region', { name: 'Timeline' });
  await history.getByRole('textbox', { name: 'Note' }).fill('Called them.');
  await history.getByRole('button', { name: 'Add note' }).click();
  await history.getByText('Called them.').waitFor();
  await history.getByText('Assigned to Max Member').waitFor();

  const domain = { field: 'domains', op: 'eq', value: 'acme.de' };
  await openPlace(page, `/companies?filter=${encodeURIComponent(JSON.stringify(domain))}`);
  await page.getByRole('row').filter({ hasText: 'Acme' }).getByText('Max Member').waitFor();
  await openPlace(page, '/companies?q=Nothing%20like%20that');
  await page.getByText('No company fits').waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  expect(faults.filter((fault) => !fault.includes('409'))).toEqual([]);
  await page.context().close();
});

test('people of a company have titles, one main company, and come back by undo', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const contactId = (await crm.post('/v1/contacts', { name: 'Petra Person' })).body.id;
  const first = (await crm.post('/v1/companies', { name: 'First Ltd' })).body.id;
  const second = (await crm.post('/v1/companies', { name: 'Second Ltd' })).body.id;
  await crm.put(`/v1/contacts/${contactId}/companies`, { items: [{ companyId: first }] });
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `/companies/${second}`);
  const people = page.getByRole('region', { name: 'People' });
  await people.getByRole('button', { name: 'Add a contact' }).click();
  await page.getByRole('dialog').getByLabel('Contact').fill('Petra');
  await expect.poll(() => page.locator('dialog datalist option').count()).toBeGreaterThan(0);
  await page.getByRole('dialog').getByLabel('Contact').fill(`Petra Person (#${contactId})`);
  await page.getByRole('dialog').getByLabel('Title').fill('Head of Sales');
  await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
  await people.getByText('Head of Sales').waitFor();
  const choose = async (name: string) => {
    await people.getByRole('button', { name: 'Actions for Petra Person' }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await choose('Make main');
  await people.getByText('Main', { exact: true }).waitFor();
  const links = async () => (await crm.get(`/v1/contacts/${contactId}/companies`)).body.items;
  expect(await links()).toEqual([
    { companyId: first, name: 'First Ltd', title: null, isPrimary: false },
    { companyId: second, name: 'Second Ltd', title: 'Head of Sales', isPrimary: true },
  ]);
  await choose('Remove');
  await expect.poll(() => people.getByRole('listitem').count()).toBe(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await people.getByText('Head of Sales').waitFor();
  expect((await links()).length).toBe(2);
  await page.getByRole('region', { name: 'Deals' }).getByRole('button', { name: 'New deal' }).click();
  await page.getByRole('dialog').getByLabel('Title').fill('Big order');
  await page.getByRole('dialog').getByRole('button', { name: 'Create deal' }).click();
  await page.getByRole('link', { name: 'Big order' }).waitFor();
  expect((await crm.get('/v1/deals', { companyId: String(second) })).body.items).toMatchObject([
    { title: 'Big order' },
  ]);
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'company');
  expect(faults).toEqual([]);
  await page.context().close();
});

test('two companies are merged side by side, either way', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const left = (await crm.post('/v1/companies', { name: 'Twin Inc', domains: ['twin.com'], phone: '+1 202 5550100' }))
    .body.id;
  const right = (await crm.post('/v1/companies', { name: 'TWIN', domains: ['twin.de'], address: 'Bonn' })).body.id;
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `/companies/${left}`);
  await page.getByRole('region', { name: 'The same company?' }).getByRole('button', { name: 'Merge' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('heading', { name: 'Merge TWIN into Twin Inc?' }).waitFor();
  expect(await dialog.getByRole('row').filter({ hasText: 'Domains' }).textContent()).toContain('twin.comtwin.de');
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'company-merge');
  await dialog.getByRole('button', { name: 'Swap' }).click();
  await dialog.getByRole('heading', { name: 'Merge Twin Inc into TWIN?' }).waitFor();
  await dialog.getByRole('button', { name: 'Merge' }).click();
  await page.getByRole('heading', { level: 1, name: 'TWIN', exact: true }).waitFor();
  expect((await crm.get(`/v1/companies/${left}`)).status).toBe(404);
  expect((await crm.get(`/v1/companies/${right}`)).body).toMatchObject({
    name: 'TWIN',
    domains: ['twin.de', 'twin.com'],
    address: 'Bonn',
    phone: '+1 202 5550100',
  });
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a contact gets a company by its name, with a title, and a deal shows its company', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const known = (await crm.post('/v1/companies', { name: 'Known AG' })).body.id;
  const { id } = (await crm.post('/v1/contacts', { name: 'Carl Contact', company: 'Brand New Ltd' })).body;
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `/contacts/${id}`);
  const companies = page.getByRole('region', { name: 'Companies' });
  const dialog = page.getByRole('dialog');
  await companies.getByRole('button', { name: 'Add a company' }).click();
  // The name that the contact has had makes a company.
  expect(await dialog.getByLabel('Company').inputValue()).toBe('Brand New Ltd');
  await dialog.getByLabel('Title').fill('Founder');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await companies.getByText('Founder').waitFor();
  await companies.getByRole('button', { name: 'Add a company' }).click();
  await dialog.getByLabel('Company').fill('known ag');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await companies.getByRole('link', { name: 'Known AG' }).waitFor();
  await companies.getByRole('button', { name: 'Actions for Known AG' }).click();
  await page.getByRole('menuitem', { name: 'Make main' }).click();
  await details(page).getByRole('link', { name: 'Known AG' }).waitFor();
  expect((await crm.get(`/v1/contacts/${id}/companies`)).body.items).toMatchObject([
    { name: 'Brand New Ltd', title: 'Founder', isPrimary: false },
    { companyId: known, name: 'Known AG', title: null, isPrimary: true },
  ]);
  await companies.getByRole('button', { name: 'Actions for Known AG' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await expect.poll(() => companies.getByRole('listitem').count()).toBe(1);
  await page.getByRole('button', { name: 'Undo' }).click();
  await details(page).getByRole('link', { name: 'Known AG' }).waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'contact-companies');

  const deal = (await crm.post('/v1/deals', { title: 'Of a company', contactId: id })).body.id;
  await openPlace(page, `/deals/${deal}`);
  const facts = page.getByRole('region', { name: 'Facts' });
  await facts.getByRole('link', { name: 'Known AG' }).waitFor();
  await facts.getByRole('button', { name: 'Edit Company' }).click();
  await facts.getByLabel('Company').fill('');
  await facts.getByRole('button', { name: 'Save' }).click();
  await expect.poll(async () => (await crm.get(`/v1/deals/${deal}`, { include: 'company' })).body.company).toBe(null);
  expect(faults).toEqual([]);
  await page.context().close();
});

test.for(['light', 'dark'] as const)('companies fit a phone, in %s', async (scheme, { skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const name = 'Donaudampfschifffahrtsgesellschaft'.repeat(5);
  const { id } = (
    await crm.post('/v1/companies', { name, address: name, website: `https://${'x'.repeat(60)}.example` })
  ).body;
  const contactId = (await crm.post('/v1/contacts', { name })).body.id;
  await crm.put(`/v1/contacts/${contactId}/companies`, { items: [{ companyId: id, title: name }] });
  const { page, faults } = await openPanel(browser, demo.session, { width: widths.narrow, scheme });
  for (const path of ['/companies', `/companies/${id}`]) {
    await openPlace(page, path);
    expect([path, await overflowPx(page)]).toEqual([path, 0]);
    expect(await accessibilityFindings(page)).toEqual([]);
    await screenshot(page, `${scheme}${path.replaceAll('/', '-')}`);
  }
  expect(faults).toEqual([]);
  await page.context().close();
});

test.each([
  ['companies', { name: 'Paired' }],
  ['deals', { title: 'Paired' }],
])('the metadata of %s is shown and changed', async (noun, body) => {
  if (!browser) return;
  const crm = api(demo.liveKey);
  const { id } = (await crm.post(`/v1/${noun}`, { ...body, metadata: { externalId: 'crm-7' } }, 201)).body;
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `/${noun}/${id}`);
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('menuitem', { name: 'Metadata …' }).click();
  const field = page.getByRole('dialog').getByRole('textbox');
  expect(JSON.parse(await field.inputValue())).toEqual({ externalId: 'crm-7' });
  await field.fill('{ "externalId": "crm-8", "source": "fair" }');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  expect((await crm.get(`/v1/${noun}/${id}/metadata`)).body.metadata).toEqual({ externalId: 'crm-8', source: 'fair' });
  expect(faults).toEqual([]);
  await page.context().close();
});

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { api } from '#test/client.ts';
import { startBrowser } from './chromium.ts';
import { openPlace } from './crawl.ts';
import { signedIn } from './member.ts';
import { accessibilityFindings, overflowPx, screenshot, widths } from './page.ts';
import { newDemo, openPanel } from './signed-in.ts';

let browser: Browser | undefined;
let demo: Awaited<ReturnType<typeof newDemo>>;
/** Made before a field is required. */
let company: number;
beforeAll(async () => {
  browser = await startBrowser();
  if (!browser) return;
  demo = await newDemo();
  company = (await api(demo.liveKey).post('/v1/companies', { name: 'Value Corp' })).body.id;
});
afterAll(() => browser?.close());

const isExpected = (fault: string) => /status of (400|409|412)/.test(fault);

test('a field is made with options, edited, ordered by keys and by drag, archived, and restored', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const slugs = async () =>
    (await crm.get('/v1/fields', { object: 'company' })).body.items
      .sort((a: { position: number }, b: { position: number }) => a.position - b.position)
      .map(({ slug }: { slug: string }) => slug);
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/settings/fields?object=company');
  await page.getByText('No fields yet').waitFor();
  await page.getByRole('button', { name: 'New field' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('Customer tier');
  expect(await dialog.getByLabel('Name in the API').inputValue()).toBe('customer_tier');
  await dialog.getByLabel('Type', { exact: true }).selectOption('select');
  await dialog.getByLabel('Option 1').fill('Gold');
  await page.keyboard.press('Enter');
  await dialog.getByLabel('Option 2').fill('Silver');
  await dialog.getByLabel('Required for new records').check();
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'field-new');
  await dialog.getByRole('button', { name: 'Create field' }).click();
  await page.getByText('customer_tier').waitFor();
  const field = (await crm.get('/v1/fields', { object: 'company' })).body.items[0];
  expect(field).toMatchObject({
    slug: 'customer_tier',
    type: 'select',
    isRequired: true,
    options: [{ label: 'Gold' }, { label: 'Silver' }],
  });
  for (const slug of ['second', 'third'])
    await crm.post('/v1/fields', { object: 'company', slug, title: slug, type: 'text' });
  await expect.poll(() => page.locator('.ordered li').count()).toBe(3);
  await page.getByRole('button', { name: 'Move Customer tier, 1 of 3' }).focus();
  await page.keyboard.press('ArrowDown');
  await expect.poll(slugs).toEqual(['second', 'customer_tier', 'third']);
  await page.getByRole('button', { name: 'Move Customer tier, 2 of 3' }).waitFor();
  await page.locator('.ordered li').nth(2).dragTo(page.locator('.ordered li').nth(0));
  await expect.poll(slugs).toEqual(['third', 'second', 'customer_tier']);
  // Options that somebody else adds meanwhile stay.
  const choose = async (name: string, item: string) => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await Promise.all([page.waitForResponse(/\/v1\/fields\/\d+$/), choose('Customer tier', 'Edit')]);
  await dialog.getByLabel('Option 1').fill('Golden');
  const theirs = [
    ...field.options.map(({ id, label }: { id: number; label: string }) => ({ id, label })),
    { label: 'Bronze' },
  ];
  await crm.patch(`/v1/fields/${field.id}`, { options: theirs });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText(/Somebody else has changed this field/).waitFor();
  expect(await dialog.getByLabel('Option 3').inputValue()).toBe('Bronze');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Golden').waitFor();
  expect((await crm.get(`/v1/fields/${field.id}`)).body.options).toMatchObject([
    { id: field.options[0].id, label: 'Golden' },
    { label: 'Silver' },
    { label: 'Bronze' },
  ]);
  await choose('second', 'Archive');
  await expect.poll(() => page.locator('.ordered li').count()).toBe(2);
  await page.getByLabel('Show archived').check();
  const archived = page.getByRole('region', { name: 'Archived fields' });
  await archived.getByText('second').first().waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'fields');
  await archived.getByRole('button', { name: 'Restore' }).click();
  await expect.poll(() => page.locator('.ordered li').count()).toBe(3);

  // A new company is asked for what is required.
  await openPlace(page, '/companies');
  await page.getByRole('button', { name: 'New company' }).click();
  await dialog.getByLabel('Name').fill('Tiered');
  await dialog.getByRole('radio', { name: 'Silver' }).check();
  await dialog.getByRole('button', { name: 'Create company' }).click();
  await page.getByRole('region', { name: 'Fields' }).getByText('Silver').waitFor();
  expect(faults.filter((fault) => !isExpected(fault))).toEqual([]);
  await page.context().close();
});

const types = [
  ...['text', 'long_text', 'number', 'money', 'checkbox', 'date', 'datetime', 'select', 'multi_select'],
  ...['url', 'email', 'phone', 'member', 'contact', 'company', 'deal'],
];

test('values of every type are edited in place on a page and in the dialog of a task', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const options = Array.from({ length: 12 }, (_, at) => ({ label: `Choice ${at}` }));
  for (const object of ['contact', 'task'])
    for (const type of types)
      await crm.post('/v1/fields', {
        ...{ object, slug: `x_${type}`, title: `The ${type}`, type },
        ...(/select/.test(type) && { options }),
        ...(type === 'text' && { isUnique: true }),
      });
  const other = (await crm.post('/v1/contacts', { name: 'Other One', fields: { x_text: 'mine' } })).body.id;
  const deal = (await crm.post('/v1/deals', { title: 'Value deal' })).body.id;
  const { id } = (await crm.post('/v1/contacts', { name: 'Vera Values' })).body;
  const task = (await crm.post('/v1/tasks', { title: 'Fill the fields', contactId: id })).body.id;
  const { page, faults } = await openPanel(browser, demo.session);
  const memberId = (await crm.get('/v1/members')).body.items[0].id;
  const given: Record<string, string> = {
    text: 'One line',
    long_text: 'Two\nlines',
    number: '12.5',
    money: '900',
    date: '2026-11-30',
    datetime: '2026-11-30T10:00',
    url: 'https://example.com/x',
    email: 'vera@example.com',
    phone: '+49 30 123456',
    contact: `Other One (#${other})`,
    company: `Value Corp (#${company})`,
    deal: `Value deal (#${deal})`,
  };
  const fillAll = async (region: ReturnType<typeof page.getByRole>) => {
    for (const type of types) {
      if (type === 'checkbox') {
        await region.getByRole('checkbox', { name: 'The checkbox' }).check();
        continue;
      }
      await region.locator(`[title="Edit The ${type}"]`).click();
      if (type === 'select') {
        await region.getByRole('searchbox').fill('choice 11');
        await page.keyboard.press('Enter');
      } else if (type === 'multi_select') {
        await region.getByRole('checkbox', { name: 'Choice 3', exact: true }).check();
        await region.getByRole('checkbox', { name: 'Choice 1', exact: true }).check();
      } else if (type === 'member') await region.getByLabel('The member').selectOption(String(memberId));
      else await region.getByLabel(`The ${type}`, { exact: true }).fill(given[type] as string);
      await region.getByRole('button', { name: 'Save' }).click();
      await expect
        .poll(async () => [
          type,
          await region.getByRole('alert').allTextContents(),
          await region.getByRole('button', { name: 'Cancel' }).count(),
        ])
        .toEqual([type, [], 0]);
    }
  };
  const expected = {
    x_text: 'One line',
    x_long_text: 'Two\nlines',
    x_number: 12.5,
    x_money: { amount: 900, currency: 'EUR' },
    x_checkbox: true,
    x_date: '2026-11-30',
    x_datetime: '2026-11-30T09:00:00Z',
    x_select: 'Choice 11',
    x_multi_select: ['Choice 3', 'Choice 1'],
    x_url: 'https://example.com/x',
    x_email: 'vera@example.com',
    x_phone: '+49 30 123456',
    x_member: memberId,
    x_contact: other,
    x_company: company,
    x_deal: deal,
  };
  await openPlace(page, `/contacts/${id}`);
  const fields = page.getByRole('region', { name: 'Fields' });
  await fillAll(fields);
  await expect.poll(async () => (await crm.get(`/v1/contacts/${id}/fields`)).body.fields).toEqual(expected);
  for (const name of ['Other One', 'Value Corp', 'Value deal']) await fields.getByRole('link', { name }).waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'contact-fields');
  // A unique value that another contact has is refused at its field.
  await fields.locator('[title="Edit The text"]').click();
  await fields.getByLabel('The text', { exact: true }).fill('MINE');
  await fields.getByRole('button', { name: 'Save' }).click();
  await fields.locator('.field .problem').waitFor();
  expect(await fields.getByLabel('The text', { exact: true }).getAttribute('aria-invalid')).toBe('true');

  await openPlace(page, '/tasks?assignee=all');
  await page.getByRole('button', { name: 'Fill the fields', exact: true }).click();
  await fillAll(page.getByRole('dialog').getByRole('region', { name: 'Fields' }));
  await expect.poll(async () => (await crm.get(`/v1/tasks/${task}/fields`)).body.fields).toEqual(expected);
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'task-fields');
  expect(faults.filter((fault) => !isExpected(fault))).toEqual([]);
  await page.context().close();
});

test.for(['light', 'dark'] as const)('fields fit a phone, in %s, and are for owners', async (scheme, { skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const title = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(2);
  const options = [{ label: title }, { label: 'Short' }];
  await crm.post('/v1/fields', { object: 'deal', slug: `long_${scheme}`, title, type: 'select', options });
  const { page, faults } = await openPanel(browser, demo.session, { width: widths.narrow, scheme });
  await openPlace(page, '/settings/fields?object=deal');
  expect(await overflowPx(page)).toBe(0);
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, `narrow-fields-${scheme}`);
  const { token } = await signedIn(demo.workspaceId, 'member');
  const member = await openPanel(browser, token);
  await openPlace(member.page, '/settings');
  expect(await member.page.getByRole('link', { name: 'Fields' }).count()).toBe(0);
  await member.page.context().close();
  expect(faults).toEqual([]);
  await page.context().close();
});

test('an owner sets the time zone, the country, and links by domain of the workspace', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/settings/workspace');
  await page.getByLabel('Time zone').selectOption('Europe/Berlin');
  await page.getByLabel('Country').selectOption('Germany');
  await page.getByLabel('Link new contacts').uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The workspace is changed').waitFor();
  await page.reload();
  await expect.poll(() => page.getByLabel('Time zone').inputValue()).toBe('Europe/Berlin');
  expect(await page.getByLabel('Country').inputValue()).toBe('DE');
  expect(await page.getByLabel('Link new contacts').isChecked()).toBe(false);
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByLabel('Link new contacts').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => page.getByLabel('Link new contacts').isChecked()).toBe(false);
  expect(faults).toEqual([]);
  await page.context().close();
});

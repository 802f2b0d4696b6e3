import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import * as v from 'valibot';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commands as messages } from '#infra/admin/commands/message.ts';
import { api, eventually } from '#test/client.ts';
import { startBrowser } from './chromium.ts';
import { openPlace } from './crawl.ts';
import { mailedToken, newAddress, newMember } from './member.ts';
import { openPage, screenshot } from './page.ts';
import { newDemo, openPanel, panelUrl } from './signed-in.ts';

let browser: Browser | undefined;
let demo: Awaited<ReturnType<typeof newDemo>>;
beforeAll(async () => {
  browser = await startBrowser();
  if (browser) demo = await newDemo();
});
afterAll(() => browser?.close());

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();

test('a member signs in by a mailed link once, has the session in every tab, and signs out of all', async ({
  skip,
}) => {
  if (!browser) return skip();
  const email = newAddress();
  await newMember(demo.workspaceId, 'member', email);
  const { page, faults } = await openPage(browser, panelUrl);
  // Asked for without a session, a page is there after the sign-in.
  await page.goto(`${panelUrl}#/tasks`);
  await heading(page, 'Sign in');
  await page.getByRole('textbox').fill(email);
  await page.keyboard.press('Enter');
  await heading(page, 'Look into your mail');
  const token = await mailedToken(email);
  await page.goto(`${panelUrl}#/sign-in/${token}`);
  await heading(page, 'Tasks');
  expect(page.url()).not.toContain(token);
  await page.goBack();
  expect(page.url()).not.toContain(token);
  const tab = await page.context().newPage();
  await tab.goto(`${panelUrl}#/contacts`);
  await heading(tab, 'Contacts');
  expect(
    await tab.evaluate('[document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage)].join()'),
  ).not.toMatch(/cps_|requestToken/);
  // A member sees no finance.
  expect(await page.getByRole('navigation').getByRole('link', { name: 'Finance' }).count()).toBe(0);
  expect(faults).toEqual([]);

  const other = await openPage(browser, panelUrl);
  await other.page.goto(`${panelUrl}#/sign-in/${token}`);
  await heading(other.page, 'This link does not work');

  // Somebody's link does not take the place of who is signed in unasked.
  await page.goto(`${panelUrl}#/sign-in/${token}`);
  await heading(page, 'You are signed in already');
  await page.getByRole('link', { name: 'Stay signed in' }).click();
  await heading(page, 'Home');
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await heading(page, 'Sign in');
  await heading(tab, 'Sign in');
  await Promise.all([page, other.page].map((one) => one.context().close()));
});

test('a sandbox bot is connected, and its message appears and is answered', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, demo.session, { environment: 'test' });
  await openPlace(page, '/accounts');
  await page.getByRole('button', { name: 'Connect a bot' }).click();
  await page.getByLabel('Bot token').fill(`test_story_${demo.workspaceId}`);
  await page.getByRole('dialog').getByLabel('Name').fill('Story bot');
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByText('Story bot').first().waitFor();

  const crm = api(demo.testKey);
  const { items } = (await crm.get('/v1/telegram/accounts')).body;
  const accountId = items.find(({ name }: { name: string }) => name === 'Story bot').id;
  await openPlace(page, '/inbox');
  const { input, run } = messages.receive;
  await run(
    v.parse(input, {
      workspaceId: demo.workspaceId,
      env: 'test',
      channel: 'telegram',
      accountId,
      from: { telegramUserId: 770_001, name: 'Wanda Writer' },
      body: 'Is there a discount for schools?',
    }),
  );
  await page.getByRole('link', { name: /Wanda Writer/ }).click();
  await heading(page, /Wanda Writer|Inbox/);
  await page.getByText('Is there a discount for schools?').last().waitFor();
  await page.getByLabel('Message to Wanda Writer').fill('There is: 20 %.');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const answer = page.getByRole('article', { name: 'Written by us' }).filter({ hasText: 'There is: 20 %.' });
  await answer.getByText('sent').waitFor();
  await screenshot(page, 'story-inbox');
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a deal is dragged to another stage, and won with what is booked', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const title = `Dragged ${demo.workspaceId}`;
  const { id } = (await crm.post('/v1/deals', { title, value: 700, currency: 'EUR' })).body;
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/deals');
  const card = page.getByRole('listitem').filter({ hasText: title });
  await card.dragTo(page.getByRole('heading', { name: /^Negotiation/ }));
  await expect.poll(async () => (await crm.get(`/v1/deals/${id}`)).body.stage).toBe('Negotiation');

  // By the keyboard to the next stage, which asks: a win is booked.
  await card.getByRole('link', { name: title }).focus();
  await page.keyboard.press('Shift+ArrowRight');
  await page.getByRole('dialog').getByRole('button', { name: 'Mark as won' }).click();
  await page.getByText(/Booked\s+€700\.00/).waitFor();
  await expect.poll(async () => (await crm.get(`/v1/deals/${id}`)).body.stage).toBe('Won');
  const booked = (await crm.get('/v1/finance/transactions', { dealId: String(id) })).body.items;
  expect(booked).toMatchObject([{ amount: 700, source: 'deal' }]);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('everything is reached by the keyboard: pages, search, a new contact, the list of shortcuts', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, demo.session);
  await page.keyboard.press('Tab');
  expect(await focused(page)).toBe('Skip to content');
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement.id')).toBe('main');
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  await heading(page, 'Contacts');
  await expect.poll(() => focused(page)).toBe('Contacts');
  await page.keyboard.press('/');
  await page.keyboard.type('archer');
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  await page.keyboard.press('Escape');
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('n');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('Kim Keyboard');
  await page.keyboard.press('Enter');
  await page.getByText('Kim Keyboard').first().waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(faults).toEqual([]);
  await page.context().close();
});

const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement.textContent');

test('a key is minted, shown once, and reads what it was given', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/developers/keys');
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Name').fill('Story key');
  await page.getByRole('checkbox', { name: /^contacts:read/ }).check();
  await page.getByRole('button', { name: 'Create key' }).click();
  const shown = page.getByRole('dialog', { name: 'Your new key' });
  const key = /csk_live_\w{44}/.exec((await shown.textContent()) ?? '')?.[0] as string;
  expect((await api(key).get('/v1/contacts')).status).toBe(200);
  expect((await api(key).get('/v1/deals')).status).toBe(403);
  await page.keyboard.press('Escape');
  await shown.getByText('The secret cannot be shown again.').waitFor();
  await shown.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('cell', { name: /^Story key/ }).waitFor();
  expect(await page.content()).not.toContain(key);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a delivery that failed is found with what the receiver answered, and replayed', async ({ skip }) => {
  if (!browser) return skip();
  let status = 410;
  const receiver = createServer((_request, answer) => {
    answer.statusCode = status;
    answer.end(status === 200 ? 'thank you' : 'we have moved');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const crm = api(demo.liveKey);
  const { id } = (await crm.post('/v1/webhooks', { url, eventKinds: ['task.created'] })).body;
  await crm.post('/v1/tasks', { title: 'A task to tell about' });

  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/developers/webhooks');
  await page.getByRole('link', { name: url }).click();
  await page.getByRole('link', { name: 'task.created' }).click();
  await page.getByText('we have moved').first().waitFor();
  // Who is gone is told nothing any more, until somebody says otherwise.
  await eventually(async () => !(await crm.get(`/v1/webhooks/${id}`)).body.isActive, 'an endpoint that is off');
  await crm.patch(`/v1/webhooks/${id}`, { isActive: true });
  status = 200;
  const failed = page.url();
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  await expect.poll(() => page.url()).not.toBe(failed);
  await page.getByText('thank you').first().waitFor();
  await screenshot(page, 'story-delivery');
  expect(faults).toEqual([]);
  await page.context().close();
  receiver.close();
});

test('a refused change is reverted with its request id, and an accepted one can be undone', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const deal = (await crm.post('/v1/deals', { title: `Refused ${demo.workspaceId}`, value: 1, currency: 'EUR' })).body;
  const task = (await crm.post('/v1/tasks', { title: `Refused task ${demo.workspaceId}`, status: 'inprogress' })).body;
  const { page } = await openPanel(browser, demo.session);
  let status = 409;
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const envelope = { error: 'conflict', message: 'Somebody was faster', details: null };
  await page.route(/\/v1\/(deals|tasks)\/\d+\/(column|status)(?:\?|$)/, async (route) => {
    if (status === 0) return route.continue();
    await held;
    const headers = { 'x-request-id': 'the-request' };
    await route.fulfill({ status, headers, contentType: 'application/json', body: JSON.stringify(envelope) });
  });
  const toasts = page.locator('.toasts');
  await openPlace(page, '/deals');
  const card = page.getByRole('listitem').filter({ hasText: deal.title });
  const column = (name: string) => page.getByRole('region', { name: new RegExp(`^${name}`) }).filter({ has: card });
  await column('Lead').waitFor();
  await card.getByRole('link').focus();
  await page.keyboard.press('Shift+ArrowRight');
  // Before the server has said anything.
  await column('Qualified').waitFor();
  release();
  await column('Lead').waitFor();
  await expect.poll(() => toasts.textContent()).toMatch(/Somebody was faster.*the-request/);

  status = 500;
  await openPlace(page, '/tasks?assignee=all');
  const box = page.getByRole('checkbox', { name: new RegExp(task.title) });
  await box.click();
  // A 500 is tried again before it is believed.
  await expect.poll(() => toasts.textContent(), { timeout: 30_000 }).toMatch(/Somebody was faster.*the-request/);
  expect(await box.isChecked()).toBe(false);

  status = 0;
  await box.click();
  await toasts.getByText('is done').waitFor();
  expect((await crm.get(`/v1/tasks/${task.id}`)).body.status).toBe('Done');
  await toasts.getByRole('button', { name: 'Undo' }).click();
  await toasts.getByText('Undone').waitFor();
  expect((await crm.get(`/v1/tasks/${task.id}`)).body.status).toBe('InProgress');
  await page.context().close();
});

test('a scheduled answer is sent at its time when messages arrive before', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const ann = (await crm.get('/v1/contacts', { q: 'ann' })).body.items[0].id;
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `/inbox/${ann}`);
  await page.getByLabel(/^Message to/).fill('Happy birthday!');
  await page.getByRole('button', { name: 'Send later' }).click();
  const when = page.getByLabel('When to send it');
  const day = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10);
  await when.fill(`${day}T07:08`);
  const { input, run } = messages.receive;
  const accountId = (await crm.get('/v1/telegram/accounts')).body.items[0].id;
  const from = { telegramUserId: 770_002, name: 'Ina Interrupts' };
  await run(
    v.parse(input, {
      workspaceId: demo.workspaceId,
      env: 'live',
      channel: 'telegram',
      accountId,
      from,
      body: 'Hello?',
    }),
  );
  await page.getByRole('link', { name: /Ina Interrupts/ }).waitFor();
  // What comes from the contact itself shows the answer's form anew.
  await crm.post(`/v1/contacts/${ann}/stage`, { stage: 'engaged' });
  await page.locator('.conversation .badge').getByText('Engaged').waitFor();
  expect(await when.inputValue()).toBe(`${day}T07:08`);
  await page.getByRole('button', { name: 'Schedule' }).click();
  const ours = page.getByRole('article', { name: 'Written by us' }).filter({ hasText: 'Happy birthday!' });
  await ours.getByText(/^Will be sent .+, 07:08$/).waitFor();
  const [job] = (await crm.get('/v1/jobs', { contactId: String(ann), status: 'queued' })).body.items;
  expect(job.runAt).toMatch(new RegExp(`^${day}T0[56]:08:00`));
  expect(faults).toEqual([]);
  await page.context().close();
});

test('times are relative with the exact one on hover, dates and money are those of the viewer', async ({ skip }) => {
  if (!browser) return skip();
  const { page } = await openPanel(browser, demo.session, { locale: 'de-DE' });
  await openPlace(page, '/finance/invoices');
  expect(await page.getByRole('row', { name: /D-1001/ }).textContent()).toMatch(/\d\d\.\d\d\.\d{4}1\.190,00\s€/);
  await openPlace(page, '/contacts');
  const time = page.getByRole('gridcell').locator('time').first();
  expect(await time.textContent()).toMatch(/^(gerade eben|vor .+)$/);
  expect(await time.getAttribute('title')).toMatch(/^\w+, \d+\. \S+ \d{4} um \d\d:\d\d:\d\d$/);
  await page.context().close();
});

test('the copy button puts the text on the clipboard', async ({ skip }) => {
  if (!browser) return skip();
  const permissions = ['clipboard-read', 'clipboard-write'];
  const { page, faults } = await openPanel(browser, demo.session, { permissions });
  await openPlace(page, '/developers/mcp');
  await page.getByRole('button', { name: 'Copy The server’s address' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(new URL('/mcp', panelUrl).href);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a contact leads to their deals and tasks, and to new ones that are theirs', async ({ skip }) => {
  if (!browser) return skip();
  const crm = api(demo.liveKey);
  const { id } = (await crm.post('/v1/contacts', { name: 'Dan Dealer' })).body;
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `/contacts/${id}`);
  await page.getByRole('button', { name: 'New deal' }).click();
  await page.getByRole('dialog').getByLabel('Title').fill('Only his');
  await page.getByRole('button', { name: 'Create deal' }).click();
  await page.getByRole('link', { name: 'Only his' }).first().waitFor();
  await page.getByRole('button', { name: 'New task' }).click();
  await page.getByRole('dialog').getByLabel('Title').fill('For him');
  await page.getByRole('button', { name: 'Create task' }).click();
  await page.getByText('For him').first().waitFor();
  await openPlace(page, `/deals?contact=${id}`);
  await page.getByRole('link', { name: 'Only his' }).waitFor();
  expect(await page.locator('.deal').count()).toBe(1);
  await openPlace(page, `/tasks?contact=${id}`);
  expect(await page.getByRole('checkbox').count()).toBe(1);
  await page.getByRole('link', { name: 'Show all' }).click();
  await expect.poll(() => page.getByRole('checkbox').count()).toBeGreaterThan(1);
  expect(faults).toEqual([]);
  await page.context().close();
});

import type { Browser, Page } from 'playwright-core';
import * as v from 'valibot';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commands } from '#infra/admin/commands/message.ts';
import { signInLinkOf } from '#infra/local/demo.ts';
import { api } from '#test/client.ts';
import { receiveIn } from '#test/email/raw.ts';
import { startBrowser } from './chromium.ts';
import { openPlace } from './crawl.ts';
import { accessibilityFindings, overflowPx, screenshot } from './page.ts';
import { newDemo, openPanel, panelUrl } from './signed-in.ts';

let browser: Browser | undefined;
let demo: Awaited<ReturnType<typeof newDemo>>;
let accountId: number;
const crm = () => api(demo.liveKey);

beforeAll(async () => {
  browser = await startBrowser();
  if (!browser) return;
  demo = await newDemo();
  accountId = (await crm().get('/v1/telegram/accounts')).body.items[0].id;
});
afterAll(() => browser?.close());

let telegramUserId = 880_000;

/** Somebody new writes by Telegram. */
async function writer(name: string, email?: string) {
  telegramUserId += 1;
  const from = { telegramUserId, name };
  const write = (body: string) =>
    commands.receive.run(
      v.parse(commands.receive.input, {
        workspaceId: demo.workspaceId,
        env: 'live',
        channel: 'telegram',
        accountId,
        from,
        body,
      }),
    );
  await write(`Hello from ${name}`);
  const { items } = (await crm().get('/v1/contacts', { q: name })).body;
  const { id } = items[0];
  if (email) await crm().patch(`/v1/contacts/${id}`, { email });
  return { id, write };
}

const mail = (fields: Parameters<ReturnType<typeof receiveIn>>[0]) => receiveIn({ id: demo.workspaceId })(fields);
const person = (page: Page, name: string) => page.locator('.people a').filter({ hasText: name });
const leftBelow =
  "(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(document.querySelector('.messages'))";
const composer = (page: Page) => page.locator('.composer textarea');

test('the mail of a stranger is seen, answered, and made a contact by keyboard', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/inbox');
  await mail({ from: 'Zoe Stranger <zoe@stranger.example>', subject: 'Quote for 300 seats', text: 'How much?' });
  await person(page, 'Zoe Stranger').filter({ hasText: 'Quote for 300 seats' }).waitFor({ timeout: 6000 });
  expect(await page.title()).toMatch(/^\(\d+\) Inbox/);
  for (const q of ['300 seats', 'zoe@stranger']) {
    await page.keyboard.press('/');
    await page.getByRole('searchbox').fill(q);
    await expect.poll(() => page.locator('.people a').count()).toBe(1);
  }
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await composer(page).waitFor();
  await page.keyboard.press('r');
  await page.keyboard.type('Twelve each.');
  await page.locator('.recipients summary').getByText('zoe@stranger.example', { exact: true }).waitFor();
  await page.keyboard.press('Control+Enter');
  await page.locator('.mail-message').filter({ hasText: 'Twelve each.' }).waitFor();
  await page.getByRole('button', { name: 'Make a contact' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Open contact' }).waitFor();
  await page.getByRole('log').getByText('How much?').waitFor();
  const { items } = (await crm().get('/v1/contacts', { email: 'zoe@stranger.example' })).body;
  expect(items).toMatchObject([{ name: 'Zoe Stranger' }]);
  await screenshot(page, 'inbox-stranger');
  expect(await accessibilityFindings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('the way of an answer stays while it is typed, though a mail arrives', async ({ skip }) => {
  if (!browser) return skip();
  const { id } = await writer('Wanda Ways', 'wanda@ways.example');
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `/inbox/${id}`);
  await composer(page).focus();
  await page.keyboard.type('By Tele');
  await mail({ from: 'Wanda Ways <wanda@ways.example>', subject: 'By mail', text: 'Now by mail' });
  await page.getByRole('button', { name: 'Answer there' }).waitFor();
  await page.keyboard.type('gram.');
  const sends: string[] = [];
  page.on('request', (request) => request.method() === 'POST' && sends.push(new URL(request.url()).pathname));
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('article').filter({ hasText: 'By Telegram.' }).waitFor();
  expect(sends.filter((path) => /messages$|replies$/.test(path))).toEqual(['/v1/telegram/messages']);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a draft is there after another conversation, the Sandbox, a lost session, and a reload', async ({ skip }) => {
  if (!browser) return skip();
  const one = await writer('Dora Draft');
  const other = await writer('Otto Other');
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `/inbox/${one.id}`);
  await composer(page).fill('Half a sentence');
  await openPlace(page, `/inbox/${other.id}`);
  expect(await composer(page).inputValue()).toBe('');
  await person(page, 'Dora Draft').filter({ hasText: 'Draft Half a sentence' }).waitFor();
  const isBack = async () => {
    await openPlace(page, `/inbox/${one.id}`);
    await expect.poll(() => composer(page).inputValue()).toBe('Half a sentence');
  };
  await isBack();
  const environment = page.getByRole('group', { name: 'Environment' });
  await environment.getByText('Sandbox').click();
  await openPlace(page, '/inbox');
  await expect.poll(() => person(page, 'Dora Draft').count()).toBe(0);
  await environment.getByText('Live').click();
  await isBack();
  await page.reload();
  await expect.poll(() => composer(page).inputValue()).toBe('Half a sentence');
  expect(faults.splice(0).filter((fault) => !fault.includes('404'))).toEqual([]);
  await page.context().clearCookies();
  await page.getByText('Your session has ended.').waitFor();
  await page.goto(`${panelUrl}#/sign-in/${(await signInLinkOf(demo.workspaceId)).split('/').at(-1)}`);
  await expect.poll(() => composer(page).inputValue()).toBe('Half a sentence');
  expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
  await page.context().close();
});

test('a link by e-mail to a conversation chooses the mail, for that conversation alone', async ({ skip }) => {
  if (!browser) return skip();
  const other = await writer('Tom Telegram', 'tom@telegram.example');
  const { id } = await writer('Mia Mail', 'mia@mail.example');
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `/contacts/${id}`);
  await page.getByRole('region', { name: 'Details' }).getByRole('link', { name: 'mia@mail.example' }).click();
  const way = () => page.getByRole('combobox', { name: 'Send by' });
  await expect.poll(() => way().inputValue()).toBe('new mail');
  await page.getByRole('textbox', { name: 'Subject' }).waitFor();
  await person(page, 'Tom Telegram').click();
  await expect.poll(() => page.url()).toMatch(new RegExp(`/inbox/${other.id}$`));
  await expect.poll(() => way().inputValue()).toMatch(/^telegram /);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('saved replies are added, changed, and deleted in the settings', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/settings/replies');
  await page.getByText('No saved replies yet').waitFor();
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Thanks');
  await dialog.getByLabel('Shortcut').fill('THX');
  await dialog.getByLabel('Text').fill('Thanks, {{surname}}!');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('unknown variable {{surname}}').first().waitFor();
  await dialog.getByLabel('Text').fill(`Thanks, {{firstName|friend}}!${' '.repeat(3900)}x`);
  await dialog.getByText(/of 4,000 characters/).waitFor();
  await dialog.getByLabel('Text').fill('Thanks, {{firstName|friend}}!');
  expect(await accessibilityFindings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  const row = page.getByRole('row').filter({ hasText: 'Thanks, {{firstName|friend}}!' });
  await row.getByText('/thx', { exact: true }).waitFor();
  const choose = async (action: string) => {
    await page.getByRole('button', { name: 'Actions for Thanks' }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await choose('Edit');
  await dialog.getByLabel('Shortcut').fill('');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => row.getByText('/thx').count()).toBe(0);
  expect((await crm().get('/v1/saved-replies')).body.items).toMatchObject([{ name: 'Thanks', shortcut: null }]);
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'saved-replies');
  await choose('Delete');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No saved replies yet').waitFor();
  expect(faults.filter((fault) => !fault.includes('400'))).toEqual([]);
  await page.context().close();
});

test('conversations are worked through by keys, and the open one keeps its place', async ({ skip }) => {
  if (!browser) return skip();
  const names = ['Kim Key', 'Lea Key', 'Max Key'];
  const people = [];
  for (const name of names) people.push(await writer(name));
  const [kim, lea, max] = people as [(typeof people)[0], (typeof people)[0], (typeof people)[0]];
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, '/inbox?unread=yes');
  const shown = () => page.locator('.people .name').allTextContents();
  await expect.poll(async () => (await shown()).filter((name) => / Key/.test(name)).length).toBe(3);
  const before = (await shown()).map((name) => name.replace(' (unread)', ''));
  await openPlace(page, `/inbox/${lea.id}?unread=yes`);
  await expect.poll(async () => (await crm().get(`/v1/contacts/${lea.id}`)).body.hasUnreadMessages).toBe(false);
  await page.waitForTimeout(2500);
  expect((await shown()).map((name) => name.replace(' (unread)', '')).indexOf('Lea Key')).toBe(
    before.indexOf('Lea Key'),
  );
  const conversation = async (id: number) => (await crm().get(`/v1/conversations/${2 * id}`)).body;
  await page.getByRole('combobox', { name: 'Assignee' }).last().waitFor();
  await page.keyboard.press('a');
  await expect.poll(async () => (await conversation(lea.id)).assignedToUserId).not.toBeNull();
  await page.keyboard.press('u');
  await expect.poll(async () => (await conversation(lea.id)).unreadCount).toBe(1);
  await page.keyboard.press('e');
  await expect.poll(async () => (await conversation(lea.id)).state).toBe('done');
  await page.keyboard.press('j');
  await expect.poll(() => page.url()).not.toContain(`/inbox/${lea.id}`);
  await page.keyboard.press('k');
  expect([kim.id, max.id, lea.id].some((id) => page.url().includes(`/inbox/${id}`))).toBe(true);
  await screenshot(page, 'inbox-keys');
  expect(await accessibilityFindings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a reader of the past keeps the place when messages come and older ones load', async ({ skip }) => {
  if (!browser) return skip();
  const { id, write } = await writer('Rita Reader');
  for (let at = 1; at <= 60; at += 1) await write(`Line ${at} of a long conversation`);
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `/inbox/${id}`);
  const log = page.getByRole('log');
  await log.getByText('Line 60 of').waitFor();
  const topOf = async (text: string) => (await log.getByText(text).boundingBox())?.y ?? Number.NaN;
  await page.evaluate("document.querySelector('.messages').scrollTo({ top: 400 })");
  const line = await topOf('Line 20 of');
  for (const came of [1, 2, 3]) {
    await write('Something new');
    await page.getByRole('button', { name: `${came} new ↓` }).waitFor();
    expect(await topOf('Line 20 of')).toBe(line);
  }
  await page.getByRole('button', { name: 'Earlier messages' }).dispatchEvent('click');
  await log.getByText('Line 1 of').waitFor();
  expect(Math.abs((await topOf('Line 20 of')) - line)).toBeLessThan(3);
  await page.getByRole('button', { name: '3 new ↓' }).click();
  await expect.poll(() => page.evaluate(leftBelow)).toBeLessThan(2);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a saved reply is put in by its shortcut, and a scheduled message is changed', async ({ skip }) => {
  if (!browser) return skip();
  const { id } = await writer('Sam Saver');
  await crm().post('/v1/saved-replies', {
    name: 'Opening hours',
    text: 'Hi {{firstName}}, nine to five.',
    shortcut: 'hours',
  });
  const { page, faults } = await openPanel(browser, demo.session);
  await openPlace(page, `/inbox/${id}`);
  await composer(page).focus();
  await page.keyboard.type('/hou');
  await page.getByRole('button', { name: /\/hours/ }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => composer(page).inputValue()).toBe('Hi Sam, nine to five.');
  await page.getByRole('button', { name: 'Send later' }).click();
  await page.getByRole('button', { name: 'Tomorrow, 9:00' }).click();
  await page.getByRole('button', { name: 'Schedule' }).click();
  const message = page.getByRole('article').filter({ hasText: 'nine to five' });
  await person(page, 'Sam Saver').locator('.later').waitFor();
  expect(await person(page, 'Sam Saver').textContent()).toContain('Hello from Sam Saver');
  await message.getByRole('button', { name: 'Change' }).click();
  await page.getByRole('dialog').getByLabel('Text').fill('Hi Sam, nine to six.');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('article').filter({ hasText: 'nine to six' }).waitFor();
  await screenshot(page, 'inbox-scheduled');
  expect(faults).toEqual([]);
  await page.context().close();
});

test('messages are wider than the list and at least 30 rem beside what is known', async ({ skip }) => {
  if (!browser) return skip();
  const { id } = await writer('Wanda Wide');
  const { page } = await openPanel(browser, demo.session, { width: 1200 });
  await openPlace(page, `/inbox/${id}`);
  const widthOf = async (of: string) => (await page.locator(of).boundingBox())?.width ?? 0;
  for (const width of [1200, 1280, 1440, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    await page.locator('.known').waitFor();
    await screenshot(page, `inbox-known-${width}`);
    expect(await widthOf('.messages'), `at ${width}`).toBeGreaterThanOrEqual(480);
    expect(await widthOf('.messages'), `at ${width}`).toBeGreaterThan(await widthOf('.conversations'));
    expect(await overflowPx(page)).toBe(0);
  }
  await page.context().close();
});

test('the end of a conversation stays in view while an answer is written', async ({ skip }) => {
  if (!browser) return skip();
  const { id, write } = await writer('Elsa End');
  for (let at = 1; at <= 30; at += 1) await write(`Line ${at}`);
  const { page } = await openPanel(browser, demo.session);
  await openPlace(page, `/inbox/${id}`);
  await composer(page).fill('A line\n'.repeat(8));
  await expect.poll(() => page.evaluate(leftBelow)).toBeLessThan(2);
  await page.context().close();
});

test('on a small screen most of the height is for the messages', async ({ skip }) => {
  if (!browser) return skip();
  const { id } = await writer('Nora Narrow with a name that is a good deal longer than the screen is wide');
  const { page } = await openPanel(browser, demo.session, { width: 360 });
  await page.setViewportSize({ width: 360, height: 640 });
  await openPlace(page, `/inbox/${id}`);
  await composer(page).waitFor();
  expect(await overflowPx(page)).toBe(0);
  const share = await page.evaluate("document.querySelector('.messages').clientHeight / innerHeight");
  await screenshot(page, 'inbox-narrow');
  expect(share).toBeGreaterThan(0.45);
  await page.context().close();
});

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { ownerEmail } from '#infra/local/demo.ts';
import { demoClient } from '#test/bench/demo.ts';
import { atMost, beside, type Line, median } from '#test/bench/report.ts';
import type { Client } from '#test/client.ts';
import { startBrowser } from '#test/panel/chromium.ts';
import { openPage } from '#test/panel/page.ts';
import { startSystem } from '#test/system.ts';

const rounds = 5;
const contacts = 100;
const newest = `Contact ${contacts - 1}`;
const customFields = 40;

/** What a person waits for in the panel (contract section 27): the first page on a slow machine, a long list, a message that comes in. */
export async function panel(workDir: string): Promise<Line[]> {
  const browser = await startBrowser();
  if (!browser) return [beside('the panel in a browser', 'no browser')];
  const dataDir = join(workDir, 'panel');
  const system = await startSystem(dataDir, {}, []);
  try {
    const { workspaceId } = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as { workspaceId: number };
    const admin = async (noun: string, verb: string, input: object) => {
      const command = [join(import.meta.dirname, '../../infra/admin.ts'), noun, verb, JSON.stringify(input)];
      const { stdout } = await promisify(execFile)(process.execPath, command, {
        env: { ...process.env, DATA_DIR: dataDir },
      });
      return JSON.parse(stdout);
    };
    const { link } = await admin('member', 'sign-in-link', { workspaceId, email: ownerEmail(workspaceId) });
    const crm = await demoClient(dataDir, system.baseUrl);
    const path = `/contacts/${await contactWithFields(crm)}`;
    for (let at = 0; at < contacts; at += 1)
      await crm.post('/v1/contacts', { name: `Contact ${at}`, company: 'A company', email: `c${at}@people.example` });

    const first = await openPage(browser, system.baseUrl);
    await first.page.goto(`${system.baseUrl}/panel/#/sign-in/${link.split('/').at(-1)}`);
    await first.page.getByRole('heading', { name: 'Home' }).waitFor();
    const storageState = await first.page.context().storageState();

    const usableMs: number[] = [];
    for (let round = 0; round < rounds; round += 1)
      usableMs.push(await firstPageMs(browser, `${system.baseUrl}/panel/`, storageState));
    const contactMs: number[] = [];
    for (let round = 0; round < rounds; round += 1)
      contactMs.push(
        await firstPageMs(browser, `${system.baseUrl}/panel/#${path}`, storageState, `Field ${customFields - 1}`),
      );
    const listMs: number[] = [];
    for (let round = 0; round < rounds; round += 1) listMs.push(await renderedMs(first.page));

    await first.page.goto(`${system.baseUrl}/panel/#/inbox`);
    await first.page.getByRole('heading', { name: 'Inbox' }).waitFor();
    const accounts = (await crm.get('/v1/telegram/accounts')).body.items;
    await admin('message', 'receive', {
      workspaceId,
      env: 'live',
      channel: 'telegram',
      accountId: accounts[0].id,
      from: { telegramUserId: 880_001, name: 'Ivy Inbox' },
      body: 'Are you there?',
    });
    const from = performance.now();
    await first.page.getByRole('link', { name: /Ivy Inbox/ }).waitFor();
    return [
      atMost('panel: first page usable, CPU slowed 4x', median(usableMs), 1000, ' ms'),
      atMost(`panel: a contact with ${customFields} fields usable, CPU slowed 4x`, median(contactMs), 1000, ' ms'),
      atMost(`panel: ${contacts} contacts rendered after their answer`, median(listMs), 50, ' ms'),
      atMost('panel: a new message is shown after its command has ended', performance.now() - from, 3000, ' ms'),
    ];
  } finally {
    await browser.close();
    await system.stop();
  }
}

type State = Awaited<ReturnType<BrowserContext['storageState']>>;

const values = {
  text: (at: number) => `Value ${at}`,
  number: (at: number) => at,
  money: (at: number) => ({ amount: at, currency: 'EUR' }),
  checkbox: () => true,
  date: () => '2026-11-29',
  select: () => 'One',
  multi_select: () => ['One', 'Two'],
  url: (at: number) => `https://example.com/${at}`,
};

/** Makes a contact with a value in each of 40 fields of several types. */
async function contactWithFields(crm: Client): Promise<number> {
  const fields: Record<string, unknown> = {};
  const types = Object.entries(values);
  for (let at = 0; at < customFields; at += 1) {
    const [type, value] = types[at % types.length] as (typeof types)[number];
    const options = type.includes('select') ? { options: [{ label: 'One' }, { label: 'Two' }] } : {};
    const slug = `bench_${at}`;
    await crm.post('/v1/fields', { object: 'contact', slug, title: `Field ${at}`, type, ...options }, 201);
    fields[slug] = value(at);
  }
  return (await crm.post('/v1/contacts', { name: 'Many Fields', fields }, 201)).body.id;
}

/** From the first request, with nothing cached, until the page shows what it has loaded. */
async function firstPageMs(browser: Browser, url: string, storageState: State, text = ''): Promise<number> {
  const { page } = await openPage(browser, url, { storageState });
  const developer = await page.context().newCDPSession(page);
  await developer.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.addInitScript(`
    new MutationObserver(() => {
      if (window.usableMs || !document.querySelector('main h1') || document.querySelector('main .skeleton')) return;
      if (!document.querySelector('main').textContent.includes('${text}')) return;
      window.usableMs = performance.now();
    }).observe(document, { childList: true, subtree: true });`);
  await page.goto(url);
  const usableMs = (await page.evaluate(`new Promise((resolve) => {
    const look = () => (window.usableMs ? resolve(window.usableMs) : setTimeout(look, 100));
    look();
  })`)) as number;
  await page.context().close();
  return usableMs;
}

/** From the last byte of the answer until the rows that are seen have been drawn. */
async function renderedMs(page: Page): Promise<number> {
  await page.evaluate(`location.hash = '#/tasks'`);
  // A list that was seen before is shown at once.
  await page.reload();
  await page.getByRole('heading', { name: 'Tasks' }).waitFor();
  await page.evaluate(`
    performance.clearResourceTimings();
    window.renderedMs = undefined;
    const observer = new MutationObserver(() => {
      if (![...document.querySelectorAll('[role=row] a')].some(({ textContent }) => textContent === '${newest}')) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => (window.renderedMs = performance.now())));
    });
    observer.observe(document, { childList: true, subtree: true });
    location.hash = '#/contacts';`);
  await page.getByRole('link', { name: newest, exact: true }).waitFor();
  await page.waitForTimeout(200);
  return (await page.evaluate(`
    window.renderedMs - performance.getEntriesByType('resource').findLast(({ name }) => name.includes('/v1/contacts?')).responseEnd`)) as number;
}

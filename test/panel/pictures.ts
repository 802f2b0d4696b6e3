import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import * as v from 'valibot';
import { commands as keys } from '#infra/admin/commands/key.ts';
import { commands as messages } from '#infra/admin/commands/message.ts';
import { signInLinkOf } from '#infra/local/demo.ts';
import { readDemoFile, readSystemFile } from '#infra/local/files.ts';
import { startBrowser } from './chromium.ts';
import { openPage } from './page.ts';

/** Who writes what, the newest last, and what is being sold to them. */
const people = [
  ['Jürgen Müller', 'Müller Maschinenbau', 'Danke, das Angebot ist angekommen.', 'Spare parts portal', 18_400],
  ['Łukasz Żółć', 'Żółć Logistyka', 'Could you add a fourth seat to the order?', 'Four seats', 2960],
  ['Nguyễn Thị Ánh', 'Ánh Coffee', 'Is there a discount for a year?', 'Annual plan', 5400],
  ['Björn Ångström', 'Ångström AB', 'We compared three tools, and yours is left.', 'Rollout in Malmö', 31_000],
  ['Olga Petrova', 'Север', 'Спасибо, договор получили. Ждём счёт!', 'Warehouse module', 12_750],
  ['Théodora Vance', 'Vance & Filles', 'Merci! On en parle jeudi ?', 'Training, two days', 3200],
  ['Sofia Rossi', 'Rossi Viaggi', 'The link in your mail does not open for me.', 'Booking desk', 8900],
  ['Kofi Mensah', 'Mensah Foods', 'Please send the invoice to our new address.', 'Ten shops', 14_300],
  ['Hannah Brooks', 'Brooks Dental', 'Can two people share one inbox?', 'Practice bundle', 4100],
  ['Mateo García', 'García Hermanos', 'Perfecto. ¿Cuándo empezamos?', 'Onboarding', 2500],
  ['Amira Haddad', 'Haddad Studio', 'Our team is twelve people now.', 'Twelve seats', 8880],
  ['Emil Sørensen', 'Sørensen Byg', 'I will sign on Monday.', 'Site reports', 21_600],
] as const;
const talk = [
  'Hello! I found you at the trade fair.',
  'We are comparing three tools. Is there a trial?',
  'Thanks. The board is what my team likes most.',
  'How long does it take to bring in 800 contacts?',
] as const;
const stages = ['lead', 'qualified', 'proposal', 'negotiation', 'lead', 'qualified', 'proposal'] as const;

// biome-ignore lint/suspicious/noExplicitAny: what a call answers is read by name.
type Answer = any;

/** `npm run pictures` fills the demo of the system that runs from `DATA_DIR`, and takes the pictures of the README. */
const dataDir = process.env['DATA_DIR'] ?? '.local';
const { baseUrl, env } = readSystemFile(dataDir);
Object.assign(process.env, env);
const { workspaceId } = readDemoFile(dataDir) ?? {};
if (workspaceId === undefined) throw new Error('there is no demo: start the system without --empty first');
const tenant = { workspaceId, env: 'live' } as const;
const given = { ...tenant, scopes: 'all', name: 'Pictures', rateLimitPerMinute: 1_000_000 } as const;
const { key } = await keys.create.run(v.parse(keys.create.input, given));

async function call(method: string, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(new URL(path, baseUrl), { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const accountId = (await call('GET', '/v1/telegram/accounts')).items[0].id;
const members = (await call('GET', '/v1/members')).items;
for (const [at, [name, company, body, title, value]] of people.entries()) {
  const from = { telegramUserId: 900_000 + at, name };
  const receive = (text: string, days: number) =>
    messages.receive.run(
      v.parse(messages.receive.input, {
        ...tenant,
        channel: 'telegram',
        accountId,
        from,
        body: text,
        sentAt: inDays(days),
      }),
    );
  for (const [day, text] of talk.entries()) await receive(text, day - talk.length - 1 - at / 10);
  await receive(body, (at - people.length) / 40);
  const contactId = (await call('GET', `/v1/contacts?q=${encodeURIComponent(name)}`)).items[0].id;
  await call('PATCH', `/v1/contacts/${contactId}`, { company });
  const deal = {
    title,
    contactId,
    value,
    currency: 'EUR',
    stage: stages[at % stages.length],
    expectedCloseAt: inDays(3 * at - 4),
  };
  const { id } = await call('POST', '/v1/deals', deal);
  await call('POST', `/v1/deals/${id}/assignee`, { userId: members[at % members.length].id });
}
const last = (await call('GET', `/v1/contacts?q=${encodeURIComponent('Emil')}`)).items[0].id;

/** An endpoint that fails once, then takes what it is sent. */
let isFirst = true;
const receiver = createServer((request, response) => {
  request.resume();
  response.writeHead(isFirst ? 503 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(isFirst ? { error: 'maintenance' } : { received: true }));
  isFirst = false;
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/crm`;
const endpoint = await call('POST', '/v1/webhooks', { url, description: 'Warehouse', eventKinds: ['contact.created'] });
await call('POST', '/v1/contacts', {
  name: 'Ingrid Solberg',
  company: 'Solberg Fjord',
  email: 'ingrid@solberg.example',
});

const browser = await startBrowser();
if (!browser) throw new Error('no Chromium was found');
const panel = `${baseUrl}/panel/`;
const { page } = await openPage(browser, panel);
await page.goto(`${panel}#/sign-in/${(await signInLinkOf(workspaceId)).split('/').at(-1)}`);
await page.waitForSelector('main h1');

/** Takes a picture of the window once nothing loads any more. */
async function picture(name: string, path: string, prepare: (page: Page) => Promise<unknown> = async () => undefined) {
  await page.goto(`${panel}#${path}`);
  await page.waitForTimeout(2500);
  await page.waitForFunction("!document.querySelector('main .skeleton, main [aria-busy=true]')");
  await prepare(page);
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(import.meta.dirname, `../../docs/images/panel-${name}.png`) });
}

await picture('inbox', `/inbox/${last}`, (at) =>
  at.locator('.composer textarea').fill('Great! I will send the contract on Monday morning.'),
);
await picture('deals', '/deals');
const deliveries = async () => (await call('GET', `/v1/webhooks/${endpoint.id}/deliveries`)).items;
const isDelivered = async () => (await deliveries())[0]?.status === 'succeeded';
for (let tries = 0; tries < 90 && !(await isDelivered()); tries += 1) await page.waitForTimeout(1000);
await picture('delivery', `/developers/webhooks/${endpoint.id}/deliveries/${(await deliveries())[0].id}`);
await picture('reference', '/developers/reference/operations/contactsList');
await browser.close();
receiver.close();

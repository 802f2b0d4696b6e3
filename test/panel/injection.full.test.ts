import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import * as v from 'valibot';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commands as agents } from '#infra/admin/commands/agent.ts';
import { commands as mails } from '#infra/admin/commands/email.ts';
import { commands as invoices } from '#infra/admin/commands/invoice.ts';
import { commands as members } from '#infra/admin/commands/member.ts';
import { commands as messages } from '#infra/admin/commands/message.ts';
import { commands as sources } from '#infra/admin/commands/revenue-source.ts';
import { commands as sequences } from '#infra/admin/commands/sequence.ts';
import { api, eventually } from '#test/client.ts';
import { startBrowser } from './chromium.ts';
import { crawl, openPlace } from './crawl.ts';
import { accessibilityFindings } from './page.ts';
import { newDemo, openPanel } from './signed-in.ts';

/** Each would run, or reach another origin, in a page that takes a text for anything else. */
const payloads = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  "';alert(1)//",
  '{{constructor.constructor("alert(1)")()}}',
  '<a href="javascript:alert(1)">x</a>',
  '<iframe srcdoc="<script>parent.alert(1)</script>"></iframe>',
  '<style>@import "http://127.0.0.2:9/x.css";</style>',
  '<math><mi//xlink:href="data:x,<script>alert(1)</script>">',
  '<base href="http://127.0.0.2:9/">',
] as const;
const everything = payloads.join(' ');
const styled = 'http://127.0.0.2:9/?style=plain';

let browser: Browser | undefined;
const receiver = createServer((_request, answer) => {
  answer.writeHead(500, { 'content-type': 'text/html', 'x-name': payloads[1] });
  answer.end(everything);
});
beforeAll(async () => {
  browser = await startBrowser();
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await browser?.close();
  receiver.close();
});

/** Does an operator's command as the command line would. */
const run = <Input extends v.GenericSchema, Answer>(
  { input, run: work }: { input: Input; run(input: v.InferOutput<Input>): Promise<Answer> },
  given: v.InferInput<Input>,
): Promise<Answer> => work(v.parse(input, given));

/**
 * Puts the payloads into every text of a workspace that somebody may write, and that the panel may show. Returns the contact who has
 * sent mails.
 */
async function fill(workspaceId: number, key: string): Promise<number> {
  const crm = api(key);
  const tenant = { workspaceId, env: 'live' } as const;
  const made = async (path: string, body: object): Promise<{ id: number }> => {
    const answer = await crm.post(path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/${encodeURIComponent(payloads[1])}`;
  const endpoint = await made('/v1/webhooks', {
    url,
    description: everything.slice(0, 200),
    eventKinds: ['contact.created'],
  });
  const accountId = (await crm.get('/v1/telegram/accounts')).body.items[0].id;
  const owner = (await crm.get('/v1/members', { q: 'Olivia' })).body.items[0].id;
  for (const [index, name] of payloads.entries()) {
    const short = name.slice(0, 50);
    const contact = await made('/v1/contacts', { name, company: name, notes: everything });
    const contactId = contact.id;
    await made(`/v1/contacts/${contactId}/tags`, { tagName: short });
    await made(`/v1/contacts/${contactId}/activities`, { text: everything });
    await crm.put(`/v1/contacts/${contactId}/metadata`, { metadata: { note: short } });
    const deal = await made('/v1/deals', { title: name, contactId, value: 1, currency: 'EUR', notes: everything });
    await made('/v1/tasks', { title: name, description: everything, dealId: deal.id, assignedToUserId: owner });
    const booking = { type: 'expense', amount: 1, currency: 'EUR', category: short, description: everything };
    await made('/v1/finance/transactions', booking);
    const from = { telegramUserId: 900_000 + index, name };
    await run(messages.receive, { ...tenant, channel: 'telegram', accountId, from, body: everything });
    await made('/v1/keys', { name: name.slice(0, 100), scopes: ['contacts:read'] });
  }
  const [name] = payloads;
  const today = new Date().toISOString();
  const [contact] = (await crm.get('/v1/contacts', { limit: '1' })).body.items;
  const total = { contactId: contact.id, currency: 'EUR', total: 5, issueDate: today, dueDate: today };
  await run(invoices.create, { ...tenant, ...total, invoiceNumber: name, status: 'sent' });
  await run(members.create, { workspaceId, name: everything.slice(0, 200), email: 'x@people.example' });
  // A step takes no variable that there is none of.
  const steps = [{ delayMinutes: 1000, text: everything.replaceAll(/\{\{|\}\}/g, '') }];
  await run(sequences.create, { ...tenant, name, channel: 'telegram', accountId, steps, status: 'draft' });
  const instructions = { instructions: everything, model: name, channels: ['telegram' as const] };
  await run(agents.create, { ...tenant, name, description: everything, ...instructions });
  const source = { mode: 'push' as const, defaultCurrency: 'EUR', pullIntervalMinutes: 100 };
  await run(sources.create, {
    ...tenant,
    ...source,
    name,
    feedUrl: `https://shop.example/${encodeURIComponent(name)}`,
  });
  const stranger = await made('/v1/contacts', { name: 'A stranger', email: 'stranger@elsewhere.example' });
  for (const type of ['plain', 'html']) {
    const raw = [
      `From: "${name.replaceAll('"', '')}" <stranger@elsewhere.example>`,
      'To: crm@demo.example',
      `Subject: ${everything}`,
      `Message-ID: <${type}-${workspaceId}@elsewhere.example>`,
      `Content-Type: text/${type}; charset=utf-8`,
      '',
      `<p>Hello</p><a href="${styled}">There</a>${everything}<img src="http://127.0.0.2:9/pixel.gif"><form action="http://127.0.0.2:9/"><input></form>`,
    ];
    await run(mails.receive, { ...tenant, raw: raw.join('\r\n') });
  }
  // Requests with a hostile name of their client, for the request log.
  await crm.call('GET', '/v1/contacts', { headers: { 'user-agent': everything } });
  await eventually(async () => {
    const { items } = (await crm.get(`/v1/webhooks/${endpoint.id}/deliveries`)).body;
    return items.some(
      ({ attemptCount, attempts }: { attemptCount?: number; attempts?: unknown[] }) =>
        Number(attemptCount ?? attempts?.length) > 0,
    );
  }, 'a delivery that was tried');
  return stranger.id;
}

const hostile = 'img, script, form, style, svg:not(.icon), a[href^="javascript:"]';

test('nothing that somebody wrote runs, loads or breaks a page', async ({ skip }) => {
  if (!browser) return skip();
  const { workspaceId, liveKey, session } = await newDemo();
  const stranger = await fill(workspaceId, liveKey);
  const watched = await openPanel(browser, session);
  const { seen, found } = await crawl(watched, 'injection');
  expect(found).toEqual([]);
  expect(seen).toEqual(expect.arrayContaining(['/settings/agents', '/settings/sequences', '/finance/sources']));
  const { page, faults } = watched;
  await openPlace(page, `/inbox/${stranger}`);
  const shown = page.getByRole('button', { name: 'Show as mail' });
  await expect.poll(() => shown.count()).toBe(2);
  let framed = 0;
  for (const mail of await shown.all()) {
    await mail.click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('.mail-message').waitFor();
    await page.waitForLoadState('networkidle');
    for (const frame of await dialog.locator('iframe').all()) {
      expect(await frame.getAttribute('sandbox')).not.toContain('allow-scripts');
      await frame.contentFrame().getByText('Hello').waitFor();
      expect(await frame.contentFrame().locator(hostile).count()).toBe(0);
      expect(await frame.contentFrame().getByText('There').getAttribute('href')).toBe(styled);
      framed += 1;
    }
    expect(await dialog.locator(hostile).count()).toBe(0);
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
  }
  expect(framed).toBe(1);
  await openPlace(page, `/contacts/${stranger}`);
  await page.getByRole('button', { name: /Edit Name$/ }).click();
  await page.getByLabel('Name', { exact: true }).waitFor();
  expect(faults).toEqual([]);
  await watched.page.context().close();
});

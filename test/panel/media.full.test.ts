import type { Browser, Page } from 'playwright-core';
import * as v from 'valibot';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commands as mailCommands } from '#infra/admin/commands/email.ts';
import { commands } from '#infra/admin/commands/message.ts';
import { api } from '#test/client.ts';
import { trusted } from '#test/email/raw.ts';
import { startBrowser } from './chromium.ts';
import { openPlace } from './crawl.ts';
import { accessibilityFindings, overflowPx, screenshot } from './page.ts';
import { newDemo, openPanel } from './signed-in.ts';

let browser: Browser | undefined;
let demo: Awaited<ReturnType<typeof newDemo>>;
let accountId: number;
/** The origin of the bucket. */
let filesAt: string;
let picture: Buffer;
const crm = () => api(demo.liveKey);

beforeAll(async () => {
  browser = await startBrowser();
  if (!browser) return;
  demo = await newDemo();
  accountId = (await crm().get('/v1/telegram/accounts')).body.items[0].id;
  const { body } = await crm().post('/v1/files', { fileName: 'a', contentType: 'text/plain', sizeBytes: 1 });
  filesAt = new URL(body.uploadUrl).origin;
  const page = await browser.newPage({ viewport: { width: 320, height: 240 } });
  await page.setContent('<body style="background: linear-gradient(teal, gold)">');
  picture = await page.screenshot();
  await page.close();
});
afterAll(() => browser?.close());

let telegramUserId = 890_000;

/** Somebody new writes by Telegram. */
async function writer(name: string, email?: string): Promise<number> {
  telegramUserId += 1;
  await commands.receive.run(
    v.parse(commands.receive.input, {
      workspaceId: demo.workspaceId,
      env: 'live',
      channel: 'telegram',
      accountId,
      from: { telegramUserId, name },
      body: `Hello from ${name}`,
      platformMessageId: String(telegramUserId),
    }),
  );
  const { id } = (await crm().get('/v1/contacts', { q: name })).body.items[0];
  if (email) await crm().patch(`/v1/contacts/${id}`, { email });
  return id;
}

const open = (options: Parameters<typeof openPanel>[2] = {}) =>
  openPanel(browser as Browser, demo.session, { alsoFrom: filesAt, ...options });
const composer = (page: Page) => page.locator('.composer textarea');
const send = (page: Page) => page.getByRole('button', { name: 'Send', exact: true });
const uploads = (page: Page) => page.getByRole('list', { name: 'Files to attach' }).getByRole('listitem');
const field = (page: Page) => page.locator('.composer input[type=file]');
const newestMessage = async (id: number) => (await crm().get(`/v1/contacts/${id}/messages`)).body.items[0];

/** Half a second of silence. */
function sound(): Buffer {
  const bytes = Buffer.alloc(44 + 8000);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + 8000, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(8000, 24);
  bytes.writeUInt32LE(16_000, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(8000, 40);
  return bytes;
}

/** A film of a moment, as the browser records it. */
async function film(): Promise<Buffer> {
  const page = await (browser as Browser).newPage();
  const bytes = (await page.evaluate(`new Promise((resolve) => {
    const canvas = document.createElement('canvas');
    const pen = canvas.getContext('2d');
    const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: 'video/webm' });
    const draw = setInterval(() => pen.fillRect(Math.random() * 200, 0, 50, 50), 40);
    recorder.ondataavailable = async ({ data }) => resolve([...new Uint8Array(await data.arrayBuffer())]);
    recorder.start();
    setTimeout(() => { clearInterval(draw); recorder.stop(); }, 700);
  })`)) as number[];
  await page.close();
  return Buffer.from(bytes);
}

/** Gives the page a file as the clipboard or a drag does. */
const give = (page: Page, type: 'paste' | 'drop', name: string) =>
  page.evaluate(`(() => {
    const bytes = Uint8Array.from(atob('${picture.toString('base64')}'), (sign) => sign.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], '${name}', { type: 'image/png' }));
    const target = document.querySelector('.composer textarea');
    target.dispatchEvent('${type}' === 'paste'
      ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
      : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  })()`);

test('files are attached by button, paste, and drop, sent, and shown in place', async ({ skip }) => {
  if (!browser) return skip();
  const id = await writer('Mia Media');
  const { page, faults } = await open();
  await openPlace(page, `/inbox/${id}`);
  await composer(page).waitFor();
  await field(page).setInputFiles([
    { name: 'voice.wav', mimeType: 'audio/wav', buffer: sound() },
    { name: 'film.webm', mimeType: 'video/webm', buffer: await film() },
    { name: 'paper.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') },
  ]);
  await give(page, 'paste', 'pasted.png');
  await give(page, 'drop', 'dropped.png');
  await expect.poll(() => uploads(page).count()).toBe(5);
  await page.getByText('Up to 10 files of 50 MB each. With files, a text has up to 1,024 characters.').waitFor();
  await page.getByRole('button', { name: 'Without dropped.png' }).click();
  await expect.poll(() => uploads(page).count()).toBe(4);
  await expect.poll(() => send(page).isEnabled()).toBe(true);
  await screenshot(page, 'media-composer');
  expect(await accessibilityFindings(page)).toEqual([]);
  await send(page).click();
  const article = page.getByRole('article').filter({ hasText: 'pasted.png' });
  await article.waitFor();
  const { attachments } = await newestMessage(id);
  expect(attachments.map(({ fileName }: { fileName: string }) => fileName)).toEqual([
    'voice.wav',
    'film.webm',
    'paper.pdf',
    'pasted.png',
  ]);
  for (const player of ['audio', 'video'])
    await expect.poll(() => page.evaluate(`document.querySelector('${player}')?.readyState ?? 0`)).toBeGreaterThan(0);
  const isShown = (selector: string) => page.evaluate(`document.querySelector('${selector} img')?.naturalWidth`);
  await expect.poll(() => isShown('.picture')).toBe(320);
  await article.getByRole('button', { name: 'Enlarge pasted.png' }).click();
  await expect.poll(() => isShown('dialog .enlarged')).toBe(320);
  await screenshot(page, 'media-enlarged');
  await page.keyboard.press('Escape');
  await screenshot(page, 'media-in-place');
  expect(await accessibilityFindings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a draft keeps its files over a reload, and says which of them are gone', async ({ skip }) => {
  if (!browser) return skip();
  const id = await writer('Greta Gone', 'greta@gone.example');
  const { page, faults } = await open();
  await openPlace(page, `/inbox/${id}`);
  await composer(page).fill('See the offer.');
  await page.getByRole('combobox', { name: 'Send by' }).selectOption({ label: 'E-mail · new subject' });
  await page.getByRole('textbox', { name: 'Subject' }).fill('Offer');
  await field(page).setInputFiles({ name: 'offer.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') });
  await page.getByText('Up to 10 files, 25 MB together.').waitFor();
  await expect.poll(() => send(page).isEnabled()).toBe(true);
  await page.route(
    (url) => url.origin === filesAt,
    () => undefined,
  );
  await field(page).setInputFiles({ name: 'slow.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') });
  await page.getByRole('progressbar', { name: 'Uploading slow.pdf' }).waitFor();
  expect(await send(page).isEnabled()).toBe(false);
  await page.reload();
  await page.getByText('slow.pdf is gone: remove it and attach it again.').waitFor();
  expect(await send(page).isEnabled()).toBe(false);
  await page.getByRole('button', { name: 'Without slow.pdf' }).click();
  await send(page).click();
  await expect
    .poll(async () => await newestMessage(id))
    .toMatchObject({ channel: 'email', attachments: [{ fileName: 'offer.pdf', status: 'stored' }] });
  await expect.poll(() => uploads(page).count()).toBe(0);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a file that the way does not take is refused before it is uploaded', async ({ skip }) => {
  if (!browser) return skip();
  const id = await writer('Lara Large', 'lara@large.example');
  const { page, faults } = await open();
  await openPlace(page, `/inbox/${id}`);
  await composer(page).waitFor();
  const large = { name: 'large.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(26 * 1024 * 1024) };
  await field(page).setInputFiles(large);
  await expect.poll(() => send(page).isEnabled()).toBe(true);
  const ways = page.getByRole('combobox', { name: 'Send by' });
  await ways.selectOption({ label: 'E-mail · new subject' });
  await page.getByText('large.bin is too large: choose a file of at most 25 MB.').waitFor();
  expect(await send(page).isEnabled()).toBe(false);
  await composer(page).fill('Here it is');
  await page.getByRole('button', { name: 'Without large.bin' }).click();
  const asked: string[] = [];
  page.on('request', (request) => request.method() === 'POST' && asked.push(new URL(request.url()).pathname));
  await field(page).setInputFiles([large, { ...large, name: 'empty.txt', buffer: Buffer.alloc(0) }]);
  await page.getByText('empty.txt is empty: choose a file with content.').waitFor();
  expect(await uploads(page).count()).toBe(0);
  expect(asked).not.toContain('/v1/files');
  expect(faults).toEqual([]);
  await page.context().close();
});

test('the pictures of a stranger’s mail show in place, and a long name stays inside', async ({ skip }) => {
  if (!browser) return skip();
  const name = `${'very-long-name-'.repeat(12)}end.png`;
  const raw = [
    ...['From: Paula Picture <paula@picture.example>', 'To: sales@acme.example', 'Subject: Look at this'],
    ...['Message-ID: <p1@picture.example>', 'MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=x', ''],
    ...['--x', 'Content-Type: text/plain', '', 'As promised.'],
    ...['--x', 'Content-Type: image/png', `Content-Disposition: attachment; filename="${name}"`],
    ...['Content-Transfer-Encoding: base64', '', ...(picture.toString('base64').match(/.{1,76}/g) ?? [])],
    ...['--x', 'Content-Type: text/plain; charset=utf-8'],
    ...["Content-Disposition: attachment; filename*=UTF-8''%E2%80%AEgpj.exe", '', 'x', '--x--', ''],
  ].join('\r\n');
  const { authentication } = trusted;
  await mailCommands.receive.run({ workspaceId: demo.workspaceId, env: 'live', raw, authentication });
  for (const width of [1440, 360]) {
    const { page, faults } = await open({ width });
    await openPlace(page, '/inbox');
    await page.locator('.people a').filter({ hasText: 'Paula Picture' }).click();
    const mail = page.getByRole('article').filter({ hasText: 'As promised.' });
    await expect.poll(() => page.evaluate("document.querySelector('.picture img')?.naturalWidth")).toBe(320);
    const outside = await page.evaluate(`(() => {
      const mail = document.querySelector('.mail-message');
      const { right } = mail.getBoundingClientRect();
      return [...mail.querySelectorAll('.files li, .files button')]
        .filter((one) => one.getBoundingClientRect().right > right + 1).length;
    })()`);
    expect(outside).toBe(0);
    expect(await mail.textContent()).toContain('gpj.exe');
    expect(await mail.textContent()).not.toContain('\u202e');
    expect(await overflowPx(page)).toBe(0);
    await screenshot(page, `media-mail-${width}`);
    await page.getByRole('button', { name: `Enlarge ${name}` }).click();
    await page.getByRole('dialog').locator('img').waitFor();
    await screenshot(page, `media-mail-enlarged-${width}`);
    expect(await overflowPx(page)).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
  }
});

test('a Telegram message answers another one, in HTML, with buttons', async ({ skip }) => {
  if (!browser) return skip();
  const id = await writer('Bea Button');
  const first = await newestMessage(id);
  const { page, faults } = await open({ width: 360 });
  await openPlace(page, `/inbox/${id}`);
  await page.getByRole('button', { name: 'Reply' }).click();
  await page.locator('.composer .answered').getByText('Hello from Bea Button').waitFor();
  await page.keyboard.type('Choose <b>one</b>');
  await page.getByRole('checkbox', { name: 'As HTML' }).check();
  for (const [at, text, target] of [
    [1, 'Yes', 'order:1'],
    [2, 'Shop', 'https://shop.example/'],
  ] as const) {
    await page.getByRole('button', { name: 'Add a button' }).click();
    await page.getByRole('textbox', { name: `Text of button ${at}` }).fill(text);
    await page.getByRole('textbox', { name: `Address or word of button ${at}` }).fill(target);
  }
  await screenshot(page, 'media-buttons');
  expect(await accessibilityFindings(page)).toEqual([]);
  expect(await overflowPx(page)).toBe(0);
  await send(page).click();
  const article = page.getByRole('article').filter({ hasText: 'Choose one' });
  await article.getByText('Shop').waitFor();
  await article.locator('blockquote').getByText('Hello from Bea Button').waitFor();
  expect(await newestMessage(id)).toMatchObject({
    body: 'Choose one',
    replyToMessageId: first.id,
    entities: [{ type: 'bold' }],
    data: { buttons: [[{ text: 'Yes', data: 'order:1' }], [{ text: 'Shop', url: 'https://shop.example/' }]] },
  });
  expect(faults).toEqual([]);
  await page.context().close();
});

import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomBytes } from 'node:crypto';
import { DeleteObjectsCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { commands } from '#infra/admin/commands/email.ts';
import { hourMs, minuteMs, nextDay, now } from '#lib/core/clock.ts';
import { digestOf } from '#lib/core/mail-address.ts';
import { operator, system } from '#lib/core/tenant.ts';
import { Transfers } from '#lib/entities/transfer.ts';
import { isStored } from '#lib/files/bucket.ts';
import { attachmentKey } from '#lib/files/keys.ts';
import { remaining, settle, take } from '#lib/table/quota.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { storeAttachments } from '#lib/transport/receiving/attachments.ts';
import { isSignedFor } from '#test/aws/presigned.ts';
import { between } from '#test/between.ts';
import { type Client, eventually } from '#test/client.ts';
import { dyingAfter } from '#test/crash.ts';
import { trusted } from '#test/email/raw.ts';
import { settle as quiet, world } from '#test/harness.ts';
import { message, newBot, newPerson } from '#test/telegram/bot.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let live: Client;
let bot: ReturnType<typeof newBot>;

beforeAll(async () => {
  workspace = await newWorkspace();
  live = workspace.live;
  bot = newBot();
  const { body } = await live.post('/v1/telegram/accounts', { kind: 'bot', botToken: bot.token, inbound: 'webhook' });
  const isHooked = async () => (await live.get(`/v1/telegram/accounts/${body.id}`)).body.inbound.status === 'ok';
  await eventually(isHooked, 'the hook');
});

const tenant = () => ({ workspaceId: workspace.id, env: 'live' }) as const;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
let files = 0;

const someone = () => newPerson({ first_name: `Sender-${randomBytes(6).toString('hex')}` });

/** Somebody sends the bot a message with these contents. Returns it as it is stored. */
async function receive(content: object, person = someone()) {
  await bot.tell(message(person, content));
  expect(await bot.post()).toEqual([200]);
  const { items } = (await live.get('/v1/contacts', { q: person.first_name })).body;
  const [stored] = (await live.get(`/v1/contacts/${items[0].id}/messages`)).body.items;
  return stored as { id: number; contactId: number; body: string; attachments: { id: number; status: string }[] };
}

/** A file that lies at Telegram, as a document of a message. */
async function document(bytes: Buffer, { path, ...more }: Record<string, unknown> = {}) {
  files += 1;
  const fileId = `file-${files}-${randomBytes(8).toString('hex')}`;
  const file = { path: String(path ?? `documents/${fileId}`), base64: bytes.toString('base64'), ...more };
  await bot.hold({ [fileId]: file });
  return {
    file_id: fileId,
    file_unique_id: fileId,
    file_name: 'report.pdf',
    mime_type: 'application/pdf',
    file_size: bytes.length,
  };
}

const attachmentOf = (id: number) => live.get(`/v1/messages/${id}/attachments/1`);
const settled = (id: number, timeoutMs?: number) =>
  eventually(
    async () => {
      const { body } = await attachmentOf(id);
      return body.status !== 'pending' && body;
    },
    'the file to be fetched',
    timeoutMs,
  );

async function updatesOf(id: number) {
  const { items } = (await live.get('/v1/events', { limit: 100 })).body;
  type Told = { event: string; data: { message_id: string } };
  return items.filter(({ event, data }: Told) => event === 'message.updated' && data.message_id === String(id));
}

describe('a file that somebody sends a bot', () => {
  test('is named in the message, and fetched after it: then its bytes are the sender’s', async () => {
    const bytes = randomBytes(300_000);
    const stored = await receive({ caption: 'Here it is', document: await document(bytes) });
    expect(stored).toMatchObject({
      body: 'Here it is',
      attachments: [{ id: 1, fileName: 'report.pdf', contentType: 'application/pdf', sizeBytes: bytes.length }],
    });
    const file = await settled(stored.id);
    expect(file).toEqual({
      id: 1,
      fileName: 'report.pdf',
      contentType: 'application/pdf',
      sizeBytes: bytes.length,
      status: 'stored',
      contentId: null,
      isInline: false,
      url: expect.stringMatching(/^http/),
      expiresAt: expect.any(String),
    });
    const response = await fetch(file.url);
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="report.pdf"; filename*=UTF-8''report.pdf`,
    );
    expect(sha256(Buffer.from(await response.arrayBuffer()))).toBe(sha256(bytes));
    await eventually(async () => (await updatesOf(stored.id)).length > 0, 'message.updated');
    const [event, ...others] = await updatesOf(stored.id);
    expect(others).toEqual([]);
    // Field names and ids as in all of an event's data.
    const told = { id: '1', file_name: 'report.pdf', content_type: 'application/pdf', size_bytes: bytes.length };
    expect(event.data.changes).toEqual({
      attachments: { from: [{ ...told, status: 'pending' }], to: [{ ...told, status: 'stored' }] },
    });
  });

  test.each([
    ['photo', (file: object) => [{ ...file, file_size: 1 }, file], 'photo.jpg', 'image/jpeg'],
    ['video', (file: object) => file, 'video.mp4', 'video/mp4'],
    ['audio', (file: object) => file, 'audio.mp3', 'audio/mpeg'],
    ['voice', (file: object) => file, 'voice.ogg', 'audio/ogg'],
    ['video_note', (file: object) => file, 'video.mp4', 'video/mp4'],
  ])('%s has a name and a type where Telegram gives none', async (kind, content, fileName, contentType) => {
    const { file_name: _, mime_type: _type, ...bare } = await document(randomBytes(100));
    const { id, body } = await receive({ [kind]: content(bare) });
    expect(body).toBe('');
    expect(await settled(id)).toMatchObject({ fileName, contentType, status: 'stored', sizeBytes: 100 });
  });

  test.each([
    ['../../etc/passwd', 'passwd', 'passwd'],
    ['C:\\temp\\run.exe', 'run.exe', 'run.exe'],
    ['a\u0000b\u001b[31m\r\n.txt', 'ab[31m .txt', 'ab[31m .txt'],
    ['..', 'attachment-1', 'attachment-1'],
    ['annexe\u202efdp.exe', 'annexefdp.exe', 'annexefdp.exe'],
    ['Büro "1";x=.pdf', 'Büro "1";x=.pdf', 'B_ro _1_;x=.pdf'],
  ])('keeps the usable part of the name %j', async (file_name, fileName, plain) => {
    const { id } = await receive({ document: { ...(await document(Buffer.from('x'))), file_name } });
    const file = await settled(id);
    expect(file.fileName).toBe(fileName);
    const disposition = (await fetch(file.url)).headers.get('content-disposition');
    expect(disposition).toMatch(/^attachment; filename="[^"\\]*"; filename\*=UTF-8''[\w%.!~-]*$/);
    expect(disposition).toContain(`filename="${plain}"`);
  });

  test.each(['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/html\r\nx-evil: 1', 'TEXT/XML'])(
    'is served as bytes to save when its type is %j',
    async (mime_type) => {
      const page = Buffer.from('<script>alert(1)</script>');
      const { id } = await receive({ document: { ...(await document(page)), file_name: 'page.html', mime_type } });
      const file = await settled(id);
      expect(file.contentType).toBe(mime_type.replace('\r\n', ' '));
      const { headers } = await fetch(file.url);
      expect(headers.get('content-type')).toBe('application/octet-stream');
      expect(headers.get('content-disposition')).toMatch(/^attachment;/);
      // Who has the URL cannot have it answer otherwise.
      expect(isSignedFor(file.url)).toBe(true);
      expect(isSignedFor(file.url.replace('attachment', 'inline'))).toBe(false);
    },
  );

  test('is stored when its declared size is a fraction', async () => {
    const { id, attachments } = await receive({ document: { ...(await document(randomBytes(10))), file_size: 0.5 } });
    expect(attachments).toMatchObject([{ sizeBytes: 1 }]);
    expect(await settled(id)).toMatchObject({ status: 'stored', sizeBytes: 10 });
  });

  test('is not fetched when it is larger than 20 MB, declared or not', async () => {
    const said = await receive({
      document: { ...(await document(Buffer.from('x'))), file_size: 20 * 1024 * 1024 + 1 },
    });
    expect(said.attachments).toMatchObject([{ status: 'too_large' }]);
    const { file_size: _, ...unsaid } = await document(Buffer.alloc(0), {
      base64: undefined,
      sizeBytes: 21 * 1024 * 1024,
    });
    const { id } = await receive({ document: unsaid });
    expect(await settled(id)).toMatchObject({ status: 'too_large', url: null, expiresAt: null });
  });

  test('fails when Telegram no longer has it', async () => {
    const { id } = await receive({ document: { file_id: 'gone', file_size: 5 } });
    expect(await settled(id)).toMatchObject({ status: 'failed', url: null });
  });

  test('whose every fetch ends the process that is at it is failed after the fifth', async () => {
    const { id } = await receive({ document: await document(randomBytes(10)) });
    const { calls } = await bot.seen();
    await claimAndDie(id);
    await transact(tenant(), operator, async (tx) => {
      tx.update(Transfers, { ...(await tx.get(Transfers, { id })), tries: 5, dueAt: tx.now });
    });
    await storeAttachments(tenant(), id);
    expect((await attachmentOf(id)).body).toMatchObject({ status: 'failed' });
    expect((await bot.seen()).calls).toEqual(calls);
  });

  test.each([
    ['as much later as any other that failed', 5, 30],
    ['no earlier than Telegram asks', 600, 600],
  ])('is fetched again %s when Telegram wants %d seconds', async (_, retryAfter, leastSeconds) => {
    const file = await document(Buffer.from('bytes'));
    const parameters = { retry_after: retryAfter };
    await bot.react({
      method: 'getFile',
      status: 429,
      body: { ok: false, description: 'Too Many Requests', parameters },
    });
    const before = now();
    const { id } = await receive({ document: file });
    await quiet();
    const { dueAt = '', tries } = (await new UnitOfWork(tenant(), system).find(Transfers, { id })) ?? {};
    expect(tries).toBe(1);
    expect(Date.parse(dueAt)).toBeGreaterThanOrEqual(before + leastSeconds * 1000);
    expect(Date.parse(dueAt)).toBeLessThan(now() + (leastSeconds + 5) * 1000);
  });

  test('whose download breaks off is fetched again', async () => {
    const bytes = randomBytes(50_000);
    const { id } = await receive({ document: await document(bytes, { breaks: 1 }) });
    const file = await settled(id, 60_000);
    expect(sha256(Buffer.from(await (await fetch(file.url)).arrayBuffer()))).toBe(sha256(bytes));
  });

  test('is fetched by somebody else when who fetches it is killed, and told of once', async () => {
    const bytes = randomBytes(50_000);
    const { id } = await receive({ document: await document(bytes) });
    await claimAndDie(id);
    // Its own claim has not run out.
    await storeAttachments(tenant(), id);
    expect((await attachmentOf(id)).body.status).toBe('pending');
    await later(async () => {
      // The next one dies between the bucket and the table.
      expect(await dyingAfter(1, () => storeAttachments(tenant(), id))).toBe(false);
    }, 3);
    expect((await attachmentOf(id)).body.status).toBe('pending');
    await later(() => storeAttachments(tenant(), id), 3);
    const file = (await attachmentOf(id)).body;
    expect(sha256(Buffer.from(await (await fetch(file.url)).arrayBuffer()))).toBe(sha256(bytes));
    await storeAttachments(tenant(), id);
    await eventually(async () => (await updatesOf(id)).length > 0, 'message.updated');
    expect(await updatesOf(id)).toHaveLength(1);
    expect(await transferOf(id)).toBeUndefined();
  });
});

describe('a file that is brought while its sender is erased', () => {
  /** Its first fetch is begun; then the contact is erased, and whoever fetches it does so at last. */
  async function erasedMeanwhile(fail: (operation: string, input: string) => void) {
    // The double serves the first file of a path.
    const { id, contactId } = await receive({ document: await document(randomBytes(5000)) });
    await claimAndDie(id);
    const key = attachmentKey(tenant(), id, 1);
    let isErased = false;
    await later(async () => {
      const work = () => storeAttachments(tenant(), id).catch(() => {});
      await between(async ({ operation, input }, next) => {
        const written = JSON.stringify(input);
        if (!isErased && operation === 'GetItem' && written.includes('receivedFrom/')) {
          isErased = true;
          await outside(() => erase(contactId));
        }
        if (isErased) fail(operation, written);
        return next();
      }, work);
    }, 3);
    expect(isErased).toBe(true);
    return { id, isThere: () => isStored(key) };
  }

  test('goes although who brought it died', async () => {
    let isDead = false;
    const { id, isThere } = await erasedMeanwhile((operation, written) => {
      isDead ||= operation === 'UpdateItem' && written.includes('received');
      if (isDead) throw new Error('the process is dead');
    });
    expect(await isThere()).toBe(true);
    expect(await transferOf(id)).toMatchObject({ isErased: true, parts: [{ attachmentId: 1, ref: '' }] });
    await later(() => storeAttachments(tenant(), id), 10);
    expect(await isThere()).toBe(false);
    expect(await transferOf(id)).toBeUndefined();
  });

  test('goes although the bucket does not take it back at first', async () => {
    let isErased = false;
    let isRefused = false;
    const { send } = S3Client.prototype;
    const spy = vi.spyOn(S3Client.prototype, 'send').mockImplementation(function (this: S3Client, ...given: unknown[]) {
      if (isErased && !isRefused && given[0] instanceof DeleteObjectsCommand) {
        isRefused = true;
        throw new Error('the bucket is busy');
      }
      return send.apply(this, given as Parameters<typeof send>);
    } as typeof send);
    const { id, isThere } = await erasedMeanwhile(() => {
      isErased = true;
    });
    spy.mockRestore();
    expect([isRefused, await isThere()]).toEqual([true, true]);
    expect(await transferOf(id)).toMatchObject({ isErased: true, parts: [{ attachmentId: 1, ref: '' }] });
    await later(() => storeAttachments(tenant(), id), 10);
    expect([await isThere(), await transferOf(id)]).toEqual([false, undefined]);
  });

  test('goes at once where what it takes cannot be counted', async () => {
    const { id, isThere } = await erasedMeanwhile((operation, written) => {
      if (operation === 'UpdateItem' && written.includes('received'))
        throw Object.assign(new Error('too busy'), { name: 'ThrottlingException' });
    });
    expect(await isThere()).toBe(false);
    expect(await transferOf(id)).toBeUndefined();
  });
});

const transferOf = (id: number) => new UnitOfWork(tenant(), system).find(Transfers, { id });

/** An attempt whose process dies once it has claimed the transfer. */
async function claimAndDie(id: number): Promise<void> {
  let isClaimed = false;
  const work = () => storeAttachments(tenant(), id).catch(() => {});
  await between(async ({ operation }, next) => {
    if (isClaimed) throw new Error('the process is dead');
    isClaimed = /^(TransactWrite|Put|Update)/.test(operation);
    return next();
  }, work);
  expect(await transferOf(id)).toMatchObject({ tries: 1 });
}

/** Not as a part of the work during which it happens. */
const outside = AsyncLocalStorage.snapshot();

async function erase(contactId: number): Promise<void> {
  const { body } = await live.post(`/v1/contacts/${contactId}/erasure`, { confirm: String(contactId) });
  const isDone = async () => (await live.get(`/v1/erasures/${body.id}`)).body.status === 'completed';
  await eventually(isDone, 'the erasure');
}

/** Does something so many minutes later, before any worker does. */
function later<Result>(work: () => Promise<Result>, minutes: number): Promise<Result> {
  world()?.clock.moveTo(now() + minutes * minuteMs);
  return work();
}

describe('the parts of a mail', () => {
  const boundary = 'edge';
  const mailWith = (...parts: string[][]) =>
    [
      'From: Anna <anna@example.com>',
      'To: sales@acme.example',
      'Subject: Files',
      `Message-ID: <${randomBytes(12).toString('hex')}@mail.example.com>`,
      `Content-Type: multipart/mixed; boundary=${boundary}`,
      '',
      ...[['Content-Type: text/plain', '', 'Two files'], ...parts].flatMap((part) => [`--${boundary}`, ...part]),
      `--${boundary}--`,
    ].join('\r\n');
  const inBase64 = (name: string, bytes: Buffer) => [
    `Content-Type: image/png; name="${name}"`,
    `Content-Disposition: attachment; filename="${name}"`,
    'Content-Transfer-Encoding: base64',
    '',
    ...(bytes.toString('base64').match(/.{1,76}/g) ?? []),
  ];
  const receiveMail = (raw: string) =>
    commands.receive.run({ workspaceId: workspace.id, env: 'live', raw, authentication: trusted.authentication });

  test('are stored as they were before they were encoded, in the thread and in the conversation', async () => {
    const [picture, text] = [randomBytes(100_000), 'Grüße\r\n=20\r\n'.repeat(500)];
    const quoted = Buffer.from(text)
      .toString('latin1')
      .replaceAll('=', '=3D')
      .replaceAll(/[\x80-\xff]/g, (sign) => `=${sign.charCodeAt(0).toString(16).toUpperCase()}`);
    const { threadId, messageId } = await receiveMail(
      mailWith(
        inBase64('../../a.png', picture),
        [
          'Content-Type: text/csv; name=b.csv',
          'Content-Disposition: attachment',
          'Content-Transfer-Encoding: quoted-printable',
          '',
          quoted,
        ],
        ['Content-Type: application/x-raw', '', 'as it is'],
      ),
    );
    const path = `/v1/email/threads/${threadId}/messages/${messageId}/attachments`;
    const all = () => Promise.all([1, 2, 3].map(async (id) => (await live.get(`${path}/${id}`)).body));
    await eventually(async () => (await all()).every(({ status }) => status === 'stored'), 'the parts');
    const found = await all();
    expect(found.map(({ fileName }) => fileName)).toEqual(['a.png', 'b.csv', 'attachment-3']);
    const bytes = await Promise.all(found.map(async ({ url }) => Buffer.from(await (await fetch(url)).arrayBuffer())));
    expect(bytes.map(sha256)).toEqual([picture, Buffer.from(text), Buffer.from('as it is')].map(sha256));
    expect(found.map(({ sizeBytes }) => sizeBytes)).toEqual(bytes.map(({ length }) => length));
    await live.get(`${path}/4`, undefined, 404);
    const { items } = (await live.get(`/v1/email/threads/${threadId}/messages`)).body;
    expect(items[0].attachments.map(({ status }: { status: string }) => status)).toEqual([
      'stored',
      'stored',
      'stored',
    ]);
    expect(Object.keys(items[0].attachments[0]).sort()).toEqual([
      'contentId',
      'contentType',
      'fileName',
      'id',
      'isInline',
      'sizeBytes',
      'status',
    ]);
  });

  test('are found in the conversation of their contact', async () => {
    const contact = (await live.post('/v1/contacts', { name: 'Anna', email: 'anna@example.com', platform: 'telegram' }))
      .body;
    await receiveMail(mailWith(inBase64('c.png', randomBytes(10))));
    const [stored] = (await live.get(`/v1/contacts/${contact.id}/messages`)).body.items;
    expect(stored.attachments).toHaveLength(1);
    expect(await settled(stored.id)).toMatchObject({ fileName: 'c.png', status: 'stored' });
  });
});

test('an attachment is found by nobody else', async () => {
  const { id } = await receive({ document: await document(randomBytes(10)) });
  await settled(id);
  const other = await newWorkspace();
  for (const client of [other.live, workspace.test])
    await client.get(`/v1/messages/${id}/attachments/1`, undefined, 404);
  await live.get(`/v1/messages/${id}/attachments/2`, undefined, 404);
  await live.get('/v1/messages/999999/attachments/1', undefined, 404);
  const { client } = await workspace.mint({ scopes: ['email:read'] });
  await client.get(`/v1/messages/${id}/attachments/1`, undefined, 403);
});

test('its URL opens that file alone, as a download, for five minutes', async () => {
  const { id } = await receive({ document: await document(randomBytes(10)) });
  const { url, fileName, contentType, expiresAt } = await settled(id);
  const leftMs = Date.parse(expiresAt) - now();
  expect(leftMs).toBeGreaterThan(4 * 60_000);
  expect(leftMs).toBeLessThanOrEqual(5 * 60_000);
  const own = new URL(url);
  const status = async (to: string | URL) => (await fetch(to)).status;
  expect(await status(own)).toBe(200);
  expect(isSignedFor(own)).toBe(true);

  // A file of another tenant is there, and is not found by changing a URL of one's own.
  const other = await newWorkspace();
  const bytes = randomBytes(10);
  const { body: upload } = await other.live.post('/v1/files', { fileName, contentType, sizeBytes: bytes.length });
  const put = await fetch(upload.uploadUrl, { method: 'PUT', headers: upload.uploadHeaders, body: bytes });
  expect(put.status).toBe(200);
  const theirs = new URL(own);
  theirs.pathname = new URL(upload.uploadUrl).pathname;
  expect(isSignedFor(theirs)).toBe(false);
  const longer = new URL(own);
  longer.searchParams.set('X-Amz-Expires', '604800');
  expect(isSignedFor(longer)).toBe(false);

  expect(await later(() => status(own), 4)).toBe(200);
  expect(await later(() => status(own), 2)).toBe(403);
});

describe('beyond what is taken on a day', () => {
  const waits = (id: number) =>
    eventually(async () => {
      const transfer = await transferOf(id);
      return transfer !== undefined && transfer.dueAt >= nextDay() && transfer;
    }, 'the file waits for tomorrow');

  test('one person’s files wait for the next day, others’ do not, and stored ones stay stored', async () => {
    const first = await receive({ document: await document(randomBytes(1000)) });
    expect(await settled(first.id)).toMatchObject({ status: 'stored' });
    const person = { email: 'Anna@many.example' };
    const { id: contactId } = (await live.post('/v1/contacts', { name: 'Anna', ...person })).body;
    const grant = await take(tenant(), `receivedFrom/${contactId}`, 2 * 2 ** 30 - 1500);
    expect(grant.amount).toBe(2 * 2 ** 30 - 1500);
    const raw = ['one', 'two', 'three'].map(
      (name) => `--B\r\nContent-Type: text/x; name=${name}\r\n\r\n${name.repeat(300)}\r\n`,
    );
    await commands.receive.run({
      ...{ workspaceId: workspace.id, env: 'live', authentication: trusted.authentication },
      raw: `From: ${person.email}\r\nTo: us@acme.example\r\nSubject: Files\r\nMessage-ID: <${randomBytes(9).toString('hex')}@many.example>\r\nContent-Type: multipart/mixed; boundary=B\r\n\r\n${raw.join('')}--B--`,
    });
    const [mail] = (await live.get(`/v1/contacts/${contactId}/messages`)).body.items;
    expect((await waits(mail.id)).parts.map(({ attachmentId }) => attachmentId)).toEqual([2, 3]);
    const statuses = async () =>
      (await live.get(`/v1/contacts/${contactId}/messages`)).body.items[0].attachments.map(
        ({ status }: { status: string }) => status,
      );
    expect(await statuses()).toEqual(['stored', 'pending', 'pending']);
    const other = await receive({ document: await document(randomBytes(1000)) });
    expect(await settled(other.id)).toMatchObject({ status: 'stored' });
    // As on another day.
    await settle(tenant(), `receivedFrom/${contactId}`, grant, 0);
    await transact(tenant(), operator, async (tx) =>
      tx.update(Transfers, { ...(await tx.get(Transfers, { id: mail.id })), dueAt: tx.now }),
    );
    await storeAttachments(tenant(), mail.id);
    await eventually(async () => (await statuses()).every((status: string) => status === 'stored'), 'all of them');
    // The bytes of each were counted once: 900 and twice 1,500 by now, of which the first were before.
    expect(2 * 2 ** 30 - (await remaining(tenant(), `receivedFrom/${contactId}`))).toBe(3300);
  });

  const mailOf = async (from: string, word: string, verdict: 'pass' | 'fail') => {
    await commands.receive.run({
      ...{ workspaceId: workspace.id, env: 'live' },
      authentication: { spf: verdict, dkim: verdict, dmarc: verdict, verdict },
      raw: `From: ${from}\r\nTo: us@acme.example\r\nSubject: ${word}\r\nMessage-ID: <${word}@many.example>\r\nContent-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\nContent-Type: text/x; name=${word}\r\n\r\n${word.repeat(20)}\r\n--B--`,
    });
    const { items } = (await live.get('/v1/email/threads', { limit: 100 })).body;
    const { id } = items.find(({ subject }: { subject: string }) => subject === word);
    return async () => (await live.get(`/v1/email/threads/${id}/messages`)).body.items[0].attachments[0].status;
  };

  test('a flood of unproven mail leaves room for a stranger whose address is proven', async () => {
    const forged = await take(tenant(), 'receivedFrom/unverified', 2 * 2 ** 30);
    const [anybody, lead] = [randomBytes(9).toString('hex'), randomBytes(9).toString('hex')];
    const waiting = await mailOf('lead@good.example', anybody, 'fail');
    const stored = await mailOf('lead@good.example', lead, 'pass');
    await eventually(async () => (await stored()) === 'stored', 'the file of the proven sender');
    expect(await waiting()).toBe('pending');
    await settle(tenant(), 'receivedFrom/unverified', forged, 0);
    const share = `receivedFrom/${digestOf('lead@good.example')}` as const;
    expect(2 * 2 ** 30 - (await remaining(tenant(), share))).toBe(20 * lead.length);
  });

  test('a stranger who has used up a day leaves room for another of the same domain', async () => {
    const word = () => randomBytes(9).toString('hex');
    const share = `receivedFrom/${digestOf('flood@many.example')}` as const;
    const grant = await take(tenant(), share, 2 * 2 ** 30);
    const waiting = await mailOf('Flood@many.example', word(), 'pass');
    const stored = await mailOf('lead@many.example', word(), 'pass');
    await eventually(async () => (await stored()) === 'stored', 'the file of the other sender');
    expect(await waiting()).toBe('pending');
    await settle(tenant(), share, grant, 0);
  });

  test('a workspace’s files wait for up to thirty days without losing attempts', async () => {
    await take(tenant(), 'received', 20 * 2 ** 30);
    const stored = await receive({ caption: 'And this', document: await document(randomBytes(1000)) });
    expect(stored.body).toBe('And this');
    await waits(stored.id);
    expect(await attachmentOf(stored.id)).toMatchObject({ body: { status: 'pending', url: null } });
    const nextDayWith = async (isUsedUp: boolean) => {
      world()?.clock.moveTo(now() + 26 * hourMs);
      if (isUsedUp) await take(tenant(), 'received', 20 * 2 ** 30);
      await storeAttachments(tenant(), stored.id);
    };
    for (let day = 1; day < 30; day += 1) await nextDayWith(true);
    await bot.react({ method: 'getFile', status: 500, body: {} });
    await nextDayWith(false);
    expect(await transferOf(stored.id)).toMatchObject({ tries: 31, waitedDays: 30 });
    expect(await attachmentOf(stored.id)).toMatchObject({ body: { status: 'pending', url: null } });
    await nextDayWith(true);
    expect(await attachmentOf(stored.id)).toMatchObject({ body: { status: 'failed', url: null } });
  });
});

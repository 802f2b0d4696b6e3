import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { commands as twitterAccount } from '#infra/admin/commands/twitter-account.ts';
import { now } from '#lib/core/clock.ts';
import { isSignedFor } from '#test/aws/presigned.ts';
import { type Client, eventually } from '#test/client.ts';
import { type NewFile, uploaded } from '#test/files/upload.ts';
import { because } from '#test/refusals.ts';
import { newBot } from '#test/telegram/bot.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let live: Client;
beforeAll(async () => {
  workspace = await newWorkspace();
  live = workspace.live;
});

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
let people = 700_000;

/** A bot that writes as fast as it can. */
async function connected() {
  const bot = newBot();
  const pacing = { peerGapMs: 0, gapMs: 0 };
  const { body } = await live.post('/v1/telegram/accounts', {
    kind: 'bot',
    botToken: bot.token,
    inbound: 'off',
    pacing,
  });
  return { ...bot, accountId: body.id as number };
}
type Bot = Awaited<ReturnType<typeof connected>>;

const picture = (name: string): NewFile => ({ fileName: name, contentType: 'image/png', bytes: randomBytes(1000) });
const paper = (name: string): NewFile => ({ fileName: name, contentType: 'application/pdf', bytes: randomBytes(1000) });

const send = ({ accountId }: Bot, attachments: number[], more: object = {}) => {
  people += 1;
  return live.post('/v1/telegram/messages', { accountId, telegramUserId: people, attachments, ...more });
};

const ended = (id: number, timeoutMs?: number) =>
  eventually(
    async () => {
      const { body } = await live.get(`/v1/telegram/messages/${id}`);
      return body.status !== 'queued' && body;
    },
    'the job to end',
    timeoutMs,
  );

async function sendFiles(bot: Bot, files: NewFile[], more: object = {}) {
  const ids: number[] = [];
  for (const file of files) ids.push(await uploaded(live, file));
  const { status, body } = await send(bot, ids, more);
  expect(status).toBe(202);
  return body.id as number;
}

const named = (files: NewFile[] | { fileName?: string }[] = []) => files.map(({ fileName }) => fileName);

describe('a bot sends', () => {
  test.each([
    ['a picture as a photo', picture('a.png'), 'sendPhoto', 'photo'],
    ['another file as a document', paper('a.pdf'), 'sendDocument', 'document'],
    [
      'a picture of more than 10 MB as a document',
      { ...picture('b.png'), bytes: Buffer.alloc(10 * 1024 * 1024 + 1, 'p') },
      'sendDocument',
      'document',
    ],
    [
      'a picture that is neither JPEG nor PNG as a document',
      { ...picture('c.gif'), contentType: 'image/gif' },
      'sendDocument',
      'document',
    ],
  ])('%s, with the bytes of its caller', async (_, file, method, field) => {
    const bot = await connected();
    const id = await sendFiles(bot, [file], { text: 'Look' });
    expect(await ended(id)).toMatchObject({ status: 'sent', lastError: null });
    const { stored } = await bot.seen();
    const { fileName, contentType, bytes = Buffer.alloc(0) } = file;
    expect(stored).toMatchObject([
      {
        text: 'Look',
        method,
        files: [{ field, fileName, contentType, sizeBytes: bytes.length, sha256: sha256(bytes) }],
      },
    ]);
  });

  test.each([
    ['pictures', [picture('1.png'), picture('2.png'), picture('3.png')]],
    ['documents', [paper('1.pdf'), paper('2.pdf')]],
  ])('several %s as one album in their order, without a word', async (_, files) => {
    const bot = await connected();
    expect(await ended(await sendFiles(bot, files))).toMatchObject({ status: 'sent' });
    const { stored } = await bot.seen();
    expect(stored).toMatchObject([{ method: 'sendMediaGroup', text: '' }]);
    expect(named(stored[0]?.files)).toEqual(named(files));
  });

  test('pictures and documents one after the other, the text with the first', async () => {
    const bot = await connected();
    const id = await sendFiles(bot, [picture('1.png'), paper('2.pdf'), picture('3.png')], { text: 'Three' });
    expect(await ended(id)).toMatchObject({ status: 'sent' });
    const { stored } = await bot.seen();
    expect(stored.map(({ method, text, files }) => [method, text, named(files)])).toEqual([
      ['sendPhoto', 'Three', ['1.png']],
      ['sendDocument', '', ['2.pdf']],
      ['sendPhoto', '', ['3.png']],
    ]);
  });

  test('never again what Telegram has confirmed, also when the caller retries', async () => {
    const bot = await connected();
    await bot.react(
      {},
      { status: 500, body: { ok: false, description: 'Internal' } },
      { status: 400, body: { ok: false, description: 'Bad Request: no' } },
    );
    const id = await sendFiles(bot, [picture('1.png'), paper('2.pdf'), picture('3.png')], { text: 'Once' });
    // The second fails for now, and after half a minute for good.
    expect(await ended(id, 60_000)).toMatchObject({ status: 'failed' });
    expect((await bot.seen()).stored.map(({ files }) => named(files)[0])).toEqual(['1.png']);
    await live.post(`/v1/telegram/messages/${id}/retry`);
    expect(await ended(id)).toMatchObject({ status: 'sent' });
    const { stored } = await bot.seen();
    expect(stored.map(({ files, text }) => [named(files)[0], text])).toEqual([
      ['1.png', 'Once'],
      ['2.pdf', ''],
      ['3.png', ''],
    ]);
  });

  test('the message shows them, and keeps them after the upload is gone', async () => {
    const bot = await connected();
    const { body: contact } = await live.post('/v1/contacts', { name: 'Files', username: 'files_person' });
    const ids = [await uploaded(live, paper('kept.pdf'))];
    const { body: job } = await live.post('/v1/telegram/messages', {
      accountId: bot.accountId,
      contactId: contact.id,
      telegramUserId: 5,
      attachments: ids,
    });
    expect(job.status).toBe('queued');
    const [stored] = (await live.get(`/v1/contacts/${contact.id}/messages`)).body.items;
    expect(stored).toMatchObject({
      body: '',
      attachments: [{ id: 1, fileName: 'kept.pdf', status: 'stored', sizeBytes: 1000 }],
    });
    await eventually(async () => {
      const { body } = await live.get(`/v1/messages/${stored.id}/attachments/1`);
      return new URL(body.url).pathname.includes(`/messages/${workspace.id}/live/${stored.id}/1`);
    }, 'the file to be where it stays');
  });

  test('no longer text than a caption has, and X sends no files', async () => {
    const id = await uploaded(live);
    const place = { workspaceId: workspace.id, env: 'live', name: 'Person' } as const;
    const x = (await twitterAccount.create.run({ ...place, accessToken: 'a token' } as never)) as { id: number };
    expect(
      await live.post('/v1/twitter/messages', { accountId: x.id, twitterUserId: '1', text: 'Hi', attachments: [id] }),
    ).toMatchObject({ status: 400, body: { details: { reason: 'attachments_not_supported' } } });
    const bot = await connected();
    const long = await send(bot, [id], { text: 'x'.repeat(1025) });
    expect(long).toMatchObject({ status: 400, body: { details: { fields: [{ field: 'text', code: 'too_long' }] } } });
    expect(await send(bot, [id], { text: 'x'.repeat(1024) })).toMatchObject({ status: 202 });
  });
});

describe('POST /v1/files', () => {
  test('is open to every key with a sending scope', async () => {
    const file = { fileName: 'a.txt', contentType: 'text/plain', sizeBytes: 1 };
    for (const scope of ['telegram:send', 'email:send', 'email:compose'] as const)
      expect((await (await workspace.mint({ scopes: [scope] })).client.post('/v1/files', file)).status).toBe(201);
    const { client } = await workspace.mint({ scopes: ['contacts:read', 'twitter:send'] });
    const { status, body } = await client.post('/v1/files', file);
    expect(status).toBe(403);
    expect(body.details).toEqual({
      ...because('missing_scope'),
      requiredScopes: ['telegram:send', 'email:send', 'email:compose', 'imports:run'],
    });
  });

  test('keeps of a name what is one, and refuses what is none', async () => {
    const announce = (fileName: string) =>
      live.post('/v1/files', { fileName, contentType: 'text/plain', sizeBytes: 1 });
    for (const name of ['..', 'a/', 'a\u0007b', 'x'.repeat(256)]) expect((await announce(name)).status, name).toBe(400);
    const bot = await connected();
    const id = await sendFiles(bot, [{ ...paper('../../secret.pdf') }]);
    await ended(id);
    expect(named((await bot.seen()).stored[0]?.files)).toEqual(['secret.pdf']);
  });

  test('takes only what was announced, for an hour', async () => {
    const { body } = await live.post('/v1/files', { fileName: 'a.txt', contentType: 'text/plain', sizeBytes: 5 });
    const left = Date.parse(body.expiresAt) - now();
    expect(left).toBeGreaterThan(59 * 60_000);
    expect(left).toBeLessThanOrEqual(60 * 60_000);
    const mayPut = (bytes: string, type = 'text/plain', url = body.uploadUrl) =>
      isSignedFor(url, { method: 'PUT', headers: { 'content-length': `${bytes.length}`, 'content-type': type } });
    expect(mayPut('hello')).toBe(true);
    expect(mayPut('longer than announced')).toBe(false);
    expect(mayPut('hello', 'text/html')).toBe(false);
    const theirs = body.uploadUrl.replace(`/${workspace.id}/live/`, '/999999/live/');
    expect(mayPut('hello', 'text/plain', theirs)).toBe(false);
    expect(isSignedFor(body.uploadUrl)).toBe(false);
    const put = await fetch(body.uploadUrl, {
      method: 'PUT',
      body: 'hello',
      headers: { 'content-type': 'text/plain' },
    });
    expect(put.status).toBe(200);
  });

  test('names what a message takes once, uploaded, of this workspace and environment', async () => {
    const bot = await connected();
    const refused = async (attachments: number[], code: string, index = 0) =>
      expect(await send(bot, attachments)).toMatchObject({
        status: 400,
        body: { details: { fields: [{ field: `attachments[${index}]`, code }] } },
      });
    const { body: announced } = await live.post('/v1/files', {
      fileName: 'a',
      contentType: 'text/plain',
      sizeBytes: 1,
    });
    await refused([announced.id], 'not_allowed');
    const other = await newWorkspace();
    const ids = {
      foreign: await uploaded(other.live),
      test: await uploaded(workspace.test),
      own: await uploaded(live),
    };
    await refused([999_999], 'unknown_reference');
    await refused([ids.own, ids.own], 'not_allowed', 1);
    // Theirs have ids that are not ours yet, or are others of ours.
    const foreign = Math.max(ids.foreign, ids.test) + 1000;
    await refused([ids.own, foreign], 'unknown_reference', 1);
    expect((await send(bot, [ids.own])).status).toBe(202);
    await refused([ids.own], 'not_allowed');
    expect(
      (
        await send(
          bot,
          Array.from({ length: 11 }, (_, index) => index + 1),
        )
      ).status,
    ).toBe(400);
    expect(await send(bot, [])).toMatchObject({
      status: 400,
      body: { details: { fields: [{ field: 'text', code: 'required' }] } },
    });
  });
});

describe('a photo that Telegram refuses is sent as a document', () => {
  const refusal = (status: number, description: string) => ({ status, body: { ok: false, description } });

  test.each([
    [400, 'Bad Request: PHOTO_INVALID_DIMENSIONS'],
    [400, 'Bad Request: IMAGE_PROCESS_FAILED'],
    [400, 'Bad Request: failed to process image'],
    [400, 'Bad Request: PHOTO_EXT_INVALID'],
    [400, 'Bad Request: PHOTO_SAVE_FILE_INVALID'],
    [413, 'Request Entity Too Large'],
  ])('%d %s', async (status, description) => {
    const bot = await connected();
    await bot.react(refusal(status, description));
    const id = await sendFiles(bot, [picture('a.png')], { text: 'Look' });
    expect((await ended(id)).status).toBe('sent');
    const [sent] = (await bot.seen()).stored;
    expect(sent).toMatchObject({ method: 'sendDocument', text: 'Look', files: [{ fileName: 'a.png' }] });
  });

  test('an album with one such picture leaves whole, as documents', async () => {
    const bot = await connected();
    await bot.react(refusal(400, 'Bad Request: group send failed'));
    expect((await ended(await sendFiles(bot, [picture('a.png'), picture('b.png')]))).status).toBe('sent');
    const [sent] = (await bot.seen()).stored;
    expect(sent).toMatchObject({ method: 'sendMediaGroup', files: [{ fileName: 'a.png' }, { fileName: 'b.png' }] });
  });

  test('another refusal fails the message', async () => {
    const bot = await connected();
    await bot.react(refusal(400, 'Bad Request: chat not found'));
    expect((await ended(await sendFiles(bot, [picture('a.png')]))).lastError).toMatch(/chat not found/);
  });
});

import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { now, secondMs, shifted } from '#lib/core/clock.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { Jobs } from '#lib/entities/job.ts';
import { Senders } from '#lib/entities/sender.ts';
import { Transfers } from '#lib/entities/transfer.ts';
import { acquire, release } from '#lib/messages/accounts/sender.ts';
import { storeAttachments } from '#lib/transport/receiving/attachments.ts';
import { receiveDifference } from '#lib/transport/receiving/telegram-difference.ts';
import { type Client, eventually } from '#test/client.ts';
import { type NewFile, uploaded } from '#test/files/upload.ts';
import { serverKey } from '#test/place.ts';
import { person, personOf } from '#test/telegram/data-centre.ts';
import { hasteAtTelegram, unanswered } from '#test/telegram/haste.ts';
import type { Answer } from '#test/telegram/mtproto.ts';
import { type Listening, persons, somebody } from '#test/telegram/persons.ts';
import { newWorkspace } from '#test/workspace.ts';

hasteAtTelegram();

let live: Client;
let tenant: Tenant;
const { inTenant, newCentre, listening, hurry, looked, conversation, close } = persons(() => ({ live, tenant }));

beforeAll(async () => {
  const workspace = await newWorkspace();
  live = workspace.live;
  tenant = { workspaceId: workspace.id, env: 'live' };
});
afterAll(close);

const mb = 1024 * 1024;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** An attachment once nobody fetches it any more. */
const settled = (messageId: number, timeoutMs?: number) =>
  eventually(
    async () => {
      const { body } = await live.get(`/v1/messages/${messageId}/attachments/1`);
      return body.status !== 'pending' && body;
    },
    'the file to be fetched',
    timeoutMs,
  );
const bytesOf = async ({ url }: { url: string }) => Buffer.from(await (await fetch(url)).arrayBuffer());

/** Somebody sends the account something. Returns it as it is stored. */
async function received(account: Listening, media: Answer, text = '', content: object = {}) {
  const ann = somebody();
  account.box.write(ann, text, { media, ...content });
  await looked(account);
  const [message] = await conversation(account, ann);
  return message;
}

describe('a file that somebody sends the account of a person', () => {
  const video = { _: 'documentAttributeVideo', duration: 1, w: 1, h: 1 };
  const sound = { _: 'documentAttributeAudio', duration: 1 };

  test.each([
    ['a document', { fileName: '../report.pdf' }, 'report.pdf', 'application/pdf'],
    ['a photo', { kind: 'photo' as const }, 'photo.jpg', 'image/jpeg'],
    ['a video', { contentType: 'video/mp4', attributes: [video] }, 'video.mp4', 'video/mp4'],
    [
      'an animation',
      { contentType: '', attributes: [{ _: 'documentAttributeAnimated' }, video] },
      'animation.mp4',
      'video/mp4',
    ],
    ['a voice', { contentType: 'audio/ogg', attributes: [{ ...sound, voice: true }] }, 'voice.ogg', 'audio/ogg'],
    ['a song', { contentType: 'audio/mpeg', attributes: [sound] }, 'audio.mp3', 'audio/mpeg'],
    [
      'a round video',
      { contentType: 'video/mp4', attributes: [{ ...video, roundMessage: true }] },
      'video.mp4',
      'video/mp4',
    ],
  ])('%s is named in the message, and fetched after it', async (_, told, fileName, contentType) => {
    const account = await listening();
    const bytes = randomBytes(2 * mb + 12_345);
    const message = await received(account, account.files.add({ ...told, bytes }), 'Here it is');
    expect(message).toMatchObject({
      body: 'Here it is',
      direction: 'inbound',
      attachments: [{ id: 1, fileName, contentType, sizeBytes: bytes.length }],
    });
    const file = await settled(message.id);
    expect(file).toMatchObject({ fileName, contentType, sizeBytes: bytes.length, status: 'stored' });
    expect(sha256(await bytesOf(file))).toBe(sha256(bytes));
    expect(account.seen.maxLive).toBe(1);
  });

  test('has words where it has no file', async () => {
    const account = await listening();
    const sticker = account.files.add({
      bytes: randomBytes(10),
      attributes: [{ _: 'documentAttributeSticker', alt: '🐸', stickerset: { _: 'inputStickerSetEmpty' } }],
    });
    expect(await received(account, sticker)).toMatchObject({ body: '🐸', attachments: [] });
    // What was to be seen once is gone.
    expect(await received(account, { _: 'messageMediaPhoto', ttlSeconds: 1 })).toMatchObject({
      body: '[photo]',
      attachments: [],
    });
    expect(await received(account, { _: 'messageMediaDocument', ttlSeconds: 1 })).toMatchObject({ body: '[document]' });
    const contact = { phoneNumber: '+4912345', firstName: 'Bob', lastName: 'Burg', vcard: '', userId: 0 };
    expect(await received(account, { _: 'messageMediaContact', ...contact })).toMatchObject({
      body: 'Bob Burg, +4912345',
    });
  });

  test('is stored as outbound where the person has sent it in their own app', async () => {
    const account = await listening();
    const bytes = randomBytes(1000);
    const message = await received(account, account.files.add({ bytes }), '', { out: true });
    expect(message).toMatchObject({ direction: 'outbound', jobId: null, body: '', attachments: [{ sizeBytes: 1000 }] });
    expect(sha256(await bytesOf(await settled(message.id)))).toBe(sha256(bytes));
  });

  test('is not fetched when it is larger than 100 MB', async () => {
    const account = await listening();
    const message = await received(account, account.files.add({ sizeBytes: 100 * mb + 1 }));
    expect(await settled(message.id)).toMatchObject({ status: 'too_large', url: null });
    expect(account.calls['upload.getFile']).toBeUndefined();
  });

  test('is expired when its message is gone before it is fetched', async () => {
    const account = await listening();
    const ann = somebody();
    account.box.forget(account.box.write(ann, 'Gone', { media: account.files.add({ bytes: randomBytes(10) }) }));
    await looked(account);
    const [message] = await conversation(account, ann);
    expect(await settled(message.id)).toMatchObject({ status: 'expired', url: null });
  });

  test.each([
    ['says so', 5],
    ['says it only when asked', 2],
  ])('is fetched from another data centre, which %s', async (_, saidDcId) => {
    const account = await listening();
    const other = await newCentre({ id: 5, serverKey: serverKey(), files: account.files });
    account.neighbours.push({ id: 5, port: other.port });
    const bytes = randomBytes(mb + 1);
    const media = account.files.add({ bytes, dcId: 5 });
    (media['document'] as { dcId: number }).dcId = saidDcId;
    const { id } = await received(account, media);
    expect(sha256(await bytesOf(await settled(id)))).toBe(sha256(bytes));
    expect(other.calls).toMatchObject({ 'auth.importAuthorization': 1 });
    expect([account.seen.maxLive, other.seen.maxLive]).toEqual([1, 1]);
  });

  test('is fetched with a new reference when that of the message expires', async () => {
    const account = await listening();
    const bytes = randomBytes(5 * mb);
    account.files.endsAfterParts = 2;
    const { id } = await received(account, account.files.add({ bytes }));
    const before = account.calls['messages.getMessages'] ?? 0;
    expect(sha256(await bytesOf(await settled(id)))).toBe(sha256(bytes));
    expect(account.calls).toMatchObject({ 'upload.getFile': 6 });
    expect((account.calls['messages.getMessages'] ?? 0) + before).toBeGreaterThan(1);
  });

  test('is fetched after the seconds that Telegram wants it to wait', async () => {
    const account = await listening();
    const bytes = randomBytes(mb);
    account.refuse('upload.getFile', 420, 'FLOOD_PREMIUM_WAIT_1');
    const { id } = await received(account, account.files.add({ bytes }));
    await eventually(async () => (account.calls['upload.getFile'] ?? 0) > 1, 'another try');
    account.refuse('upload.getFile');
    expect(sha256(await bytesOf(await settled(id)))).toBe(sha256(bytes));
    expect((await live.get(`/v1/messages/${id}/attachments/1`)).body.status).toBe('stored');
  });

  /** The account is told of a file without looking for itself. */
  async function told(account: Listening, bytes: Buffer) {
    const ann = somebody();
    account.box.write(ann, '', { media: account.files.add({ bytes }) });
    const { newMessages } = account.box.differenceSince(account.box.pts - 1) as unknown as { newMessages: never[] };
    const news = { messages: newMessages, updates: [], users: [personOf(ann)] as never[] };
    const state = { pts: 0, qts: 0, date: 0 };
    await receiveDifference(tenant, account.id, { kind: 'told', ...news, state, isMore: false });
    const [{ id }] = await conversation(account, ann);
    return id as number;
  }

  const waiting = (id: number) =>
    eventually(async () => {
      const transfer = await inTenant((tx) => tx.find(Transfers, { id }));
      return transfer?.isWaiting && transfer;
    }, 'the file to wait');

  test('waits for another user of the account without an attempt', async () => {
    const account = await listening();
    const bytes = randomBytes(1000);
    const place = { tenant, channel: 'telegram', accountId: account.id } as const;
    const lease = await eventually(() => acquire(place, 60_000), 'the account to be free');
    const id = await told(account, bytes);
    expect(await waiting(id)).toMatchObject({ tries: 0 });
    expect(account.calls['upload.getFile']).toBeUndefined();
    const { dueAt } = await inTenant(async (tx) =>
      tx.update(Transfers, { ...(await tx.get(Transfers, { id })), dueAt: shifted(tx.now, secondMs) }),
    );
    // A timer that rings early: with the same time there would be no other.
    await storeAttachments(tenant, id);
    expect((await waiting(id)).dueAt > dueAt).toBe(true);
    await release(lease);
    expect(sha256(await bytesOf(await settled(id)))).toBe(sha256(bytes));
  });

  test('waits for a sender that the account is kept for, and no longer when it does not come', async () => {
    const account = await listening();
    const bytes = randomBytes(1000);
    const place = { tenant, channel: 'telegram', accountId: account.id } as const;
    await release(await eventually(() => acquire(place, 60_000), 'the account to be free'), null);
    await inTenant(async (tx) => {
      const sender = await tx.get(Senders, { id: account.id });
      tx.update(Senders, { ...sender, sendersUntilMs: now() + 4_000 });
    });
    const id = await told(account, bytes);
    expect(await waiting(id)).toMatchObject({ tries: 0 });
    expect(account.calls['upload.getFile']).toBeUndefined();
    expect(sha256(await bytesOf(await settled(id)))).toBe(sha256(bytes));
  });
});

const picture = (name: string): NewFile => ({ fileName: name, contentType: 'image/png', bytes: randomBytes(1000) });
const paper = (name: string): NewFile => ({ fileName: name, contentType: 'application/pdf', bytes: randomBytes(1000) });

async function send(account: { id: number }, files: NewFile[], more: object = {}) {
  const attachments: number[] = [];
  for (const file of files) attachments.push(await uploaded(live, file));
  const { status, body } = await live.post('/v1/telegram/messages', {
    ...{ accountId: account.id, username: person.username, attachments },
    ...more,
  });
  expect(status).toBe(202);
  return body.id as number;
}

const jobOf = async (id: number) => (await live.get(`/v1/jobs/${id}`)).body;
const ended = (id: number) =>
  eventually(async () => {
    const job = await jobOf(id);
    return job.status !== 'queued' && job;
  }, `job ${id} to end`);
const failedOnce = (id: number) => eventually(async () => (await jobOf(id)).lastError ?? false, 'the attempt to fail');

/** Moves the next attempt of a waiting job to now. */
const again = (id: number) =>
  inTenant(async (tx) => {
    const job = await tx.get(Jobs, { id });
    tx.update(Jobs, { ...job, runAt: tx.now, queuedFor: tx.now, lastError: null });
  });

const arrived = ({ stored }: Listening) => stored().map(({ file, text }) => [file?.kind, file?.fileName, text]);

describe('the account of a person sends', () => {
  test.each([
    ['a picture as a photo', picture('a.png'), 'photo'],
    ['another file as a document', paper('a.pdf'), 'document'],
    ['a large picture as a document', { ...picture('b.png'), bytes: randomBytes(10 * mb + 1) }, 'document'],
  ])('%s, with the bytes of its caller', async (_, file, kind) => {
    const account = await listening();
    expect(await ended(await send(account, [file], { text: 'Look' }))).toMatchObject({ status: 'sent', attempts: 1 });
    const { bytes = Buffer.alloc(0), fileName } = file;
    expect(account.stored()).toMatchObject([
      { userId: person.userId, text: 'Look', file: { kind, fileName, sha256: sha256(bytes), sizeBytes: bytes.length } },
    ]);
    expect(account.seen.maxLive).toBe(1);
  });

  test.each([
    ['pictures', [picture('1.png'), picture('2.png'), picture('3.png')]],
    ['documents', [paper('1.pdf'), paper('2.pdf')]],
  ])('several %s as one album in their order, which its person does not find again', async (_, files) => {
    const account = await listening();
    account.box.know(personOf(person.userId, { username: person.username }));
    account.box.write(person.userId, 'Hello');
    await looked(account);
    const id = await send(account, files, { text: 'All' });
    expect(await ended(id)).toMatchObject({ status: 'sent' });
    expect(arrived(account).map(([, name, text]) => [name, text])).toEqual(
      files.map(({ fileName }, index) => [fileName, index === 0 ? 'All' : '']),
    );
    expect(new Set(account.stored().map(({ album }) => album)).size).toBe(1);
    await looked(account);
    const messages = (await conversation(account, person.userId)).filter(
      ({ accountId }: { accountId: number }) => accountId === account.id,
    );
    expect(messages.slice(1)).toMatchObject([{ jobId: id, body: 'All' }]);
    account.box.readByThem(person.userId, 200);
    await looked(account);
    const [, own] = await conversation(account, person.userId);
    expect(own.readAt).not.toBeNull();
  });

  test('pictures and documents one after the other, and never again what has arrived', async () => {
    const account = await listening();
    account.treat({ pass: true }, { code: 500, error: 'INTERNAL' });
    const id = await send(account, [picture('1.png'), paper('2.pdf'), picture('3.png')], { text: 'Three' });
    await failedOnce(id);
    expect(arrived(account)).toEqual([['photo', '1.png', 'Three']]);
    await again(id);
    expect(await ended(id)).toMatchObject({ status: 'sent', attempts: 2 });
    expect(arrived(account)).toEqual([
      ['photo', '1.png', 'Three'],
      ['document', '2.pdf', ''],
      ['photo', '3.png', ''],
    ]);
    expect(account.calls['messages.uploadMedia']).toBe(3);
  });

  test.each(['before', 'after'] as const)(
    'an album once when the connection breaks %s it is stored, whoever is told of it first',
    async (drop) => {
      const account = await listening();
      account.box.know(personOf(person.userId, { username: person.username }));
      account.box.write(person.userId, 'Hello');
      await looked(account);
      account.treat({ drop });
      const id = await send(account, [paper('1.pdf'), paper('2.pdf')]);
      await unanswered(() => failedOnce(id));
      await looked(account);
      await again(id);
      expect(await ended(id)).toMatchObject({ status: 'sent' });
      await looked(account);
      expect(arrived(account)).toEqual([
        ['document', '1.pdf', ''],
        ['document', '2.pdf', ''],
      ]);
      const messages = await conversation(account, person.userId);
      expect(messages.map(({ jobId }: { jobId: number }) => jobId)).toEqual([null, id]);
      expect(account.calls['messages.uploadMedia']).toBe(2);
    },
  );

  test('a file anew when what Telegram has of it has ended', async () => {
    const account = await listening();
    account.treat({ drop: 'before' });
    const id = await send(account, [paper('1.pdf')]);
    await unanswered(() => failedOnce(id));
    account.files.expire();
    await again(id);
    expect(await failedOnce(id)).toContain('FILE_REFERENCE_EXPIRED');
    await again(id);
    expect(await ended(id)).toMatchObject({ status: 'sent' });
    expect(arrived(account)).toEqual([['document', '1.pdf', '']]);
    expect(account.calls['messages.uploadMedia']).toBe(2);
  });

  test('at most 1024 characters besides', async () => {
    const account = await listening();
    const body = { accountId: account.id, username: person.username, attachments: [await uploaded(live)] };
    expect(await live.post('/v1/telegram/messages', { ...body, text: 'x'.repeat(1025) })).toMatchObject({
      status: 400,
      body: { details: { fields: [{ field: 'text', code: 'too_long' }] } },
    });
    const { body: job } = await live.post('/v1/telegram/messages', { ...body, text: 'x'.repeat(1024) });
    expect(await ended(job.id)).toMatchObject({ status: 'sent' });
  });

  test('receives and fetches over one connection at a time', async () => {
    const account = await listening();
    const people = [somebody(), somebody(), somebody()];
    const jobs: number[] = [];
    for (const ann of people) {
      account.box.write(ann, '', { media: account.files.add({ bytes: randomBytes(mb) }) });
      jobs.push(await send(account, [paper(`${ann}.pdf`)]));
      await hurry(account);
    }
    for (const job of jobs) expect(await ended(job)).toMatchObject({ status: 'sent' });
    await looked(account);
    for (const ann of people) {
      const [{ id }] = await conversation(account, ann);
      expect(await settled(id, 60_000)).toMatchObject({ status: 'stored' });
    }
    expect(account.seen.maxLive).toBe(1);
  });
});

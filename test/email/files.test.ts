import { createHash, randomBytes } from 'node:crypto';
import PostalMime from 'postal-mime';
import { beforeAll, expect, test } from 'vitest';
import { type Client, eventually } from '#test/client.ts';
import { sentWith } from '#test/email/outbox.ts';
import { receiveIn } from '#test/email/raw.ts';
import { uploaded } from '#test/files/upload.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let live: Client;
beforeAll(async () => {
  workspace = await newWorkspace();
  live = workspace.live;
});

const sha256 = (bytes: Uint8Array | ArrayBuffer | string) =>
  createHash('sha256')
    .update(typeof bytes === 'string' ? bytes : new Uint8Array(bytes))
    .digest('hex');

/** The mail with this subject, once it has left. */
async function sent(subject: string) {
  const [mail] = await eventually(
    async () => {
      const mails = await sentWith(subject);
      return mails.length > 0 && mails;
    },
    'the mail',
    30_000,
  );
  return PostalMime.parse(mail as string);
}

test('a mail takes its files along, their bytes and names as they are, and its message shows them', async () => {
  const files = [
    { fileName: 'Übersicht 1.png', contentType: 'image/png', bytes: randomBytes(200_000) },
    { fileName: 'page.html', contentType: 'text/html', bytes: Buffer.from('<script>x()</script>') },
    // Of these a mail would take the bytes for parts of its own.
    { fileName: 'old.eml', contentType: 'message/rfc822', bytes: Buffer.from('x'.repeat(3000)) },
    { fileName: 'parts', contentType: 'multipart/mixed; boundary=x', bytes: randomBytes(300) },
  ];
  const attachments = [];
  for (const file of files) attachments.push(await uploaded(live, file));
  const subject = `Files ${randomBytes(6).toString('hex')}`;
  const mail = { to: ['nora@example.com'], subject, bodyText: 'Here they are.', attachments };
  const { status, body } = await live.post('/v1/email/messages', mail);
  expect(status).toBe(202);
  const { attachments: arrived, text } = await sent(subject);
  expect(text?.trim()).toBe('Here they are.');
  expect(
    arrived.map(({ filename, mimeType, content }) => [filename, mimeType, sha256(content as ArrayBuffer)]),
  ).toEqual(
    files.map(({ fileName, contentType, bytes }) => [
      fileName,
      /^(image|text)/.test(contentType) ? contentType : 'application/octet-stream',
      sha256(bytes),
    ]),
  );
  const path = `/v1/email/threads/${body.threadId}/messages`;
  const [message] = (await live.get(path)).body.items;
  expect(message.attachments).toMatchObject([
    { id: 1, status: 'stored' },
    { id: 2, status: 'stored' },
    { id: 3, status: 'stored', contentType: 'message/rfc822' },
    { id: 4, status: 'stored' },
  ]);
  await eventually(async () => {
    const { url } = (await live.get(`${path}/${message.id}/attachments/2`)).body;
    return new URL(url).pathname.includes('/messages/');
  }, 'the files to be where they stay');
  const { url } = (await live.get(`${path}/${message.id}/attachments/2`)).body;
  const kept = await fetch(url);
  expect(kept.headers.get('content-type')).toBe('application/octet-stream');
  expect(sha256(await kept.arrayBuffer())).toBe(sha256(files[1]?.bytes as Buffer));
  expect((await live.post('/v1/email/messages', mail)).body.details).toEqual({
    fields: [expect.objectContaining({ field: 'attachments[0]', code: 'not_allowed' })],
  });
});

test('so does a reply', async () => {
  const subject = `Question ${randomBytes(6).toString('hex')}`;
  const { threadId } = await receiveIn(workspace)({ subject });
  const bytes = randomBytes(1000);
  const attachments = [await uploaded(live, { fileName: 'answer.pdf', bytes })];
  const { status } = await live.post(`/v1/email/threads/${threadId}/replies`, { bodyText: 'See there.', attachments });
  expect(status).toBe(202);
  const { attachments: arrived } = await sent(`Re: ${subject}`);
  expect(arrived.map(({ filename, content }) => [filename, sha256(content as ArrayBuffer)])).toEqual([
    ['answer.pdf', sha256(bytes)],
  ]);
});

test('files of a mail have 25 MB in all', async () => {
  const bytes = Buffer.alloc(13 * 1024 * 1024, 'x');
  const attachments = [await uploaded(live, { bytes }), await uploaded(live, { bytes })];
  const mail = { to: ['nora@example.com'], subject: 'Much', bodyText: 'x' };
  expect(await live.post('/v1/email/messages', { ...mail, attachments })).toMatchObject({
    status: 400,
    body: { details: { fields: [{ field: 'attachments', code: 'out_of_range' }] } },
  });
  // What was refused is free for another.
  await live.post('/v1/email/messages', { ...mail, attachments: attachments.slice(1) }, 202);
});

import { randomBytes } from 'node:crypto';
import Long from 'long';
import { openBotApi } from '#lib/channels/telegram/bot-api.ts';
import { callOf } from '#lib/channels/telegram/bot-form.ts';
import { readSession } from '#lib/channels/telegram/connection.ts';
import { connectUser } from '#lib/channels/telegram/user-connection.ts';
import { composeMail } from '#lib/email/send.ts';
import { readFile } from '#lib/files/bucket.ts';
import { storeStream } from '#lib/files/spool.ts';
import { multipart } from '#lib/network/form.ts';

/**
 * What a worker does with a file of so many bytes, in a process of its own; says how much memory that took at most. `account` is the
 * token of a bot or the session of a person, whose message with this id has the file.
 */
const [, , kind = '', size = '0', account = '', messageId = '0'] = process.argv;
const sizeBytes = Number(size);
const key = `messages/1/live/memory-${kind}/${sizeBytes}`;

async function* chunks() {
  const chunk = randomBytes(64 * 1024);
  for (let left = sizeBytes; left > 0; left -= chunk.length) yield chunk.subarray(0, Math.min(left, chunk.length));
}

const attachment = {
  id: 1,
  fileName: 'large',
  contentType: 'application/pdf',
  sizeBytes,
  status: 'stored',
  key,
} as const;

const session = readSession(account);
const connection = session && (await connectUser(session, { apiId: 1, apiHash: 'test' }));
const file = await connection?.fileOf(Number(messageId));
const source = connection && file ? connection.download(file, async () => file, Number.POSITIVE_INFINITY) : chunks();

const stored = await storeStream(key, source, sizeBytes);
if (stored !== sizeBytes) throw new Error(`${stored} bytes were stored`);
if (kind === 'user sends') {
  const bytes = await readFile(key);
  await connection?.upload({ userId: 1, accessHash: Long.ONE }, { kind: 'document', ...attachment, bytes }, 120_000);
}
await connection?.close();
if (kind === 'bot') {
  const bot = openBotApi(account);
  const { method, form } = callOf({ kind: 'document', files: [attachment] });
  const { answer, unread } = await bot.upload(method, form(1, { caption: '' }), 60_000);
  await bot.close();
  if (unread || answer.kind !== 'result') throw unread ?? new Error(`Telegram answered ${JSON.stringify(answer)}`);
}
if (kind === 'form') {
  const files = [{ field: 'f', ...attachment, open: () => readFile(key) }];
  for await (const _ of multipart({}, files).body());
}
if (kind === 'mail') {
  const mail = {
    jobId: 1,
    isAutomatic: false,
    unsubscribeUrl: undefined,
    senderName: null,
    to: [],
    cc: [],
    bcc: [],
    subject: '',
    inReplyTo: null,
    references: [],
  };
  const body = { bodyText: 'x', bodyHtml: null };
  await composeMail({ workspaceId: 1, env: 'live' }, { ...mail, body, attachments: [attachment] });
}
process.stdout.write(String(process.resourceUsage().maxRSS * 1024));

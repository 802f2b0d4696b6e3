import { randomBytes } from 'node:crypto';
import { openBotApi } from '#lib/channels/telegram/bot-api.ts';
import { fileCalls } from '#lib/channels/telegram/bot-form.ts';
import { composed } from '#lib/email/send.ts';
import { readFile } from '#lib/files/bucket.ts';
import { storeStream } from '#lib/files/spool.ts';
import { multipart } from '#lib/network/form.ts';

/** What a worker does with a file of so many bytes, in a process of its own; says how much memory that took at most. */
const [, , kind = '', size = '0', url = ''] = process.argv;
const sizeBytes = Number(size);
const key = `messages/memory/${kind}/${sizeBytes}`;

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

const stored = await storeStream(key, chunks(), sizeBytes);
if (stored !== sizeBytes) throw new Error(`${stored} bytes were stored`);
if (kind === 'bot') {
  const bot = openBotApi(url);
  const [call] = fileCalls([attachment]);
  const { answer, unread } = await bot.upload('sendDocument', (call as NonNullable<typeof call>).form(1, ''), 60_000);
  await bot.close();
  if (unread || answer.kind !== 'result') throw unread ?? new Error(`Telegram answered ${JSON.stringify(answer)}`);
}
if (kind === 'form') {
  const files = [{ field: 'f', ...attachment, open: () => readFile(key) }];
  for await (const _ of multipart({}, files).body());
}
if (kind === 'mail') {
  const mail = { jobId: 1, senderName: null, to: [], cc: [], bcc: [], subject: '', inReplyTo: null, references: [] };
  const body = { bodyText: 'x', bodyHtml: null };
  await composed({ workspaceId: 1, env: 'live' }, { ...mail, body, attachments: [attachment] });
}
process.stdout.write(String(process.resourceUsage().maxRSS * 1024));

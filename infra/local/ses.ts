import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Guarded } from './guard.ts';
import { AwsError, jsonBody, listen, restJson } from './wire.ts';

export interface LocalSes {
  url: string;
  close(): Promise<void>;
}

interface SendEmailRequest {
  Content?: { Raw?: { Data?: string } };
}

const maxMailBytes = 41_943_040;

/** Starts SES v2: every mail sent becomes one `.eml` file in `mailboxDir`. */
export async function startSes({ mailboxDir, ...address }: Guarded & { mailboxDir: string }): Promise<LocalSes> {
  await mkdir(mailboxDir, { recursive: true });
  const server = await listen(address, restJson('message'), async (request) => {
    if (request.method !== 'POST' || request.path !== '/v2/email/outbound-emails') {
      throw new AwsError('NotFoundException', 'The local SES has only SendEmail.', { status: 404 });
    }
    return { MessageId: await store(rawMail(jsonBody(request)), mailboxDir) };
  });
  return { url: server.url, close: server.close };
}

function rawMail({ Content }: SendEmailRequest): Buffer {
  if (Content?.Raw?.Data === undefined) throw badRequest('The local SES takes raw content only.');
  const mail = Buffer.from(Content.Raw.Data, 'base64');
  if (mail.length > maxMailBytes) throw badRequest(`The message is longer than ${maxMailBytes} bytes.`);
  if (!/^from:/im.test(headOf(mail))) throw badRequest("Missing required header 'From'.");
  return mail;
}

async function store(mail: Buffer, mailboxDir: string): Promise<string> {
  const messageId = randomUUID();
  const acceptedAt = new Date();
  const path = join(mailboxDir, `${acceptedAt.toISOString().replace(/[-:]/g, '')}-${messageId}.eml`);
  const head = headOf(mail);
  const stamped = Buffer.concat([
    Buffer.from(`Message-ID: <${messageId}@email.amazonses.com>\r\nDate: ${acceptedAt.toUTCString()}\r\n`),
    Buffer.from(withoutStamps(head), 'latin1'),
    mail.subarray(head.length),
  ]);
  // Whoever watches the directory for .eml files sees whole mails only.
  await writeFile(`${path}.part`, stamped);
  await rename(`${path}.part`, path);
  return messageId;
}

/** The header lines, byte for byte. */
function headOf(mail: Buffer): string {
  const text = mail.toString('latin1');
  const end = /\r?\n\r?\n/.exec(text);
  return end ? text.slice(0, end.index) : text;
}

/** SES puts a Message-ID and Date of its own in place of the sender's. */
const withoutStamps = (head: string) =>
  `${head}\r\n`.replace(/^(?:message-id|date):.*\r?\n(?:[ \t].*\r?\n)*/gim, '').replace(/\r?\n$/, '');

const badRequest = (message: string) => new AwsError('BadRequestException', message);

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SESv2Client, SendEmailCommand, type SendEmailCommandInput } from '@aws-sdk/client-sesv2';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LocalSes, type MailEvent, startSes } from '#infra/local/ses.ts';

let mailboxDir: string;
let local: LocalSes;
let ses: SESv2Client;
const published: MailEvent[] = [];

beforeAll(async () => {
  mailboxDir = await mkdtemp(join(tmpdir(), 'ses-'));
  local = await startSes({
    host: '127.0.0.1',
    port: 0,
    accessKeyId: 'any',
    accountId: '123456789012',
    region: 'eu-central-1',
    mailboxDir,
    publish: (event) => published.push(event),
  });
  ses = new SESv2Client({
    region: 'eu-central-1',
    endpoint: local.url,
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
  });
});

afterAll(async () => {
  ses.destroy();
  await local.close();
  await rm(mailboxDir, { recursive: true });
});

const send = (Content: SendEmailCommandInput['Content']) => ses.send(new SendEmailCommand({ Content }));
const sendRaw = (raw: string) => send({ Raw: { Data: Buffer.from(raw) } });

const body = 'Grüße ✓\r\n\r\nDate: not a header\r\n.\r\n';

async function stored(messageId: string | undefined) {
  const name = (await readdir(mailboxDir)).find((file) => file.endsWith(`-${messageId}.eml`)) ?? '';
  return { name, text: await readFile(join(mailboxDir, name), 'utf8') };
}

test('a raw mail becomes a file named by time and id, its body untouched', async () => {
  const { MessageId } = await sendRaw(
    `From: a@example.com\r\nTo: b@example.com\r\nSubject: Hi\r\nIn-Reply-To: <x@y>\r\n\r\n${body}`,
  );
  const { name, text } = await stored(MessageId);
  expect(name).toMatch(/^\d{8}T\d{6}\.\d{3}Z-/);
  expect(text).toContain('\r\nFrom: a@example.com\r\nTo: b@example.com\r\nSubject: Hi\r\nIn-Reply-To: <x@y>\r\n\r\n');
  expect(text.endsWith(body)).toBe(true);
});

test('as in SES, the sender’s Message-ID and Date are replaced', async () => {
  const { MessageId } = await sendRaw(
    `Message-ID:\r\n <mine@example.com>\r\nFrom: a@example.com\r\nDate: Thu, 1 Jan 1970 00:00:00 +0000\r\n\r\n${body}`,
  );
  const { text } = await stored(MessageId);
  const head = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n');
  expect(head).toEqual([
    `Message-ID: <${MessageId}@email.amazonses.com>`,
    expect.stringMatching(/^Date: \w{3}, \d\d \w{3} 20\d\d/),
    'From: a@example.com',
  ]);
  expect(text.endsWith(`\r\n\r\n${body}`)).toBe(true);
});

test('simple content and a mail without a sender are refused, saying why', async () => {
  const simple = send({ Simple: { Subject: { Data: 's' }, Body: { Text: { Data: 't' } } } });
  await expect(simple).rejects.toMatchObject({ name: 'BadRequestException', message: expect.stringContaining('raw') });
  await expect(sendRaw(`To: b@example.com\r\n\r\nFrom: body@example.com`)).rejects.toMatchObject({
    name: 'BadRequestException',
    message: expect.stringContaining("'From'"),
  });
});

test('mail to the simulator bounces, and only events of its configuration set are published', async () => {
  local.configure([{ name: 'sent', eventTypes: ['bounce'] }]);
  const sendTo = (ConfigurationSetName: string | undefined, ...ToAddresses: string[]) =>
    ses.send(
      new SendEmailCommand({
        Destination: { ToAddresses: ToAddresses.slice(0, 1), BccAddresses: ToAddresses.slice(1) },
        Content: { Raw: { Data: Buffer.from('From: a@example.com\r\n\r\nHi') } },
        ConfigurationSetName,
        EmailTags: [{ Name: 'job', Value: '7' }],
      }),
    );
  await sendTo(undefined, 'bounce@simulator.amazonses.com');
  await sendTo('sent', 'success@simulator.amazonses.com', 'complaint@simulator.amazonses.com', 'bounce@example.com');
  expect(published).toEqual([]);
  const { MessageId } = await sendTo('sent', 'b@example.com', 'bounce+1@simulator.amazonses.com');
  expect(published).toEqual([
    {
      'detail-type': 'Email Bounced',
      detail: {
        eventType: 'Bounce',
        bounce: expect.objectContaining({
          bounceType: 'Permanent',
          bouncedRecipients: [expect.objectContaining({ emailAddress: 'bounce+1@simulator.amazonses.com' })],
        }),
        mail: {
          messageId: MessageId,
          destination: ['b@example.com', 'bounce+1@simulator.amazonses.com'],
          tags: { job: ['7'], 'ses:configuration-set': ['sent'] },
        },
      },
    },
  ]);
  await expect(sendTo('other', 'a@example.com')).rejects.toMatchObject({ name: 'NotFoundException' });
});

import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { now } from '#lib/core/clock.ts';
import { AwsError } from './aws-error.ts';
import type { Guarded } from './guard.ts';
import type { Home } from './template/identities.ts';
import { jsonBody, listen, restJson } from './wire.ts';

/** An event as SES gives it to EventBridge, but for what the bus itself adds. */
export interface MailEvent {
  'detail-type': string;
  detail: Record<string, unknown>;
}

interface MailConfiguration {
  name: string;
  eventTypes: readonly string[];
}

export interface LocalSes {
  url: string;
  /** The configuration sets that mail may be sent with. */
  configure(configurations: readonly MailConfiguration[]): void;
  close(): Promise<void>;
}

interface SendEmailRequest {
  Content?: { Raw?: { Data?: string } };
  Destination?: Record<string, string[] | undefined>;
  ConfigurationSetName?: string;
  EmailTags?: { Name: string; Value: string }[];
}

const maxMailBytes = 41_943_040;

type Settings = Guarded & Home & { mailboxDir: string; publish(event: MailEvent): void };

/**
 * Starts SES v2: every mail sent becomes one `.eml` file in `mailboxDir`. As in AWS, what is sent to its mailbox simulator bounces or is
 * complained of, and is published where the configuration set of the mail says so.
 */
export async function startSes({ mailboxDir, publish, accountId, region, ...address }: Settings): Promise<LocalSes> {
  const arnPrefix = `arn:aws:ses:${region}:${accountId}`;
  await mkdir(mailboxDir, { recursive: true });
  let configurations: readonly MailConfiguration[] = [];
  const server = await listen(address, restJson('message'), async (request) => {
    if (request.method !== 'POST' || request.path !== '/v2/email/outbound-emails') {
      throw new AwsError('NotFoundException', 'The local SES has only SendEmail.', { status: 404 });
    }
    const asked: SendEmailRequest = jsonBody(request);
    const { ConfigurationSetName: name } = asked;
    const mail = rawMail(asked);
    // Raw mail also needs the permission of the older call for it.
    for (const resource of [
      `identity/${senderDomain(mail)}`,
      ...(name === undefined ? [] : [`configuration-set/${name}`]),
    ])
      request.note('ses:SendRawEmail', `${arnPrefix}:${resource}`);
    const configuration = configurations.find((one) => one.name === name);
    if (name !== undefined && !configuration)
      throw new AwsError('NotFoundException', `Configuration set <${name}> does not exist.`, { status: 404 });
    const messageId = await store(mail, mailboxDir);
    for (const event of simulated(asked, messageId)) {
      if (configuration?.eventTypes.includes(String(event.detail['eventType']).toLowerCase())) publish(event);
    }
    return { MessageId: messageId };
  });
  return {
    url: server.url,
    configure: (given) => {
      configurations = given;
    },
    close: server.close,
  };
}

/** Events for mail to the mailbox simulator, by mailbox (developer guide, "Using the mailbox simulator"). */
const simulator = new Map<string, (address: string) => MailEvent>([
  ['bounce', (address) => bounceOf(address, 'General', 'smtp; 550 5.1.1 user unknown')],
  ['suppressionlist', (address) => bounceOf(address, 'Suppressed')],
  [
    'complaint',
    (address) => ({
      'detail-type': 'Email Complaint Received',
      detail: {
        eventType: 'Complaint',
        complaint: { complainedRecipients: [{ emailAddress: address }], complaintFeedbackType: 'abuse' },
      },
    }),
  ],
]);

const bounceOf = (emailAddress: string, bounceSubType: string, diagnosticCode?: string): MailEvent => ({
  'detail-type': 'Email Bounced',
  detail: {
    eventType: 'Bounce',
    bounce: {
      bounceType: 'Permanent',
      bounceSubType,
      bouncedRecipients: [{ emailAddress, action: 'failed', status: '5.1.1', diagnosticCode }],
    },
  },
});

function simulated(
  { Destination = {}, ConfigurationSetName, EmailTags = [] }: SendEmailRequest,
  messageId: string,
): MailEvent[] {
  const destination = Object.values(Destination).flatMap((addresses) => addresses ?? []);
  const tags = Object.fromEntries(EmailTags.map(({ Name, Value }) => [Name, [Value]]));
  const mail = { messageId, destination, tags: { ...tags, 'ses:configuration-set': [ConfigurationSetName] } };
  return destination.flatMap((address) => {
    const [, mailbox = ''] = /^(\w+)(?:\+[^@]*)?@simulator\.amazonses\.com$/i.exec(address) ?? [];
    const event = simulator.get(mailbox.toLowerCase())?.(address);
    return event ? [{ ...event, detail: { ...event.detail, mail } }] : [];
  });
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
  const acceptedAt = new Date(now());
  const path = join(mailboxDir, `${acceptedAt.toISOString().replace(/[-:]/g, '')}-${messageId}.eml`);
  const head = headOf(mail);
  const stamped = Buffer.concat([
    Buffer.from(`Message-ID: <${messageId}@email.amazonses.com>\r\nDate: ${acceptedAt.toUTCString()}\r\n`),
    Buffer.from(withoutStamps(head), 'latin1'),
    mail.subarray(head.length),
  ]);
  // Watchers of the directory see only whole .eml files.
  await writeFile(`${path}.part`, stamped);
  await rename(`${path}.part`, path);
  return messageId;
}

/** The identity that a mail is sent as: of a verified domain, which any of its addresses may be. */
function senderDomain(mail: Buffer): string {
  const headers = headOf(mail).split(/\r?\n(?![ \t])/);
  const [, domain = ''] = (headers.find((header) => /^from:/i.test(header)) ?? '').split('@');
  return (/^[\w.-]+/.exec(domain)?.[0] ?? '').toLowerCase();
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

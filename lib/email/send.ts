import { createHash } from 'node:crypto';
import MailComposer from 'nodemailer/lib/mail-composer';
import { encodeWord } from 'nodemailer/lib/mime-funcs';
import { missing } from '#lib/aws/aws.ts';
import { env } from '#lib/core/env.ts';
import { withAsciiDomain } from '#lib/core/mail-address.ts';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';
import type { Mailbox } from '#lib/entities/email-thread.ts';
import type { StoredAttachment } from '#lib/entities/message.ts';
import { readFile } from '#lib/files/bucket.ts';
import { ownKey } from '#lib/files/keys.ts';
import { ownAddress } from './address.ts';
import type { Body } from './body.ts';
import { requireSender } from './sender.ts';
import { handOver } from './ses.ts';

/** A mail of a thread. */
export interface OutgoingMail {
  jobId: number;
  /** Nobody wrote it to its recipient alone. */
  isAutomatic: boolean;
  /** Where its recipient unsubscribes. */
  unsubscribeUrl: string | undefined;
  senderName: string | null;
  to: readonly Mailbox[];
  cc: readonly Mailbox[];
  bcc: readonly Mailbox[];
  subject: string;
  /** Message-IDs without angle brackets; the references are oldest first. */
  inReplyTo: string | null;
  references: readonly string[];
  body: Pick<Body, 'bodyText' | 'bodyHtml'>;
  attachments: readonly StoredAttachment[];
}

/** Hands a mail with its content to SES. Returns the Message-ID that it leaves with. Throws what SES says. */
export async function sendMail(tenant: Tenant, mail: OutgoingMail, content: Buffer): Promise<string> {
  const to = {
    ToAddresses: mail.to.map(envelopeAddress),
    CcAddresses: mail.cc.map(envelopeAddress),
    BccAddresses: mail.bcc.map(envelopeAddress),
  };
  const tags = { workspace: String(tenant.workspaceId), environment: tenant.env, job: String(mail.jobId) };
  return sentAs(await handOver(to, content, tags));
}

/** The Message-ID of a mail by what SES calls it. */
export const sentAs = (sesId: string): string => asSent(`${sesId}@amazonses.com`);

/** A Message-ID of ours as SES writes it: with a domain that names the region. Others stay as they are. */
function asSent(messageId: string): string {
  const region = env('AWS_REGION');
  const subdomain = region === 'us-east-1' ? 'email' : region;
  return messageId.replace(/@amazonses\.com$/, `@${subdomain}.amazonses.com`);
}

/** The mail as it leaves. Raises 409 where the deployment has no sender address; throws what is missing of its attachments (lib/aws/aws.ts). */
export async function composeMail(tenant: Tenant, mail: OutgoingMail): Promise<Buffer> {
  requireSender();
  const { senderName, to, cc, subject, inReplyTo, references, body, unsubscribeUrl } = mail;
  const attachments = [];
  for (const { fileName: filename, contentType, key } of mail.attachments) {
    const own = ownKey(tenant, key);
    if (own === null) throw missing();
    attachments.push({ filename, contentType: partType(contentType), content: await readFile(own) });
  }
  const sender = env('MAIL_FROM') as string;
  const domain = env('MAIL_DOMAIN');
  const id = ownId(tenant, mail, domain ?? sender.split('@').at(-1) ?? 'localhost');
  const answered = namedInHeaders(inReplyTo === null ? [] : [inReplyTo]);
  const thread = namedInHeaders(references);
  const composer = new MailComposer({
    from: { name: senderName ?? '', address: sender },
    to: to.map(composedMailbox),
    cc: cc.map(composedMailbox),
    text: unsubscribeUrl === undefined ? body.bodyText : `${body.bodyText}\n\nUnsubscribe: ${unsubscribeUrl}`,
    messageId: bracketed(id),
    // SES puts a Message-ID of its own in the place of ours; this one stays.
    headers: {
      'X-Mail-Id': id,
      Subject: subjectHeader(subject),
      // RFC 3834, 5: whoever answers by a program does not answer it.
      ...(mail.isAutomatic && { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'OOF, AutoReply' }),
      // RFC 8058: a mail program posts there when its user unsubscribes.
      ...(unsubscribeUrl !== undefined && {
        'List-Unsubscribe': { prepared: true, foldLines: false, value: `<${unsubscribeUrl}>` },
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    ...(domain && { replyTo: ownAddress(tenant, domain) }),
    ...(body.bodyHtml && { html: body.bodyHtml }),
    ...(answered.length > 0 && { inReplyTo: answered[0] }),
    ...(thread.length > 0 && { references: thread }),
    ...(attachments.length > 0 && { attachments }),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** With each word as it was written: nodemailer leaves what looks like an encoded word (RFC 2047), which is read as something else. */
const subjectHeader = (subject: string) =>
  subject.includes('=?') ? { prepared: true, foldLines: true, value: encodeWord(subject, 'B', 52) } : subject;

/** Returns the type of an attachment. Messages and multiparts may not be in base64 (RFC 2045, 6.4), so they are sent as bytes. */
const partType = (contentType: string) =>
  /^(multipart|message)\//i.test(contentType) ? 'application/octet-stream' : contentType;

/** The same for every attempt of a job, so that copies of one mail can be told from two mails. */
const ownId = (tenant: Tenant, { jobId }: OutgoingMail, domain: string) =>
  `${createHash('sha256')
    .update(`${tenantKey(tenant)}/${jobId}`)
    .digest('hex')
    .slice(0, 32)}@${domain}`;

const envelopeAddress = ({ email }: Mailbox) => withAsciiDomain(email);
const composedMailbox = (mailbox: Mailbox) => ({ name: mailbox.name ?? '', address: envelopeAddress(mailbox) });
const bracketed = (messageId: string) => `<${messageId}>`;

/** RFC 5322, 2.1.1: SES refuses a mail with a longer line, and a Message-ID cannot be folded. */
const maxLineBytes = 998;

const isPrintableAscii = /^[!-~]+$/;

/** The ids that a header can name: strangers chose them. */
const namedInHeaders = (messageIds: readonly string[]): string[] =>
  messageIds
    .map((messageId) => bracketed(asSent(messageId)))
    .filter((named) => isPrintableAscii.test(named) && Buffer.byteLength(`In-Reply-To: ${named}`) <= maxLineBytes);

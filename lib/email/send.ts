import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import MailComposer from 'nodemailer/lib/mail-composer';
import { env } from '#lib/env.ts';
import type { Tenant } from '#lib/tenant.ts';
import { type Mailbox, ownAddress } from './address.ts';
import type { Body } from './body.ts';

/** A mail that answers another one. */
export interface OutgoingMail {
  senderName: string | null;
  to: readonly Mailbox[];
  cc: readonly Mailbox[];
  bcc: readonly Mailbox[];
  subject: string;
  /** Message-IDs without angle brackets; the references are oldest first. */
  inReplyTo: string | null;
  references: readonly string[];
  body: Body;
}

const deadlineMs = 10_000;

let client: SESv2Client | undefined;

/** Hands a mail to SES. Returns the Message-ID that it leaves with. Throws what SES says. */
export async function sendMail(tenant: Tenant, mail: OutgoingMail): Promise<string> {
  client ??= new SESv2Client({ maxAttempts: 1 });
  const { MessageId } = await client.send(
    new SendEmailCommand({
      Destination: {
        ToAddresses: mail.to.map(({ email }) => email),
        CcAddresses: mail.cc.map(({ email }) => email),
        BccAddresses: mail.bcc.map(({ email }) => email),
      },
      Content: { Raw: { Data: await composed(tenant, mail) } },
    }),
    { abortSignal: AbortSignal.timeout(deadlineMs) },
  );
  // SES replaces the Message-ID of the sender by this; the region in its domain does not tell ids apart.
  return `${MessageId}@amazonses.com`;
}

function composed(tenant: Tenant, { senderName, to, cc, subject, inReplyTo, references, body }: OutgoingMail) {
  const domain = env('MAIL_DOMAIN');
  const composer = new MailComposer({
    from: { name: senderName ?? '', address: env('MAIL_FROM') },
    to: to.map(composedMailbox),
    cc: cc.map(composedMailbox),
    subject,
    text: body.bodyText,
    ...(domain && { replyTo: ownAddress(tenant, domain) }),
    ...(body.bodyHtml && { html: body.bodyHtml }),
    ...(inReplyTo && { inReplyTo: bracketed(inReplyTo) }),
    ...(references.length > 0 && { references: references.map(bracketed) }),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

const composedMailbox = ({ name, email }: Mailbox) => ({ name: name ?? '', address: email });
const bracketed = (messageId: string) => `<${messageId}>`;

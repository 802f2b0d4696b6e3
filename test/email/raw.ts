import { randomUUID } from 'node:crypto';

/** An incoming mail of a person; every field has a default. */
export function rawMail({
  from = 'Anna <anna@example.com>',
  to = 'sales@acme.example',
  cc,
  subject = 'A question',
  text = 'Do you ship to Norway?',
  messageId = `${randomUUID()}@mail.example.com`,
  inReplyTo,
  references,
}: Partial<
  Record<'from' | 'to' | 'cc' | 'subject' | 'text' | 'messageId' | 'inReplyTo' | 'references', string>
> = {}): string {
  return [
    `From: ${from}`,
    `To: ${to}`,
    ...(cc ? [`Cc: ${cc}`] : []),
    `Subject: ${subject}`,
    `Message-ID: <${messageId}>`,
    ...(inReplyTo ? [`In-Reply-To: <${inReplyTo}>`] : []),
    ...(references ? [`References: ${references}`] : []),
    'Content-Type: text/plain; charset=utf-8',
    '',
    text,
  ].join('\r\n');
}

import { randomUUID } from 'node:crypto';
import { commands } from '#infra/admin/commands/email.ts';
import type { Environment } from '#lib/core/tenant.ts';
import type { Judgement } from '#lib/transport/receiving/mail.ts';

/** Of a mail that nobody doubts. */
export const trusted: Judgement = {
  authentication: { spf: 'pass', dkim: 'pass', dmarc: 'pass', verdict: 'pass' },
  isSpam: false,
  hasVirus: false,
};

type Field = 'from' | 'to' | 'cc' | 'subject' | 'text' | 'html' | 'messageId' | 'inReplyTo' | 'references';
export type MailFields = Partial<Record<Field, string>>;

/** An incoming mail of a person; every field but copies and answers has a default. */
export function rawMail({
  from = 'Anna <anna@example.com>',
  to = 'sales@acme.example',
  cc,
  subject = 'A question',
  text = 'Do you ship to Norway?',
  html,
  messageId = `${randomUUID()}@mail.example.com`,
  inReplyTo,
  references,
}: MailFields = {}): string {
  return [
    `From: ${from}`,
    `To: ${to}`,
    ...(cc ? [`Cc: ${cc}`] : []),
    `Subject: ${subject}`,
    `Message-ID: <${messageId}>`,
    ...(inReplyTo ? [`In-Reply-To: <${inReplyTo}>`] : []),
    ...(references ? [`References: ${references}`] : []),
    `Content-Type: text/${html === undefined ? 'plain' : 'html'}; charset=utf-8`,
    '',
    html ?? text,
  ].join('\r\n');
}

/** The mail arrives, as an operator would make it. */
export const receiveIn =
  ({ id }: { id: number }, env: Environment = 'live') =>
  (mail: MailFields = {}, { authentication }: Pick<Judgement, 'authentication'> = trusted) =>
    commands.receive.run({ workspaceId: id, env, raw: rawMail(mail), authentication });

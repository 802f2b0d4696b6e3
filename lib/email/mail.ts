import PostalMime, { type Address, type Attachment } from 'postal-mime';
import { timestamp } from '#lib/clock.ts';
import { invalidField } from '#lib/problem.ts';
import { distinct, type Mailbox } from './address.ts';
import { sanitise, textOf } from './html.ts';

/** An incoming RFC 5322 message as far as the CRM keeps it. */
export interface Mail {
  /** Without angle brackets; null when the sender gave none. */
  messageId: string | null;
  /** What it answers, the closest first. */
  references: string[];
  from: Mailbox;
  to: Mailbox[];
  cc: Mailbox[];
  /** Every address that it was delivered to, as far as the headers tell. */
  deliveredTo: string[];
  subject: string;
  bodyText: string;
  bodyHtml: string | null;
  attachments: { id: number; fileName: string; contentType: string; sizeBytes: number }[];
  sentAt: string;
  /** An out-of-office notice or the like, which nobody wrote. */
  isAutomatic: boolean;
  /** A mail filter in front of the CRM found spam or a virus. */
  isSpam: boolean;
}

const maxTextCharacters = 100_000;
const maxHtmlCharacters = 200_000;
const maxSubjectCharacters = 998;
const maxReferences = 50;
const maxMailboxes = 100;

/** Reads a message. Raises 400 when it names no sender. */
export async function parseMail(raw: string | Uint8Array): Promise<Mail> {
  const email = await PostalMime.parse(raw, { maxNestingDepth: 50 });
  const [from] = mailboxes([email.from, email.sender]);
  if (!from) throw invalidField('raw', 'invalid_format', 'raw must be an RFC 5322 message with a From header');
  const headers = (key: string) => email.headers.filter((header) => header.key === key).map(({ value }) => value);
  const html = email.html?.slice(0, maxHtmlCharacters);
  const references = [...messageIdsIn(email.inReplyTo), ...messageIdsIn(email.references).reverse()];
  return {
    messageId: messageIdsIn(email.messageId)[0] ?? null,
    references: [...new Set(references)].slice(0, maxReferences),
    from,
    to: mailboxes(email.to),
    cc: mailboxes(email.cc),
    deliveredTo: [
      ...mailboxes([...(email.to ?? []), ...(email.cc ?? []), ...(email.bcc ?? [])]).map(({ email }) => email),
      ...headers('delivered-to'),
      ...headers('received').flatMap((value) => /\bfor <?([^\s<>;]+@[^\s<>;]+)/i.exec(value)?.[1] ?? []),
    ],
    subject: oneLine(email.subject ?? '').slice(0, maxSubjectCharacters),
    bodyText: (email.text?.trim() || textOf(html ?? '')).slice(0, maxTextCharacters),
    bodyHtml: html === undefined ? null : sanitise(html) || null,
    attachments: email.attachments.map(described),
    sentAt: sentAt(email.date),
    isAutomatic: headers('auto-submitted').some((value) => !/^no\b/i.test(value)) || headers('x-autoreply').length > 0,
    isSpam: [...headers('x-ses-spam-verdict').slice(0, 1), ...headers('x-ses-virus-verdict').slice(0, 1)].includes(
      'FAIL',
    ),
  };
}

const described = ({ filename, mimeType, content }: Attachment, index: number) => ({
  id: index + 1,
  fileName: filename ?? `attachment-${index + 1}`,
  contentType: mimeType,
  sizeBytes: typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength,
});

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

function mailboxes(addresses: readonly (Address | undefined)[] = []): Mailbox[] {
  const flat = addresses.flatMap((address) => address?.group ?? (address ? [address] : []));
  return distinct(
    flat.flatMap(({ name, address }) =>
      address?.includes('@') ? [{ name: oneLine(name) || null, email: address }] : [],
    ),
  ).slice(0, maxMailboxes);
}

/** The ids of a `Message-ID`, `In-Reply-To` or `References` header, without their angle brackets. */
const messageIdsIn = (header: string | undefined): string[] =>
  [...(header ?? '').matchAll(/<([^<>\s]+)>/g)].map(([, id]) => id as string);

/** The sender's clock, unless it runs ahead of ours or says nothing. */
function sentAt(date: string | undefined): string {
  const now = new Date();
  const claimed = new Date(date ?? Number.NaN);
  return timestamp(claimed <= now ? claimed : now);
}

import { createHash } from 'node:crypto';
import libmime from 'libmime';
import PostalMime, { type Address, addressParser, decodeWords } from 'postal-mime';
import { now, timestamp } from '#lib/core/clock.ts';
import { isForwardSubject } from '#lib/core/mail-subject.ts';
import { firstBytes, firstCharacters, isUnseen, oneLine, withoutControls } from '#lib/core/text.ts';
import type { Mailbox } from '#lib/entities/email-thread.ts';
import { maxAttachments } from '#lib/entities/message.ts';
import { cleanFileName } from '#lib/files/name.ts';
import { distinct, nowhere } from './address.ts';
import { isAutomaticMail } from './automatic.ts';
import { escapeHtml, sanitise, textOf } from './html.ts';
import { type Contents, leftOutMark, readParts } from './mime.ts';
import { newTextOf } from './quotes.ts';

/** An incoming RFC 5322 message as far as the CRM keeps it: within the limits below, and what was left out is named at the end of its text. */
export interface Mail {
  /** Without angle brackets; null when the sender gave none. */
  messageId: string | null;
  /** Message-IDs that it answers, the closest first. */
  references: string[];
  from: Mailbox;
  /** From stands there once and names one mailbox, which is kept as it was sent. */
  hasOneAuthor: boolean;
  /** Mailboxes that get an answer instead of From. */
  replyTo: Mailbox[];
  to: Mailbox[];
  cc: Mailbox[];
  subject: string;
  bodyText: string;
  bodyHtml: string | null;
  /** The text without what it quotes. */
  newText: string;
  attachments: ({ id: number; fileName: string } & Omit<Contents['attachments'][number], 'fileName'>)[];
  sentAt: string;
  /** An out-of-office notice or the like, which nobody wrote. */
  isAutomatic: boolean;
  /** Headers that SES wrote above the sender's, if SES stored the mail. */
  ses: SesHeaders;
}

/** The mail's headers of these names, the topmost of each: SES puts its own above all others. */
interface SesHeaders {
  received: string | undefined;
  authenticationResults: string | undefined;
  spamVerdict: string | undefined;
  virusVerdict: string | undefined;
}

/** UTF-16 units: with its attachments it fits one row of the conversation. */
const maxTextCharacters = 100_000;
const maxHtmlCharacters = 200_000;
const maxSubjectCharacters = 998;
const maxReferences = 50;
const maxReplyTo = 20;
/** Limit for To and for Cc. */
const maxMailboxes = 100;
const maxNameCharacters = 200;
/** RFC 5321: no path is longer. */
const maxAddressBytes = 254;
const maxMessageIdBytes = 998;
const maxFileNameBytes = 255;
/** RFC 6838: type and subtype of 127 each. */
const maxContentTypeBytes = 255;

/** Reads a message, whatever is in it, in time and memory proportional to its size. */
export async function parseMail(raw: string | Uint8Array): Promise<Mail> {
  const { head, isFromCut, isReport, texts, attachments, unread, omitted } = await readParts(
    typeof raw === 'string' ? Buffer.from(raw) : raw,
  );
  const email = await PostalMime.parse(head, { maxHeadersSize: Number.MAX_SAFE_INTEGER });
  // As they were sent: an encoded word in them is not decoded.
  const headers = (key: string) => email.headers.filter((header) => header.key === key).map(({ value }) => value);
  const written = [...headers('from'), ...headers('sender')];
  const [from = nobody(email.from ?? email.sender, written, omitted)] = mailboxesOf(
    [email.from, email.sender],
    omitted,
  );
  const authors = headers('from').flatMap((value) => addressParser(value, { flatten: true }));
  const references = [...messageIdsIn(email.inReplyTo), ...messageIdsIn(email.references).reverse()];
  const [messageId = null] = messageIdsIn(email.messageId);
  const subject = oneLine(email.subject ?? '');
  const shownSubject = firstCharacters(subject, maxSubjectCharacters);
  if (shownSubject !== subject) omitted.push('the end of its subject');
  return {
    messageId,
    references: [...new Set(references)].slice(0, maxReferences),
    from,
    hasOneAuthor:
      !isFromCut && headers('from').length === 1 && authors.length === 1 && authors[0]?.address === from.email,
    replyTo: mailboxesOf(
      headers('reply-to')
        .flatMap((value) => addressParser(value, { flatten: true }))
        .map(({ name, address = '' }) => ({ name: decodeWords(name), address })),
      [],
    ).slice(0, maxReplyTo),
    to: mailboxesOf(email.to, omitted),
    cc: mailboxesOf(email.cc, omitted),
    subject: shownSubject,
    attachments: describedAttachments(attachments, texts, omitted),
    sentAt: sentAt(email.date),
    isAutomatic: isReport || isAutomaticMail(email.headers, subject),
    ses: {
      received: headers('received')[0],
      authenticationResults: headers('authentication-results')[0],
      spamVerdict: headers('x-ses-spam-verdict')[0],
      virusVerdict: headers('x-ses-virus-verdict')[0],
    },
    // Last, because it says what all the others left out.
    ...bodyOf(texts, { unread, omitted, isForward: isForwardSubject(subject) }),
  };
}

/** Number of characters that are kept of a mail that is cut. */
const briefCharacters = 8_000;

/** The beginning of its text alone, and why. */
export const abridged = (
  { bodyText, subject }: Pick<Mail, 'bodyText' | 'subject'>,
  reason: string,
): Pick<Mail, 'bodyText' | 'bodyHtml' | 'newText'> => {
  const beginning = firstCharacters(bodyText, briefCharacters).trim();
  const note = `[Left out of this mail: all else that it says, because ${reason}.]`;
  return {
    bodyText: `${beginning}\n\n${note}`,
    bodyHtml: null,
    newText: newTextOf(beginning, { isForward: isForwardSubject(subject) }),
  };
};

/** Returns the body to show, with a note of all omitted parts. */
function bodyOf(
  texts: Contents['texts'],
  { unread, omitted, isForward }: Pick<Contents, 'unread' | 'omitted'> & { isForward: boolean },
) {
  const html = htmlOf(texts, omitted);
  const whole = texts.map((part) => shownOf(part)).join('\n');
  const text = withoutControls(whole).trim();
  const fresh =
    !isForward && texts.some(isOfHtml)
      ? withoutControls(texts.map((part) => shownOf(part, true)).join('\n')).trim()
      : text;
  if (text.length > maxTextCharacters) omitted.push('the end of its text');
  const left = omitted.length === 0 ? [] : [`Left out of this mail: ${[...new Set(omitted)].join('; ')}.`];
  const note = [...unread, ...left].map((words) => `[${words}]`).join('\n');
  const room = note === '' ? maxTextCharacters : maxTextCharacters - note.length - 2;
  return {
    bodyText: `${text.slice(0, room).toWellFormed()}\n\n${note}`.trim(),
    bodyHtml: html === null || note === '' ? html : `${html}<p>${paragraphs(note)}</p>`,
    newText: newTextOf(fresh.slice(0, room).toWellFormed(), { isForward }),
  };
}

type Text = Contents['texts'][number];

/** A plain part that shows nothing gives way to the HTML. */
const isOfHtml = ({ plain, html }: Text) => html !== undefined && isUnseen(plain ?? '');

const shownOf = (part: Text, isUnquoted = false): string =>
  isOfHtml(part) ? textOf((part.html ?? '').slice(0, maxHtmlCharacters), { isUnquoted }) : (part.plain ?? '');

/** The safe HTML of a mail that has any; its plain parts stand between. */
function htmlOf(texts: Contents['texts'], omitted: string[]): string | null {
  if (texts.every(({ html }) => html === undefined)) return null;
  const html = texts.map((part) => part.html ?? `<div>${paragraphs(part.plain ?? '')}</div>`).join('\n');
  if (html.length > maxHtmlCharacters) omitted.push('the end of its HTML');
  try {
    const safe = sanitise(html.slice(0, maxHtmlCharacters).toWellFormed());
    if (safe.length <= maxHtmlCharacters) return safe || null;
    // Made safe it is longer, about as much longer in all of it.
    omitted.push('the end of its HTML');
    const room = Math.floor((0.9 * maxHtmlCharacters * Math.min(html.length, maxHtmlCharacters)) / safe.length);
    const shorter = sanitise(html.slice(0, room).toWellFormed());
    if (shorter.length <= maxHtmlCharacters) return shorter || null;
    throw new RangeError('no beginning of it is short enough');
  } catch {
    omitted.push('its HTML, which could not be read');
    return null;
  }
}

const paragraphs = (text: string) => escapeHtml(text).replaceAll('\n', '<br />');

function describedAttachments(
  attachments: Contents['attachments'],
  texts: Contents['texts'],
  omitted: string[],
): Mail['attachments'] {
  const left = attachments.length - maxAttachments;
  if (left > 0) omitted.push(`${left} of its attachments`);
  const cut = (text: string, maxBytes: number) => {
    const whole = oneLine(text);
    const shown = firstBytes(whole, maxBytes);
    if (shown !== whole) omitted.push('the end of long file names and types');
    return shown;
  };
  const shown = contentIdsIn(texts);
  return attachments
    .slice(0, maxAttachments)
    .map(({ fileName, contentType, sizeBytes, contentId, isInline }, index) => ({
      id: index + 1,
      fileName:
        cut(cleanFileName(fileName ?? '', Number.POSITIVE_INFINITY), maxFileNameBytes) ||
        `attachment-${index + 1}${endingOf(contentType)}`,
      contentType: cut(contentType, maxContentTypeBytes),
      sizeBytes,
      contentId: contentId === null ? null : shortened(withoutControls(contentId)),
      isInline: isInline || (contentId !== null && shown.has(contentId)),
    }));
}

/** The content ids of pictures that HTML shows (RFC 2392). */
const contentIdsIn = (texts: Contents['texts']): Set<string> =>
  new Set(
    texts.flatMap(({ html = '' }) =>
      [...html.matchAll(/\bcid:([^"'\s<>)]{1,998})/gi)].flatMap(([, id = '']) => [id, unescapedUrl(id)]),
    ),
  );

function unescapedUrl(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** File endings for types that libmime lacks or names unusually. */
const endings: Record<string, string> = {
  ...{ 'image/jpeg': '.jpg', 'image/jpg': '.jpg', 'image/heic': '.heic', 'image/heif': '.heif', 'image/avif': '.avif' },
  ...{ 'audio/mpeg': '.mp3', 'audio/ogg': '.ogg', 'audio/mp4': '.m4a', 'audio/amr': '.amr', 'audio/opus': '.opus' },
  ...{
    'text/vcard': '.vcf',
    'text/x-vcard': '.vcf',
    'text/directory': '.vcf',
    'text/markdown': '.md',
    'text/rtf': '.rtf',
  },
  ...{
    'application/gzip': '.gz',
    'application/x-pdf': '.pdf',
    'application/pgp-signature': '.asc',
    'application/pgp-keys': '.asc',
  },
  ...{ 'application/vnd.apple.pkpass': '.pkpass', 'application/pkcs7-mime': '.p7m', 'application/ics': '.ics' },
  ...{ 'message/delivery-status': '.txt', 'message/disposition-notification': '.txt', 'text/rfc822-headers': '.txt' },
  ...{ 'text/x-amp-html': '.html' },
};

/** How a file of this type is named, nothing where nobody knows it. */
function endingOf(contentType: string): string {
  if (Object.hasOwn(endings, contentType)) return endings[contentType] as string;
  const extension = libmime.detectExtension(contentType);
  return extension === 'bin' ? '' : `.${extension}`;
}

/** Something on both sides: more is not asked of what comes from outside. */
const isAddress = /[^@\s]@[^@\s]/;

/** Each address once. */
function mailboxesOf(addresses: readonly (Address | undefined)[] = [], omitted: string[]): Mailbox[] {
  const flat = addresses.flatMap((address) => address?.group ?? (address ? [address] : []));
  const given = flat.flatMap(({ name, address = '' }) =>
    isAddress.test(address) ? [{ name: oneLine(name) || null, email: oneLine(address) }] : [],
  );
  // The beginning of an address is the address of somebody else. To tell long ones apart takes long: Punycode is quadratic.
  const whole = given.filter(({ email }) => isWhole(email));
  const all = distinct(whole);
  if (whole.length < given.length) omitted.push(tooLongAddresses);
  if (all.some(({ name }) => name !== null && firstCharacters(name, maxNameCharacters) !== name))
    omitted.push('the end of long names');
  const left = all.length - maxMailboxes;
  if (left > 0) omitted.push(`${left} of its recipients`);
  return all.slice(0, maxMailboxes).map(({ name, email }) => ({
    name: name === null ? null : firstCharacters(name, maxNameCharacters),
    email,
  }));
}

const tooLongAddresses = 'addresses longer than any can be';
const isWhole = (email: string) => Buffer.byteLength(email) <= maxAddressBytes && !email.includes(leftOutMark);

/**
 * Returns the unreachable mailbox of a sender whose address cannot be read or kept. It is the same for the same address or, without one,
 * for the same header.
 */
function nobody(from: Address | undefined, written: readonly string[], omitted: string[]): Mailbox {
  if (!omitted.includes(tooLongAddresses)) omitted.push('the address of its sender, which cannot be read');
  const known = createHash('sha256')
    .update(from?.address || written.join('\n'))
    .digest('hex')
    .slice(0, 32);
  return { name: firstCharacters(oneLine(from?.name ?? ''), maxNameCharacters) || null, email: `${known}@${nowhere}` };
}

/** The ids of a `Message-ID`, `In-Reply-To` or `References` header, without their angle brackets. */
const messageIdsIn = (header: string | undefined): string[] =>
  [...(header ?? '').matchAll(/<([^<>\s]+)>/g)]
    .map(([, id]) => withoutControls(id as string))
    .filter((id) => !id.includes(leftOutMark))
    .map(shortened);

/** Two ids that differ only beyond the limit stay two. */
function shortened(messageId: string): string {
  if (Buffer.byteLength(messageId) <= maxMessageIdBytes) return messageId;
  const end = `.${createHash('sha256').update(messageId).digest('base64url')}`;
  return `${firstBytes(messageId, maxMessageIdBytes - end.length)}${end}`;
}

/** The sender's clock, unless it runs ahead of ours or says nothing. */
function sentAt(date: string | undefined): string {
  const current = new Date(now());
  const claimed = new Date(date ?? Number.NaN);
  return timestamp(claimed <= current && claimed.getUTCFullYear() > 0 ? claimed : current);
}

import libmime from 'libmime';
import { fromQuotedPrintable } from './quoted-printable.ts';

/** The header section, a field a line, and what follows it. */
interface Entity {
  head: Buffer;
  body: Buffer;
}

/** Splits the content of another entity as the message was split. */
type Split = (raw: Buffer) => Entity;

/** The message with what a signature holds in the place of the signature (RFC 8551, 3.5.2), and with delimiters where its parts begin. */
export const opened = ({ head, body }: Entity, split: Split): Entity => delimited(unsigned({ head, body }, split));

const fieldsOf = (head: Buffer) => head.toString('latin1').split(/\r?\n/).filter(Boolean);
const withFields = (fields: readonly string[]) => Buffer.from(fields.map((field) => `${field}\r\n`).join(''), 'latin1');
const isNamed = (name: string) => (field: string) =>
  field.toLowerCase().startsWith(`${name}:`) || new RegExp(`^${name}[ \\t]*:`, 'i').test(field);
const valueIn = (fields: readonly string[], name: string) => {
  const field = fields.find(isNamed(name)) ?? '';
  return field.slice(field.indexOf(':') + 1).trim();
};

const isSecured = /^application\/(x-)?pkcs7-mime$/i;

function unsigned({ head, body }: Entity, split: Split): Entity {
  const fields = fieldsOf(head);
  const type = libmime.parseHeaderValue(valueIn(fields, 'content-type'));
  if (!isSecured.test(type.value)) return { head, body };
  const encoding = valueIn(fields, 'content-transfer-encoding').toLowerCase();
  const content = signedContent(decoded(body, encoding));
  if (content === undefined) return { head, body };
  const inner = split(content);
  const own = fields.filter((field) => !/^content-/i.test(field));
  const ofContent = fieldsOf(inner.head).filter((field) => /^content-/i.test(field));
  return { head: withFields([...own, ...ofContent]), body: inner.body };
}

function decoded(body: Buffer, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(body.toString('latin1'), 'base64');
  return encoding === 'quoted-printable' ? fromQuotedPrintable(body) : body;
}

/** One element of BER (X.690). */
interface Element {
  tag: number;
  children: Element[];
  bytes: Buffer;
  next: number;
}

const maxDepth = 12;

function elementAt(ber: Buffer, at: number, depth: number): Element {
  const tag = ber[at] ?? 0;
  const first = ber[at + 1] ?? 0;
  const isEndless = first === 0x80;
  const lengthBytes = first > 0x80 ? first & 0x7f : 0;
  if (lengthBytes > 6) throw new RangeError('too long');
  const start = at + 2 + lengthBytes;
  const length = lengthBytes > 0 ? ber.readUIntBE(at + 2, lengthBytes) : first;
  const end = isEndless ? ber.length : start + length;
  if (end > ber.length || depth > maxDepth) throw new RangeError('not whole');
  const children: Element[] = [];
  let next = start;
  if ((tag & 0x20) !== 0) {
    while (next < end && !(isEndless && ber[next] === 0 && ber[next + 1] === 0)) {
      const child = elementAt(ber, next, depth + 1);
      children.push(child);
      next = child.next;
    }
  }
  return { tag, children, bytes: ber.subarray(start, isEndless ? next : end), next: isEndless ? next + 2 : end };
}

const signedData = Buffer.from('2a864886f70d010702', 'hex');

/** Returns the content that CMS signs (RFC 5652, 5.1), or undefined if it is detached or there is no signature. */
function signedContent(ber: Buffer): Buffer | undefined {
  try {
    const [kind, wrapped] = elementAt(ber, 0, 0).children;
    if (!kind?.bytes.equals(signedData)) return undefined;
    const encapsulated = wrapped?.children[0]?.children[2];
    const content = encapsulated?.children[1]?.children[0];
    return content && octetsOf(content);
  } catch {
    return undefined;
  }
}

const octetsOf = ({ children, bytes }: Element): Buffer =>
  children.length === 0 ? bytes : Buffer.concat(children.map(octetsOf));

const maxLookedAt = 1024 * 1024;

/** With the delimiter that the parts really have, where the header names another or none; a text where there are no parts. */
function delimited({ head, body }: Entity): Entity {
  const fields = fieldsOf(head);
  const type = libmime.parseHeaderValue(valueIn(fields, 'content-type'));
  if (!/^multipart\//i.test(type.value)) return { head, body };
  const named = type.params['boundary'] ?? '';
  const start = body.toString('latin1', 0, maxLookedAt);
  const blank = /[ \t]/;
  const lines = named === '' ? -1 : `\n${start}`.indexOf(`\n--${named}`);
  if (lines >= 0) {
    const isPadded = blank.test(start[lines + 2 + named.length] ?? '');
    return isPadded ? { head, body: unpadded(body, named) } : { head, body };
  }
  const [, found] = /(?:^|\n)--([^\r\n]{1,200})\r?\n(?:content-|\r?\n)/i.exec(start) ?? [];
  const others = fields.filter((field) => !isNamed('content-type')(field));
  if (found !== undefined)
    return {
      head: withFields([...others, `Content-Type: ${type.value}; boundary="${found.trimEnd()}"`]),
      body: found === found.trimEnd() ? body : unpadded(body, found.trimEnd()),
    };
  const kind = /^\s*<(!doctype html|html|head|body|div|p|table)\b/i.test(start) ? 'html' : 'plain';
  return { head: withFields([...others, `Content-Type: text/${kind}`]), body };
}

/** Blanks after a delimiter belong to its line (RFC 2046, 5.1.1). */
const unpadded = (body: Buffer, boundary: string): Buffer =>
  Buffer.from(
    body
      .toString('latin1')
      .split('\n')
      .map((line) => (line.startsWith(`--${boundary}`) ? line.trimEnd() : line))
      .join('\n'),
    'latin1',
  );

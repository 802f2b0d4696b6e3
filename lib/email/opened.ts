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
  field.slice(0, name.length).toLowerCase() === name && /^[ \t]*:/.test(field.slice(name.length));
const valueIn = (fields: readonly string[], name: string) => {
  const field = fields.find(isNamed(name)) ?? '';
  return field.slice(field.indexOf(':') + 1).trim();
};

/** Whether a part is S/MIME: gateways that do not know its type leave its name (RFC 8551, 3.10). */
export const isSmime = (type: string, fileName: string): boolean =>
  /^application\/(x-)?pkcs7-mime$/i.test(type) ||
  (/^application\/octet-stream$/i.test(type) && /\.p7m$/i.test(fileName));

function unsigned({ head, body }: Entity, split: Split): Entity {
  const fields = fieldsOf(head);
  const type = libmime.parseHeaderValue(valueIn(fields, 'content-type'));
  const { params } = libmime.parseHeaderValue(valueIn(fields, 'content-disposition'));
  if (!isSmime(type.value, params['filename'] ?? type.params['name'] ?? '')) return { head, body };
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
  start: number;
  /** Undefined where a mark ends it. */
  end: number | undefined;
}

/** Limit for the elements that are read. Senders cut content into pieces of 1,000 bytes or more. */
const maxElements = 100_000;
const maxDepth = 12;
const isConstructed = ({ tag }: Element) => (tag & 0x20) !== 0;

/** Reads elements one by one, only as far as it is asked to. Throws for what is not BER, or has too many elements. */
class Ber {
  readonly #bytes: Buffer;
  #left = maxElements;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  at(offset: number): Element {
    this.#left -= 1;
    if (this.#left < 0) throw new RangeError('too many');
    const first = this.#bytes[offset + 1] ?? 0;
    const lengthBytes = first > 0x80 ? first & 0x7f : 0;
    if (lengthBytes > 6) throw new RangeError('too long');
    const start = offset + 2 + lengthBytes;
    const length = lengthBytes > 0 ? this.#bytes.readUIntBE(offset + 2, lengthBytes) : first;
    const end = first === 0x80 ? undefined : start + length;
    if ((end ?? start) > this.#bytes.length) throw new RangeError('not whole');
    return { tag: this.#bytes[offset] ?? 0, start, end };
  }

  *children(parent: Element): Generator<Element> {
    if (!isConstructed(parent)) return;
    for (let at = parent.start; parent.end === undefined ? !this.#isEnd(at) : at < parent.end; ) {
      const child = this.at(at);
      yield child;
      at = this.#after(child);
    }
  }

  child(parent: Element | undefined, index: number): Element | undefined {
    let at = 0;
    for (const child of parent ? this.children(parent) : []) {
      if (at === index) return child;
      at += 1;
    }
    return undefined;
  }

  /** Returns the bytes of a string, which may be in pieces. */
  octets(element: Element, depth = 0): Buffer {
    if (!isConstructed(element)) return this.#bytes.subarray(element.start, element.end ?? element.start);
    if (depth > maxDepth) throw new RangeError('nested too deep');
    return Buffer.concat([...this.children(element)].map((piece) => this.octets(piece, depth + 1)));
  }

  #isEnd(at: number): boolean {
    return at >= this.#bytes.length || (this.#bytes[at] === 0 && this.#bytes[at + 1] === 0);
  }

  #after({ start, end }: Element): number {
    if (end !== undefined) return end;
    let at = start;
    for (let open = 1; open > 0; ) {
      if (this.#isEnd(at)) {
        open -= 1;
        at += 2;
      } else {
        const element = this.at(at);
        at = element.end ?? element.start;
        if (element.end === undefined) open += 1;
      }
    }
    return at;
  }
}

const signedData = Buffer.from('2a864886f70d010702', 'hex');

/** Returns the content that CMS signs (RFC 5652, 5.1), or undefined if it is detached or there is no signature. */
function signedContent(bytes: Buffer): Buffer | undefined {
  try {
    const ber = new Ber(bytes);
    const root = ber.at(0);
    const kind = ber.child(root, 0);
    if (!kind || !ber.octets(kind).equals(signedData)) return undefined;
    const encapsulated = ber.child(ber.child(ber.child(root, 1), 0), 2);
    const content = ber.child(ber.child(encapsulated, 1), 0);
    return content && ber.octets(content);
  } catch {
    return undefined;
  }
}

const maxLookedAt = 1024 * 1024;

/** Matches a text that is HTML, whatever its header says. */
export const looksLikeHtml = /^\s*<(!doctype html|html|head|body|div|p|table)\b/i;

/** With the delimiter that the parts really have, where the header names another or none; a text where there are no parts. */
function delimited({ head, body }: Entity): Entity {
  const fields = fieldsOf(head);
  const type = libmime.parseHeaderValue(valueIn(fields, 'content-type'));
  if (!/^multipart\//i.test(type.value)) return { head, body };
  const named = type.params['boundary'] ?? '';
  const start = body.toString('latin1', 0, maxLookedAt);
  for (const [, line = ''] of named === '' ? [] : start.matchAll(/^--([^\r\n]*)/gm))
    if (line.trimEnd() === named) return { head, body };
  const [, found] = likelyDelimiter.exec(start) ?? [];
  const others = fields.filter((field) => !isNamed('content-type')(field));
  const kind = looksLikeHtml.test(start) ? 'html' : 'plain';
  const real = found === undefined ? `text/${kind}` : `${type.value}; boundary="${found.trimEnd()}"`;
  return { head: withFields([...others, `Content-Type: ${real}`]), body };
}

/** A line of dashes alone is one of a text: fields of a part follow a delimiter. */
const likelyDelimiter =
  /(?:^|\n)--([^\r\n"\\]{1,200})\r?\n(?:[\w-]{1,40}:[^\r\n]{0,998}\r?\n){0,5}content-[\w-]{1,40}[ \t]*:/i;

import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type MimeNode, Splitter, type SplitterOptions } from '@zone-eu/mailsplit';
import libmime from 'libmime';
import { decodeWords } from 'postal-mime';
import { calendarText } from './calendar.ts';
import { decodeText, guess, type Hints, hintsOf } from './charset.ts';
import { isSmime, looksLikeHtml, opened } from './opened.ts';
import { fromQuotedPrintable } from './quoted-printable.ts';
import { joinedWords, labelsIn } from './words.ts';

/** A message as it lies on the wire, read in one pass: no more of it is kept than the CRM stores. */
export interface Contents {
  /** The header section in UTF-8. */
  head: Buffer;
  /** Whether the fields of the authors were cut. */
  isFromCut: boolean;
  /** Whether a program reports on another mail, even if the report has no readable parts. */
  isReport: boolean;
  /** Texts to show, part by part; of alternatives both. */
  texts: { plain?: string; html?: string }[];
  attachments: {
    fileName: string | null;
    contentType: string;
    sizeBytes: number;
    /** Without angle brackets: by it HTML names a picture of its own. */
    contentId: string | null;
    isInline: boolean;
  }[];
  /** Descriptions of parts that cannot be read. */
  unread: string[];
  /** Descriptions of omitted parts. */
  omitted: string[];
}

/** Limit for the lines of a body: each costs time, however short it is. */
const maxBodyLines = 1_000_000;
/** Limit for a header field. A longer one loses its middle. */
const maxFieldBytes = 128 * 1024;
const fieldTailBytes = 1024;
/** Limit for all fields of the message's own head, except for authors, recipients, and subject: each name of these has `maxFieldBytes`. */
const maxHeadBytes = 256 * 1024;
const kept = [
  ...['from', 'sender', 'reply-to', 'to', 'cc', 'subject', 'date', 'message-id', 'in-reply-to', 'references'],
  ...['auto-submitted', 'precedence', 'return-path'],
  ...['content-type', 'content-disposition', 'content-transfer-encoding'],
];
/** Limits for the head of one part, and for the heads of all parts together. */
const maxPartHeadBytes = 64 * 1024;
const maxPartHeadsBytes = 2 * 1024 * 1024;
/** To keep a line costs about as much as so many bytes of it, however short it is. */
const leastLineBytes = 64;
const maxParts = 1000;
/** Limits for the texts of all parts together: above the kept size in the widest characters. */
const maxTextBytes = { plain: 400_000, html: 800_000 };
/** Maximum size of a byte in a transfer encoding. */
const maxEncodedBytes = 3;
const chunkBytes = 64 * 1024;

/**
 * Takes a message apart. Never throws: what cannot be read is left out, and named. Its time is proportional to the message, and
 * its memory to what is kept, whatever is in it.
 */
export async function readParts(raw: Uint8Array): Promise<Contents> {
  const { head, body, omitted, isFromCut, isReport } = openedMail(raw);
  const named = hintsIn(head);
  const splitter = newSplitter();
  const parts: Part[] = [];
  const room = { plain: maxTextBytes.plain * maxEncodedBytes, html: maxTextBytes.html * maxEncodedBytes };
  try {
    Readable.from(chunksOf([head, body])).pipe(splitter);
    for await (const chunk of splitter) {
      if (chunk.type === 'node') parts.push(new Part(chunk));
      else if (chunk.type === 'body') parts.at(-1)?.add(chunk.value, room);
      else if (chunk.type === 'data' && chunk.node === parts.at(-1)?.node) parts.at(-1)?.addPreamble(chunk.value, room);
    }
  } catch {
    omitted.push('everything after what could not be read');
  }
  if (splitter.isCut) omitted.push(ofHeaders);
  const parents = new Set(parts.map(({ node }) => node.parentNode));
  for (const part of parts) part.settlePreamble(parents.has(part.node));
  const labels = parts.map(({ node }) => node.charset || '');
  const languages = parts.map(({ node }) => headerOf(node, 'Content-Language'));
  const allHints = hintsOf([...labels, ...named, ...languages]);
  const texts = await textsOf(parts, allHints, omitted);
  const charset = parts.map((part) => part.charset).find((one) => one !== undefined && one !== 'utf-8');
  return {
    head: readable(head, charset, hintsOf(named)),
    isFromCut,
    isReport,
    texts,
    attachments: parts.flatMap((part) => part.attachment(allHints, charset) ?? []),
    unread: [...new Set(parts.flatMap((part) => part.unread ?? []))],
    omitted,
  };
}

/** The message in the size that it may have, taken out of what it is signed with. */
function openedMail(raw: Uint8Array) {
  const given = splitHead(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
  const isReport = /^content-type[ \t]*:\s*multipart\/report\b/im.test(given.head.toString('latin1'));
  return { ...given, ...opened(given, splitHead), isReport };
}

/** Returns the hints of the headers on the language: charsets of words, languages, and countries of domains. */
function hintsIn(head: Buffer): string[] {
  const text = head.toString('latin1', 0, maxFieldBytes);
  const languages = [...text.matchAll(/^(?:content|accept|x-accept)-language:\s*([\w-]+)/gim)];
  const countries = [...text.matchAll(/^(?:from|message-id|reply-to|sender):.*\.([a-z]{2})>?\s*$/gim)];
  return [...labelsIn(text), ...[...languages, ...countries].map(([, tag]) => tag as string)];
}

/** Bytes that are not ASCII, or switch to another charset (ISO 2022). */
const isRaw = {
  test: (field: string) => /[\u0080-\u00ff]/.test(field) || field.includes('\x1b$') || field.includes('\x1b('),
};

/** The header section in UTF-8, its encoded words joined: raw bytes are in the charset of the text, if a mail says so. */
function readable(head: Buffer, charset: string | undefined, hints: Hints): Buffer {
  const fields = head.toString('latin1').split(/(?<=\n)/);
  const raw = Buffer.from(fields.filter((field) => isRaw.test(field)).join(''), 'latin1');
  const label = labelOfRaw(charset) || (raw.length === 0 ? 'utf-8' : guess(raw, hints));
  const texts = fields.map((field) =>
    isRaw.test(field) ? decodeText(Buffer.from(field, 'latin1'), label, { hints }).text : field,
  );
  return Buffer.from(texts.map((text) => joinedWords(text, hints)).join(''));
}

/** The charset of raw bytes beside a text: a header has no zero bytes, and UTF-8 shows itself. */
const labelOfRaw = (charset: string | undefined): string => (charset && !/^["']?utf/i.test(charset) ? charset : '');

const newSplitter = () =>
  new LimitedSplitter({ defaultInlineEmbedded: true, maxHeadSize: maxPartHeadsBytes, maxChildNodes: maxParts });

/**
 * Hands on the decoded bytes of each attachment, in the order in which `readParts` names them; what is not read of one is passed over.
 * Ends where the message cannot be read any further.
 */
export async function eachAttachment(
  raw: Uint8Array,
  take: (index: number, bytes: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  const { head, body } = openedMail(raw);
  const chunks = Readable.from(chunksOf([head, body]))
    .pipe(newSplitter())
    [Symbol.asyncIterator]();
  const next = () => chunks.next().catch(() => ({ done: true as const, value: undefined }));
  let index = 0;
  for (let at = await next(); !at.done; ) {
    const part = at.value.type === 'node' ? new Part(at.value) : undefined;
    at = await next();
    if (!part?.isAttachment) continue;
    async function* sent(): AsyncGenerator<Buffer> {
      for (; !at.done && at.value.type !== 'node'; at = await next())
        if (at.value.type === 'body') yield at.value.value;
    }
    await take(index, part.decoded(sent()));
    index += 1;
  }
}

/** Yields the bytes of base64. Other characters are skipped, and so is all text after the padding, such as the footer of a list. */
async function* fromBase64(sent: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let left = '';
  for await (const chunk of sent) {
    const [signs = '', ...afterwards] = chunk.toString('latin1').split('=', 2);
    const text = left + signs.replaceAll(/[^A-Za-z0-9+/]+/g, '');
    const whole = text.length - (text.length % 4);
    left = text.slice(whole);
    if (whole > 0) yield Buffer.from(text.slice(0, whole), 'base64');
    if (afterwards.length > 0) break;
  }
  if (left !== '') yield Buffer.from(left, 'base64');
}

/** mailsplit takes the line end before a boundary, which is the boundary's, for the whole of an empty part. */
async function* withoutLoneLineEnd(sent: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let first: Buffer | undefined;
  for await (const chunk of sent) {
    if (first !== undefined) {
      yield first;
      first = undefined;
    } else if (isLineEnd(chunk)) {
      first = chunk;
      continue;
    }
    yield chunk;
  }
}

const isLineEnd = (bytes: Buffer) => bytes.length <= 2 && /^\r?\n$/.test(bytes.toString('latin1'));

const ofHeaders = 'headers, or parts of them';

/** The header section in the size that it may have, and what follows it. */
function splitHead(raw: Buffer) {
  const ends = ['\n\n', '\n\r\n'].map((end) => raw.indexOf(end)).filter((at) => at >= 0);
  const headEnd = ends.length > 0 ? Math.min(...ends) + 1 : raw.length;
  const section = withoutBareReturns(raw.subarray(0, headEnd));
  const rest = raw.subarray(headEnd);
  const body = firstLines(rest, maxBodyLines);
  const fields: Buffer[] = [];
  const rooms = new Map(kept.map((name) => [name, maxFieldBytes])).set(others, maxHeadBytes);
  let isCut = false;
  let isFromCut = false;
  for (let start = 0, end = 0; start < section.length; start = end) {
    end = endOfField(section, start);
    const name = nameAt(section, start);
    const left = rooms.get(name) as number;
    const room = Math.min(left, maxFieldBytes);
    if (room <= fieldTailBytes || end - start > room) {
      isCut = true;
      isFromCut ||= name === 'from';
    }
    // There may be millions of these: no objects are made of them.
    if (room <= fieldTailBytes) continue;
    const short = withoutMiddle(section.subarray(start, end), room);
    rooms.set(name, left - Math.max(short.length, leastLineBytes));
    fields.push(unfolded(short));
  }
  const omitted = [
    ...(isCut ? [ofHeaders] : []),
    ...(body.length < rest.length ? [`everything after its line ${maxBodyLines}`] : []),
  ];
  return { head: Buffer.concat(fields), body, omitted, isFromCut };
}

/** A copy with a space for every carriage return that ends no line: mailsplit's time grows with the square of a run of them. */
function withoutBareReturns(lines: Buffer): Buffer {
  const copy = Buffer.from(lines);
  for (let at = 0; at < copy.length; at += 1) {
    if (copy[at] === 0x0d && copy[at + 1] !== 0x0a) copy[at] = 0x20;
  }
  return copy;
}

function firstLines(text: Buffer, maxLines: number): Buffer {
  let end = 0;
  for (let lines = 0; lines < maxLines && end < text.length; lines += 1) end = endOfLine(text, end);
  return text.subarray(0, end);
}

/** Byte by byte: of short lines that takes a tenth of what `indexOf` does. */
function endOfLine(text: Buffer, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== 0x0a) at += 1;
  return Math.min(at + 1, text.length);
}

/** Where a header field ends, its continuation lines included. */
function endOfField(head: Buffer, from: number): number {
  let end = endOfLine(head, from);
  while (isBlank(head[end])) end = endOfLine(head, end);
  return end;
}

const isBlank = (byte: number | undefined) => byte === 0x20 || byte === 0x09;

/** Which of the kept fields begins here, or that it is another. */
function nameAt(head: Buffer, start: number): string {
  for (const name of kept) if (beginsWith(head, start, name)) return name;
  return others;
}

function beginsWith(head: Buffer, start: number, name: string): boolean {
  for (let at = 0; at < name.length; at += 1) {
    const letter = name.charCodeAt(at);
    const byte = head[start + at];
    if (byte !== letter && (letter === dash || byte !== letter - 0x20)) return false;
  }
  let end = start + name.length;
  while (isBlank(head[end])) end += 1;
  return head[end] === 0x3a;
}

const others = 'others';
const dash = 0x2d;

/** In the place of what was left out of a field: no address and no id with it in it is the sender's. */
export const leftOutMark = '=_left_out_=';

const withoutMiddle = (field: Buffer, maxBytes: number): Buffer =>
  field.length <= maxBytes
    ? field
    : Buffer.concat([
        field.subarray(0, maxBytes - fieldTailBytes),
        Buffer.from(leftOutMark),
        field.subarray(-fieldTailBytes),
      ]);

/** The field in one line, however many it was folded into. */
const unfolded = (field: Buffer): Buffer =>
  Buffer.from(field.toString('latin1').replaceAll(/\r?\n(?=[ \t])/g, ''), 'latin1');

function* chunksOf(buffers: readonly Buffer[]): Generator<Buffer> {
  for (const buffer of buffers) {
    for (let at = 0; at < buffer.length; at += chunkBytes) yield buffer.subarray(at, at + chunkBytes);
  }
}

/** Fields of a node that mailsplit’s types lack. */
interface OpenNode extends MimeNode {
  _boundary: Buffer | false;
  _headerlen: number;
  _parentBoundaryOwner: OpenNode | false;
}

type NextLine = (error?: Error | null, data?: unknown, flush?: boolean) => void;

/** Splitter with the members that mailsplit's own parser overrides too, although its types lack them. */
const OpenSplitter = Splitter as unknown as new (
  options: SplitterOptions,
) => Splitter & {
  node: OpenNode;
  state: number;
  pendingLineTruncated: boolean;
  newNode(parent?: MimeNode | false): void;
  takePendingLine(): Buffer | false;
  checkBoundary(line: Buffer): 1 | 2 | 3 | 4 | false;
  compareBoundary(line: Buffer, start: number, boundary: Buffer): 1 | 2 | false;
  processLine(line: Buffer | false, final: boolean, next: NextLine): void;
};
/** States of mailsplit. */
const [inHead, inBody] = [1, 2];

/** More of a line tells nothing of a field or a delimiter. */
const maxLookedAt = 400;
const isField = /^[!-9;-~]+[ \t]*:/;
/** A field, a line that goes on with one, or the line above a message in a mailbox file. */
const isOfHead = /^([ \t\r\n]|>?From |[!-9;-~]+[ \t]*:)/;
/** Limit for the fields between a delimiter that nobody named and the one that shows it to be one. */
const maxFieldsBefore = 5;
/** Limit for the multiparts around a part that are looked at. */
const maxAround = 20;

/**
 * Takes of the heads of parts only as many lines as there is room for. The message's own head is limited before. Reads parts whose
 * multipart names no delimiter or another one, has no end, or whose head has none.
 */
class LimitedSplitter extends OpenSplitter {
  #room = maxPartHeadsBytes;
  isCut = false;
  readonly #withParts = new WeakSet<MimeNode>();
  /** Delimiter that the last lines may begin a part with. */
  #likely: { boundary: string; fields: Buffer[] } | undefined;

  override newNode(parent?: MimeNode | false): void {
    super.newNode(parent);
    if (!parent) return;
    this.#withParts.add(parent);
    this.#likely = undefined;
    const { node } = this;
    let room = maxPartHeadBytes;
    const add = node.addHeaderChunk.bind(node);
    node.addHeaderChunk = (line) => {
      if (!line || /^\r?\n$/.test(line.toString('latin1', 0, 3))) return;
      const cost = Math.max(line.length, leastLineBytes);
      if (cost > Math.min(room, this.#room)) {
        // Nothing after it either: it might go on with what was left out.
        room = 0;
        this.isCut = true;
        return;
      }
      room -= cost;
      this.#room -= cost;
      add(withoutBareReturns(line));
    };
  }

  override processLine(given: Buffer | false, final: boolean, next: NextLine): void {
    const pending = this.takePendingLine();
    const line = pending && given ? Buffer.concat([pending, given]) : pending || given;
    const type = line && !this.pendingLineTruncated ? this.#typeOf(line) : undefined;
    if (type) next(null, { node: this.node, type, value: line }, true);
    else super.processLine(line, final, next);
  }

  /** Returns what a line is that mailsplit would take for something else, and goes on behind it. */
  #typeOf(line: Buffer): 'data' | 'body' | undefined {
    if (this.node.parentNode === false) return undefined;
    if (this.state === inHead) return this.#endsHead(line) ? (this.node.multipart ? 'data' : 'body') : undefined;
    return this.#beginsPart(line) ? 'data' : undefined;
  }

  /** Whether a line is the first after a head, from which no empty line parts it. */
  #endsHead(line: Buffer): boolean {
    if (isOfHead.test(line.toString('latin1', 0, maxLookedAt))) return false;
    const { node } = this;
    if (node._headerlen === 0 && this.checkBoundary(line)) return false;
    node.parseHeaders();
    this.push(node);
    this.state = inBody;
    return !this.checkBoundary(line);
  }

  /** Whether a field of a part's head follows a delimiter, and the multipart has no part yet: then it is the delimiter. */
  #beginsPart(line: Buffer): boolean {
    const { node } = this;
    if (!node.multipart || this.#withParts.has(node)) return false;
    const text = line.toString('latin1', 0, maxLookedAt);
    const [, boundary] = /^--([^\r\n]{1,200})\r?\n/.exec(text) ?? [];
    if (boundary !== undefined) this.#likely = { boundary: boundary.trimEnd(), fields: [] };
    else if (this.#likely === undefined || !isField.test(text)) this.#likely = undefined;
    else if (/^content-/i.test(text)) return this.#begin(node, { ...this.#likely }, line);
    else if (this.#likely.fields.push(line) > maxFieldsBefore) this.#likely = undefined;
    return false;
  }

  #begin(node: OpenNode, { boundary, fields }: { boundary: string; fields: Buffer[] }, line: Buffer): true {
    node._boundary = Buffer.from(boundary, 'latin1');
    this.newNode(node);
    for (const field of [...fields, line]) this.node.addHeaderChunk(field);
    return true;
  }

  /** Also takes blanks after a delimiter (RFC 2046, 5.1.1), and the delimiters of all multiparts around (5.1.2). */
  override checkBoundary(line: Buffer): 1 | 2 | 3 | 4 | false {
    const found = super.checkBoundary(line);
    const start = line[0] === 0x0a ? 1 : line[0] === 0x0d && line[1] === 0x0a ? 2 : 0;
    if (found || line[start] !== dash || line[start + 1] !== dash || line.length > maxLookedAt) return found;
    const text = line.toString('latin1', start);
    const bare = text.trimEnd();
    const isPadded = /[ \t]\r?\n$/.test(text);
    const delimiter = isPadded ? Buffer.from(`${bare}\r\n`, 'latin1') : line.subarray(start);
    return (isPadded && super.checkBoundary(delimiter)) || this.#endOfAround(delimiter);
  }

  /** Returns what a delimiter of a multipart further out begins or ends, and goes there. */
  #endOfAround(delimiter: Buffer): 3 | 4 | false {
    let inner = this.node._parentBoundaryOwner;
    for (let around = 0; inner && around < maxAround; around += 1) {
      const outer: OpenNode | false = inner._parentBoundaryOwner;
      const boundary = outer ? outer._boundary : false;
      const found = boundary ? this.compareBoundary(delimiter, 0, boundary) : false;
      if (found) {
        this.node = inner;
        return found === 1 ? 3 : 4;
      }
      inner = outer;
    }
    return false;
  }
}

/** One part: of a text what is shown is kept as it was sent, an attachment is only measured. */
class Part {
  readonly node: MimeNode;
  kind: 'plain' | 'html' | undefined;
  readonly isAttachment: boolean;
  readonly isCalendar: boolean;
  isCut = false;
  /** By which its text was read. */
  charset: string | undefined;
  readonly #sent: Buffer[] = [];
  readonly #size = { all: 0, base64: 0, escapes: 0, lineEnds: 0 };

  constructor(node: MimeNode) {
    this.node = node;
    const isLeaf = node.multipart === false && node.messageNode !== true;
    if (isLeaf && node.disposition !== 'attachment' && !isFile(node)) this.kind = kindOf(node);
    this.isAttachment = isLeaf && this.kind === undefined;
    this.isCalendar = this.isAttachment && /^(text\/calendar|application\/ics)$/.test(node.contentType || '');
  }

  add(sent: Buffer, room: Record<'plain' | 'html', number>): void {
    if (this.kind === undefined) this.#measure(sent);
    if (this.kind !== undefined || this.isCalendar) this.#keep(sent, this.kind ?? 'plain', room);
  }

  /** Keeps what a multipart has before its parts, or without any. */
  addPreamble(sent: Buffer, room: Record<'plain' | 'html', number>): void {
    if (this.node.multipart) this.#keep(sent, 'plain', room);
  }

  /** Shows the content of a multipart that has no parts, without its delimiters; forgets what is before parts. */
  settlePreamble(hasParts: boolean): void {
    if (this.node.multipart === false || this.#sent.length === 0) return;
    const text = Buffer.concat(this.#sent.splice(0)).toString('latin1');
    if (hasParts) {
      this.isCut = false;
      return;
    }
    const named = new Set([this.node, this.node.parentNode].map((node) => node && boundaryIn(node)));
    const isDelimiter = (line: string) => {
      const bare = line.startsWith('--') ? line.slice(2).trimEnd() : '';
      return bare !== '' && (named.has(bare) || named.has(bare.replace(/--$/, '')));
    };
    const lines = text.split('\n').filter((line) => !isDelimiter(line));
    this.#sent.push(Buffer.from(lines.join('\n'), 'latin1'));
    this.kind = looksLikeHtml.test(text) ? 'html' : 'plain';
  }

  #keep(sent: Buffer, kind: 'plain' | 'html', room: Record<'plain' | 'html', number>): void {
    // A copy, which does not hold the whole message in memory.
    if (room[kind] > 0) this.#sent.push(Buffer.from(sent.subarray(0, room[kind])));
    this.isCut ||= sent.length > room[kind];
    room[kind] = Math.max(0, room[kind] - sent.length);
  }

  #measure(sent: Buffer): void {
    this.#size.all += sent.length;
    for (const byte of sent) {
      if (byte === 0x3d) this.#size.escapes += 1;
      // The rest are letters, digits, + and /, counted for base64 until its padding.
      else if (byte > 0x2a && byte < 0x7b) this.#size.base64 += Number(this.#size.escapes === 0);
      else if (byte === 0x0a || byte === 0x0d) this.#size.lineEnds += 1;
    }
  }

  /** How it is described when it is one. Its size is that of the decoded bytes. */
  attachment(hints: Hints, charset: string | undefined): Contents['attachments'][number] | undefined {
    if (!this.isAttachment) return undefined;
    const { contentType, encoding, disposition, parentNode } = this.node;
    const { base64, escapes, lineEnds } = this.#size;
    const all = lineEnds <= 2 && lineEnds === this.#size.all ? 0 : this.#size.all;
    const sizes = new Map([
      ['base64', Math.floor((base64 * 3) / 4)],
      ['quoted-printable', all - 2 * escapes],
    ]);
    const contentId = headerOf(this.node, 'Content-ID').replaceAll(/[<>\s]/g, '') || null;
    const isOfHtml = parentNode !== false && parentNode.multipart === 'related' && contentId !== null;
    return {
      fileName:
        decodeWords(joinedWords(this.#fileName(hints, charset), hints)) ||
        (this.isCalendar ? 'invite.ics' : this.isTnef ? 'winmail.dat' : null),
      contentType: contentType || 'application/octet-stream',
      sizeBytes: Math.max(0, sizes.get(encoding || '') ?? all),
      contentId,
      isInline: disposition === 'inline' || (isOfHtml && disposition !== 'attachment'),
    };
  }

  #fileName(hints: Hints, charset: string | undefined): string {
    const name = this.node.filename || '';
    if (!/[\u0080-\u00ff]/.test(name)) return name;
    const named = (field: string, parameter: string): string | undefined => {
      const value = rawFieldOf(this.node, field, { charset, hints });
      return value && libmime.parseHeaderValue(value).params[parameter];
    };
    return named('content-disposition', 'filename') || named('content-type', 'name') || name;
  }

  /** Whether it is Outlook’s own format (TNEF). */
  get isTnef(): boolean {
    const { contentType, filename } = this.node;
    return /^application\/(vnd\.)?ms-tnef$/.test(contentType || '') || /^win(mail)?\.dat$/i.test(filename || '');
  }

  /** Returns a description of the part if it cannot be read. */
  get unread(): string | undefined {
    const { contentType, multipart, filename } = this.node;
    const type = contentType || '';
    // Exchange makes a multipart/mixed of the multipart/encrypted.
    if (multipart === 'encrypted' || type === 'application/pgp-encrypted')
      return 'It is encrypted: only its recipient’s own mail program can read it.';
    if (this.isTnef)
      return 'winmail.dat holds text and files in Outlook’s own format (TNEF): ask its sender for HTML or plain text.';
    if (type === 'application/x-microsoft-rpmsg-message' || /\.rpmsg$/i.test(filename || ''))
      return 'It is protected by Microsoft (message.rpmsg): only its recipient’s own mail program can read it.';
    if (!isSmime(type, filename || '')) return undefined;
    const [, smime] = /smime-type\s*=\s*"?([\w-]+)/i.exec(headerOf(this.node, 'Content-Type')) ?? [];
    if (smime === undefined && type === 'application/octet-stream') return 'It is S/MIME that cannot be read here.';
    return /^(signed|compressed)-data$/i.test(smime ?? '')
      ? `It is S/MIME (${smime}) that cannot be read here.`
      : 'It is encrypted with S/MIME: only its recipient’s own mail program can read it.';
  }

  /** Yields the content of a part without its transfer encoding. */
  async *decoded(sent: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const { encoding } = this.node;
    const whole = withoutLoneLineEnd(sent);
    if (encoding === 'base64') yield* fromBase64(whole);
    // mailsplit's decoder takes the square of a run of blanks.
    else if (encoding === 'quoted-printable') yield fromQuotedPrintable(await buffer(whole));
    else yield* whole;
  }

  async text(hints: Hints, omitted: string[]): Promise<string> {
    const { charset: label, contentType, flowed, delSp } = this.node;
    const sent = await buffer(this.decoded(Readable.from(this.#sent)));
    const bytes = this.isCalendar ? unfoldedCalendar(sent) : sent;
    const isHtml = this.kind === 'html';
    const { text, charset, unknown } = decodeText(bytes, label || '', { isHtml, isCut: this.isCut, hints });
    this.charset = charset;
    if (unknown) omitted.push(`characters that its charset “${unknown}”, which is not known here, may have`);
    const lines = text.replaceAll('\r\n', '\n');
    if (/^text\/(enriched|richtext)$/.test(contentType || '')) return lines.replaceAll(/<[^<>]*>/g, '');
    return flowed ? unflowed(lines, delSp) : lines;
  }
}

/** A fold may be within a letter (RFC 5545, 3.1). */
const unfoldedCalendar = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.toString('latin1').replaceAll(/\r?\n[ \t]/g, ''), 'latin1');

/** Lines that were broken for the way are whole again (RFC 3676, 4). */
function unflowed(text: string, delSp: boolean): string {
  const lines: string[] = [];
  let before = { depth: 0, isSoft: false };
  for (const line of text.split('\n')) {
    const depth = /^>*/.exec(line)?.[0].length ?? 0;
    const rest = line.slice(depth).replace(/^ /, '');
    const isSoft = rest.endsWith(' ') && rest !== '-- ';
    const shown = isSoft && delSp ? rest.slice(0, -1) : rest;
    if (before.isSoft && before.depth === depth && rest !== '-- ') lines[lines.length - 1] += shown;
    else lines.push(depth === 0 ? shown : `${'>'.repeat(depth)} ${shown}`);
    before = { depth, isSoft };
  }
  return lines.join('\n');
}

const headerOf = ({ headers }: MimeNode, name: string): string => (headers === false ? '' : headers.getFirst(name));

/** Returns the value of a field in raw bytes, which are in the charset of the text if a mail says so; undefined for other fields. */
function rawFieldOf(
  { headers }: MimeNode,
  name: string,
  { charset, hints }: { charset: string | undefined; hints: Hints },
): string | undefined {
  const line = headers === false ? '' : (headers.getList().find(({ key }) => key === name)?.line ?? '');
  if (!isRaw.test(line)) return undefined;
  return libmime.decodeHeader(decodeText(Buffer.from(line, 'latin1'), labelOfRaw(charset), { hints }).text).value;
}

const boundaryIn = (node: MimeNode): string =>
  String(libmime.parseHeaderValue(headerOf(node, 'Content-Type')).params['boundary'] ?? '');

/** Whether a text is sent as a file: Apple Mail says that it is shown inline, and names it. Of alternatives it is the message itself. */
function isFile({ filename, disposition, parentNode }: MimeNode): boolean {
  const place = parentNode === false ? undefined : parentNode.multipart;
  return Boolean(filename) && (disposition === 'inline' ? place !== 'alternative' : place === 'mixed');
}

/** Texts that are for programs: the others are shown, whatever they are (RFC 2046, 4.1.4). */
const isForPrograms =
  /^text\/(calendar|csv|tab-separated-values|(x-)?vcard|directory|rfc822-headers|css|xml|xsl|rtf|x-amp-html|(x-|java|ecma)script.*|json|x-diff|x-patch|vnd\..*|watch-html|x-watch-html)$/;

/** As what a text is shown. */
function kindOf({ contentType, filename, parentNode }: MimeNode): 'plain' | 'html' | undefined {
  const type = contentType || 'text/plain';
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  if (type === 'text/plain') return 'plain';
  const isAlternative = parentNode !== false && parentNode.multipart === 'alternative';
  return /^text\//.test(type) && !isAlternative && !filename && !isForPrograms.test(type) ? 'plain' : undefined;
}

/** The parts of one multipart/alternative say the same thing. */
async function textsOf(parts: readonly Part[], hints: Hints, omitted: string[]): Promise<Contents['texts']> {
  const texts: Texts = new Map();
  const events = new Set<string>();
  for (const part of parts) {
    if (part.isCalendar) events.add(calendarText(await part.text(hints, omitted)));
    else await addText(texts, part, { hints, omitted });
  }
  if (parts.some(({ isCut }) => isCut)) omitted.push('the end of its text');
  const said = [...events].filter((event) => event !== '').map((event) => ({ plain: `\n${event}` }));
  return [...texts.values(), ...said];
}

type Texts = Map<MimeNode, { plain?: string; html?: string }>;

async function addText(
  texts: Texts,
  part: Part,
  { hints, omitted }: { hints: Hints; omitted: string[] },
): Promise<void> {
  const { node, kind } = part;
  if (node.parentNode !== false && node.parentNode.messageNode === true)
    texts.set(node, { plain: embeddedHead(node, hints) });
  if (kind === undefined) return;
  const place = alternativeOf(node) ?? node;
  const before = texts.get(place) ?? {};
  texts.set(place, { ...before, [kind]: joined(before[kind], await part.text(hints, omitted)) });
}

const joined = (before: string | undefined, text: string) => (before === undefined ? text : `${before}\n${text}`);

function alternativeOf(node: MimeNode): MimeNode | undefined {
  for (let at = node.parentNode; at !== false && !at.messageNode; at = at.parentNode) {
    if (at.multipart === 'alternative') return at;
  }
  return undefined;
}

const embeddedHeaders = ['From', 'To', 'Subject', 'Date'];
const maxEmbeddedCharacters = 998;

/** Returns the author and the date of an embedded message. */
function embeddedHead(node: MimeNode, hints: Hints): string {
  const charset = node.charset || undefined;
  const lines = embeddedHeaders.flatMap((name) => {
    const value = rawFieldOf(node, name.toLowerCase(), { charset, hints }) ?? headerOf(node, name);
    const end = value.length > maxEmbeddedCharacters ? '…' : '';
    const shown = decodeWords(joinedWords(value.slice(0, maxEmbeddedCharacters), hints));
    return value === '' ? [] : [`${name}: ${shown}${end}`];
  });
  return `${lines.join('\n')}\n`;
}

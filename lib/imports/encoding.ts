import { isUtf8 } from 'node:buffer';
import type { FileForm } from '#lib/entities/import.ts';

type Encoding = NonNullable<FileForm['encoding']>;

/** No byte of UTF-8: stands for half of a character of UTF-16. */
const broken = 0xff;

/** Share of zeros at one end of the pairs of bytes, from which on they are UTF-16. */
const zeroShare = 0.3;

/** Returns the order of the bytes of UTF-16, by a byte order mark or by the zeros of ASCII; undefined for another encoding. */
export function isLittleEndian(bytes: Buffer): boolean | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return true;
  if (first === 0xfe && second === 0xff) return false;
  const some = bytes.subarray(0, 4096);
  const zeros = [0, 0];
  for (const [index, byte] of some.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const enough = (zeroShare * some.length) / 2;
  if (odd > enough && even === 0) return true;
  return even > enough && odd === 0 ? false : undefined;
}

/** Returns bytes of UTF-16 as bytes of UTF-8, where half of a character becomes a byte that UTF-8 does not have. */
function fromUtf16(bytes: Buffer): Buffer {
  const text = bytes.toString('utf16le');
  const whole = text.toWellFormed();
  if (whole === text) return Buffer.from(text);
  const utf8 = Buffer.alloc(text.length * 3);
  let length = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) === whole.charCodeAt(at)) continue;
    length += utf8.write(text.slice(start, at), length);
    length = utf8.writeUInt8(broken, length);
    start = at + 1;
  }
  length += utf8.write(text.slice(start), length);
  return utf8.subarray(0, length);
}

/** Returns all bytes of a short text in UTF-8, or as they are in an encoding of single bytes; without a byte order mark. */
export function bytesInUtf8(bytes: Buffer, encoding: Encoding): Buffer {
  if (encoding === 'utf-16') {
    const even = bytes.subarray(0, bytes.length - (bytes.length % 2));
    return withoutMark(fromUtf16(isLittleEndian(bytes) === false ? Buffer.from(even).swap16() : even));
  }
  return encoding === 'utf-8' ? withoutMark(bytes) : bytes;
}

const mark = Buffer.from('\ufeff');
const withoutMark = (bytes: Buffer) => (bytes.subarray(0, 3).equals(mark) ? bytes.subarray(3) : bytes);

/** Returns the bytes of a file as `bytesInUtf8` does, as they come. */
export async function* inUtf8(source: AsyncIterable<Buffer>, encoding: Encoding): AsyncGenerator<Buffer> {
  let isFirst = true;
  let isSwapped = false;
  let rest = Buffer.alloc(0);
  for await (const chunk of source) {
    if (encoding === 'windows-1252') {
      yield chunk;
      continue;
    }
    const all = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    if (isFirst) isSwapped = encoding === 'utf-16' && isLittleEndian(all) === false;
    const end = encoding === 'utf-16' ? wholeUnits(all, isSwapped) : all.length;
    rest = Buffer.from(all.subarray(end));
    const bytes = all.subarray(0, end);
    const text = encoding === 'utf-16' ? fromUtf16(isSwapped ? Buffer.from(bytes).swap16() : bytes) : bytes;
    yield isFirst ? withoutMark(text) : text;
    isFirst = false;
  }
  if (rest.length > 0) yield Buffer.from([broken]);
}

/** Returns how many of the bytes are whole characters, as far as is known: the last may be half of one. */
function wholeUnits(bytes: Buffer, isSwapped: boolean): number {
  const even = bytes.length - (bytes.length % 2);
  const high = even >= 2 ? bytes[isSwapped ? even - 2 : even - 1] : undefined;
  return high !== undefined && high >= 0xd8 && high <= 0xdb ? even - 2 : even;
}

const western = new TextDecoder('windows-1252');
const undefinedInWestern = /[\u0081\u008d\u008f\u0090\u009d]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the letters of ASCII.
const ascii = /^[\x00-\x7f]*$/;

/** Returns the text of bytes that are given as Latin-1, and whether a byte is outside the encoding. */
export function decoded(latin1: string, encoding: Encoding): { text: string; isBroken: boolean } {
  if (ascii.test(latin1)) return { text: latin1, isBroken: false };
  const bytes = Buffer.from(latin1, 'latin1');
  if (encoding === 'windows-1252') {
    const text = western.decode(bytes);
    return { text, isBroken: undefinedInWestern.test(text) };
  }
  return { text: bytes.toString(), isBroken: !isUtf8(bytes) };
}

/** Counts what is UTF-8 among bytes that are not ASCII, as they come. */
export class Utf8Count {
  #right = 0;
  #wrong = 0;
  /** Bytes of a character that are still to come. */
  #left = 0;

  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#left > 0 && byte >= 0x80 && byte <= 0xbf) {
        this.#left -= 1;
        if (this.#left === 0) this.#right += 1;
        continue;
      }
      if (this.#left > 0) this.#wrong += 1;
      this.#left = byte < 0xc2 || byte > 0xf4 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
      if (byte >= 0x80 && this.#left === 0) this.#wrong += 1;
    }
  }

  /** The encoding that most of the bytes are in; null where all are ASCII. */
  get encoding(): 'utf-8' | 'windows-1252' | null {
    if (this.#right + this.#wrong === 0) return null;
    return this.#right >= this.#wrong ? 'utf-8' : 'windows-1252';
  }
}

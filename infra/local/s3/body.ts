import { createHash, type Hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';
import { AwsError } from '../aws-error.ts';

/** Check of a body against a header of its request: how it is computed, and the expected value. */
interface Check {
  /** The header of a checksum that is kept with the object. */
  keptAs?: string;
  update(chunk: Buffer): void;
  digest(): string;
  expected(): string | undefined;
  error: AwsError;
}

const chunked = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
const sums = ['crc32', 'sha1', 'sha256'] as const;

/** Returns whether a header of an object is its checksum. */
export const isChecksum = (header: string) => header.startsWith('x-amz-checksum-');

/**
 * Yields the bytes of a request, without the SDK's chunk format. At the end it throws if a check fails; else the checksums are in `kept`,
 * by header.
 */
export async function* receivedBytes(
  source: AsyncIterable<Buffer>,
  headers: IncomingHttpHeaders,
  kept: Record<string, string> = {},
) {
  const declared = String(headers['x-amz-content-sha256'] ?? 'UNSIGNED-PAYLOAD');
  if (declared.startsWith('STREAMING-') && declared !== chunked)
    throw new AwsError('NotImplemented', `The local S3 does not take ${declared}.`, { status: 501 });
  const isChunked = declared === chunked;
  const length = Number(headers[isChunked ? 'x-amz-decoded-content-length' : 'content-length']);
  if (!Number.isSafeInteger(length) || length < 0)
    throw new AwsError('MissingContentLength', 'You must provide the Content-Length HTTP header.', { status: 411 });
  const trailers = new Map<string, string>();
  const checks = checksOf(headers, trailers, declared);
  let received = 0;
  for await (const chunk of isChunked ? unchunked(source, trailers) : source) {
    received += chunk.length;
    for (const check of checks) check.update(chunk);
    yield chunk;
  }
  if (received !== length)
    throw new AwsError('IncompleteBody', 'You did not provide the number of bytes that the request announces.');
  for (const { digest, expected, error, keptAs } of checks) {
    const computed = digest();
    if (computed !== expected()) throw error;
    if (keptAs) kept[keptAs] = computed;
  }
}

function checksOf(headers: IncomingHttpHeaders, trailers: Map<string, string>, declared: string): Check[] {
  const badDigest = new AwsError('BadDigest', 'The checksum of the body is not the one that the request gives.');
  const announced = String(headers['x-amz-trailer'] ?? '');
  const found: Check[] = sums.flatMap((sum) => {
    const name = `x-amz-checksum-${sum}`;
    const given = headers[name];
    if (given === undefined && announced !== name) return [];
    return {
      ...summing(sum),
      keptAs: name,
      expected: () => (given === undefined ? trailers.get(name) : String(given)),
      error: badDigest,
    };
  });
  const md5 = headers['content-md5'];
  if (md5 !== undefined) found.push({ ...hashing('md5', 'base64'), expected: () => String(md5), error: badDigest });
  if (/^[0-9a-f]{64}$/.test(declared)) {
    const message = "The provided 'x-amz-content-sha256' header does not match what was computed.";
    const error = new AwsError('XAmzContentSHA256Mismatch', message);
    found.push({ ...hashing('sha256', 'hex'), expected: () => declared, error });
  }
  return found;
}

function summing(sum: (typeof sums)[number]) {
  if (sum !== 'crc32') return hashing(sum, 'base64');
  let value = 0;
  return {
    update: (chunk: Buffer) => {
      value = crc32(chunk, value);
    },
    digest: () => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value);
      return bytes.toString('base64');
    },
  };
}

function hashing(name: string, encoding: 'hex' | 'base64') {
  const hash: Hash = createHash(name);
  return { update: (chunk: Buffer) => void hash.update(chunk), digest: () => hash.digest(encoding) };
}

const incomplete = () => new AwsError('IncompleteBody', 'The request body terminated unexpectedly.');

/** Takes aws-chunked apart: a length in hexadecimal, so many bytes, and so on to a length of zero; then the trailers. */
async function* unchunked(source: AsyncIterable<Buffer>, trailers: Map<string, string>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  let buffered: Buffer = Buffer.alloc(0);
  const more = async () => {
    const { value, done } = await chunks.next();
    if (done) throw incomplete();
    buffered = buffered.length === 0 ? value : Buffer.concat([buffered, value]);
  };
  const line = async () => {
    while (!buffered.includes('\r\n')) await more();
    const end = buffered.indexOf('\r\n');
    const text = buffered.toString('latin1', 0, end);
    buffered = buffered.subarray(end + 2);
    return text;
  };
  for (;;) {
    let left = Number.parseInt(await line(), 16);
    if (!(left >= 0)) throw incomplete();
    if (left === 0) break;
    while (left > 0) {
      if (buffered.length === 0) await more();
      const part = buffered.subarray(0, left);
      buffered = buffered.subarray(part.length);
      left -= part.length;
      yield part;
    }
    if ((await line()) !== '') throw incomplete();
  }
  for (let trailer = await line(); trailer !== ''; trailer = await line()) {
    const [name = '', value = ''] = trailer.split(':');
    trailers.set(name.trim().toLowerCase(), value.trim());
  }
}

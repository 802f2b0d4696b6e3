import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Result } from './progress.ts';

const encodings = { br: '.br', gzip: '.gz' } as const;
export type Encoding = keyof typeof encodings;
/** The end of the name of a file that is packed so. */
export const suffixOf = (encoding: Encoding | undefined) => (encoding ? encodings[encoding] : '');

/** Returns the smallest encoding that `Accept-Encoding` takes; undefined for none. */
export function encodingFor(accepted = ''): Encoding | undefined {
  const taken = accepted
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
    .filter((one) => !/;\s*q=0(\.0*)?$/.test(one))
    .map((one) => one.split(';')[0]?.trim());
  return (Object.keys(encodings) as Encoding[]).find((name) => taken.includes(name));
}

/** Less than this does not get smaller. */
const minBytes = 1024;
/** The levels above cost many times the time and win a few percent. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** Compresses the body of an answer in text for callers that accept it. */
export function compress(answer: Result, accepted: string | undefined): void {
  const { body = '', isBase64Encoded } = answer;
  if (isBase64Encoded || Buffer.byteLength(body) < minBytes) return;
  const encoding = encodingFor(accepted);
  answer.headers = { ...answer.headers, Vary: 'Accept-Encoding', ...(encoding && { 'Content-Encoding': encoding }) };
  if (!encoding) return;
  answer.body = (encoding === 'br' ? brotliCompressSync(body, quality) : gzipSync(body)).toString('base64');
  answer.isBase64Encoded = true;
}

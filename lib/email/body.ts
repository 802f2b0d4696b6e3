import { gunzipSync, gzipSync } from 'node:zlib';

/** What a message says. */
export interface Body {
  bodyText: string;
  bodyHtml: string | null;
}

/** As much as fits an item of 400 KB beside everything else that the message keeps. */
const partCharacters = 300_000;

/** The body as one text or, if it is huge, several that each fit an item. */
export function packed({ bodyText, bodyHtml }: Body): string[] {
  const text = gzipSync(JSON.stringify({ bodyText, bodyHtml })).toString('base64');
  const parts = [];
  for (let start = 0; start < text.length; start += partCharacters)
    parts.push(text.slice(start, start + partCharacters));
  return parts;
}

/** At least so many bytes that a packed body has: base64 of what hardly grows by being packed. */
export const leastBytesIn = (first: string, moreParts: number): number =>
  (first.length + Math.max(0, moreParts - 1) * partCharacters) * 0.7;

export const unpacked = (parts: readonly string[]): Body =>
  JSON.parse(gunzipSync(Buffer.from(parts.join(''), 'base64')).toString());

/** The first characters of a text, on one line. */
export function previewOf(text: string, characters = 140): string {
  const line = text
    .slice(0, characters * 20)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return [...line].slice(0, characters).join('');
}

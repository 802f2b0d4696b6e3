import { gunzipSync, gzipSync } from 'node:zlib';
import * as v from 'valibot';
import { firstCharacters } from '#lib/core/text.ts';
import { withoutFiller } from './filler.ts';

/** Body of a message. */
const Body = v.object({ bodyText: v.string(), bodyHtml: v.nullable(v.string()), newText: v.string() });
export type Body = v.InferOutput<typeof Body>;

/** Limit for a row of a message, below the 400 KB of an item with its keys. JSON is almost never shorter than the counted size. */
const maxRowBytes = 350_000;
const partCharacters = 300_000;

/** Bytes of a body as JSON. What an archive says is one may be a thousand times as long as it is packed. */
const maxOutputLength = 2 * 2 ** 20;

/** Whether it is longer than is kept: in HTML that was made safe each tag may have grown. */
export const isOverlong = (body: Body): boolean => Buffer.byteLength(JSON.stringify(body)) > maxOutputLength;

/** The body in parts: what is left of the row of everything else that the message keeps, perhaps nothing, then others that each fit an item. Throws for one that is too long. */
export function packBody({ bodyText, bodyHtml, newText }: Body, besides: object): [string, ...string[]] {
  const body = { bodyText, bodyHtml, newText };
  if (isOverlong(body)) throw new Error('nobody could read a body that is so long');
  const text = gzipSync(JSON.stringify(body)).toString('base64');
  const room = maxRowBytes - Buffer.byteLength(JSON.stringify(besides));
  const first = Math.max(0, Math.min(room, partCharacters));
  const more = [];
  for (let start = first; start < text.length; start += partCharacters)
    more.push(text.slice(start, start + partCharacters));
  return [text.slice(0, first), ...more];
}

/** At least so many bytes that a packed body has: base64 of what hardly grows by being packed. */
export const leastBytesIn = (first: string, moreParts: number): number =>
  (first.length + Math.max(0, moreParts - 1) * partCharacters) * 0.7;

/** Throws for what is longer than any body, or none. */
export const unpackBody = (parts: readonly string[]): Body =>
  v.parse(Body, JSON.parse(gunzipSync(Buffer.from(parts.join(''), 'base64'), { maxOutputLength }).toString()));

/** The first characters of a text, on one line, without the addresses of its links. */
export function previewOf(text: string, characters = 140): string {
  const line = withoutFiller(firstCharacters(text, characters * 20))
    .replaceAll(/ ?<https?:[^<>\s]*>/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return firstCharacters(line, characters);
}

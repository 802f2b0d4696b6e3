import { isUtf8 } from 'node:buffer';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import { isTooDeep, maxLevels } from '#lib/core/nesting.ts';
import { badRequest, type Problem } from '#lib/core/problem.ts';
import { firstCharacters } from '#lib/core/text.ts';
import { type Event, type Progress, progressOf, type RequestStep } from './progress.ts';
import type { Route } from './route.ts';

const maxBodyBytes = 1024 * 1024;

/** Decodes the JSON body; what is wrong with it is answered later, after a missing resource (contract 0.5). */
export const readingBody = (route: Route): RequestStep => ({
  before: async ({ event, context }) => {
    const progress = progressOf(context);
    if (route.body && event.body) Object.assign(progress, decodedBody(event, progress, route.method));
  },
});

/** The body of a request, or what is wrong with it. */
export function decodedBody(
  { body = '', isBase64Encoded }: Event,
  { headers }: Pick<Progress, 'headers'>,
  method?: Route['method'],
): { body: unknown } | { bodyProblem: Problem } {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  const problem = refusalOf(bytes, headers, method);
  return problem ? { bodyProblem: problem } : parsed(bytes);
}

const jsonType = /^application\/json\s*(;|$)/i;
const jsonOrMergePatch = /^application\/(json|merge-patch\+json)\s*(;|$)/i;

function refusalOf(bytes: Buffer, headers: Progress['headers'], method?: Route['method']): Problem | undefined {
  const type = headers['content-type']?.trim() ?? '';
  const encoding = headers['content-encoding']?.trim() || 'identity';
  if (bytes.length > maxBodyBytes)
    return badRequest(
      'body_too_large',
      `the body has ${bytes.length} bytes, and at most ${maxBodyBytes} (1 MiB) are taken: split it, or upload files first`,
    );
  if (!(method === 'PATCH' ? jsonOrMergePatch : jsonType).test(type))
    return badRequest(
      'unsupported_content_type',
      'the body is not declared as JSON: send it with Content-Type: application/json',
    );
  const charset = charsetIn(type);
  if (!/^(utf-?8)?$/i.test(charset))
    return badRequest(
      'unsupported_content_type',
      `the body is declared as ${firstCharacters(charset, 40)}: send it in UTF-8`,
    );
  if (encoding.toLowerCase() !== 'identity')
    return badRequest(
      'unsupported_content_encoding',
      'the body has a Content-Encoding: send it uncompressed, without this header',
    );
  return undefined;
}

/** Returns the charset that a content type names, or an empty text. */
const charsetIn = (type: string) =>
  /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(type)?.slice(1).join('').trim() ?? '';

const notUtf8 = 'the body is not UTF-8: send JSON in UTF-8';
const parser = httpJsonBodyParser({ disableContentTypeCheck: true });

function parsed(bytes: Buffer): { body: unknown } | { bodyProblem: Problem } {
  if (!isUtf8(bytes)) return malformed(notUtf8);
  // A byte-order mark is no part of the JSON.
  const text = bytes.toString().replace(/^\uFEFF/, '');
  try {
    const body = decoded(text);
    if (isTooDeep(body)) return tooDeep();
    if (/\\ud[89a-f]/i.test(text) && !isWellFormed(body)) throw new SyntaxError('half a character');
    return { body };
  } catch (error) {
    const { data: key, message } = causeOf(error);
    if (message?.includes('call stack')) return tooDeep();
    if (key === '__proto__') return malformed('the body has a key __proto__: leave it out');
    // No JSON has a NUL, and UTF-16 has one in each ASCII character.
    if (bytes.includes(0)) return malformed(notUtf8);
    return malformed('the body is not valid JSON: check its quotes, commas, and braces');
  }
}

/** The parser refuses a `constructor` that has a `prototype` as well; both are plain keys here (revision 1.4, section 35). */
function decoded(text: string): unknown {
  const event: { body: unknown; isBase64Encoded: false } = { body: text, isBase64Encoded: false };
  try {
    parser.before?.({ event } as never);
    return event.body;
  } catch (error) {
    if (causeOf(error).data !== 'constructor') throw error;
    return JSON.parse(text, (key, value) => {
      if (key === '__proto__') throw new SyntaxError('forbidden key', { cause: { data: key } });
      return value;
    });
  }
}

const causeOf = (error: unknown) => ((error as Error).cause ?? {}) as { data?: unknown; message?: string };

const malformed = (message: string) => ({ bodyProblem: badRequest('malformed_json', message) });
const tooDeep = () => malformed(`the body is nested deeper than ${maxLevels} levels: send a flatter one`);

/** JSON can escape what neither UTF-8 nor the table can hold. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, inner]) => name.isWellFormed() && isWellFormed(inner));
}

import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { notFound } from '#lib/core/problem.ts';
import { encodingFor, suffixOf } from './answer.ts';
import type { Reply } from './idempotency.ts';

type Headers = Record<string, string | undefined>;

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
};

const page = 'index.html';
/** A name that follows the content: `main-3KQ5Z2AB.js`. */
const hashed = /-[A-Z0-9]{8}\.\w+$/;

/** Returns the policy of a page: its sources, its calls, and no frame around it. It shows, plays, and sends files at `filesAt`. */
const policiesOf = (filesAt: string | undefined) => {
  const files = filesAt === undefined ? '' : ` ${filesAt}`;
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `img-src 'self' data: blob:${files}`,
      ...(files && [`media-src${files}`]),
      `connect-src 'self'${files}`,
      "frame-src 'self' blob:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
  };
};

/**
 * Answers with the files of a folder that the build has written: those whose names follow their content are kept for good, the others,
 * as `index.html`, asked for again every time. Read once, when the first is asked for. `filesAt` gives the origin of users' files.
 */
export function assetsIn(folder: URL, filesAt?: () => string): (name: string, headers: Headers) => Reply {
  let tags: ReadonlyMap<string, string> | undefined;
  const packed = new Map<string, string>();
  const read = (name: string) => readFileSync(new URL(name, folder));
  const contentOf = (name: string) => {
    const content = packed.get(name) ?? read(name).toString('base64');
    packed.set(name, content);
    return content;
  };
  return (asked, headers) => {
    tags ??= new Map(Object.entries(JSON.parse(read('files.json').toString()) as Record<string, string>));
    const name = asked === '' ? page : asked;
    const tag = tags.get(name);
    if (tag === undefined) throw notFound('path');
    const kept = {
      ETag: `"${tag}"`,
      Vary: 'Accept-Encoding',
      'Cache-Control': hashed.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...policiesOf(filesAt?.()),
    };
    if (matches(headers['if-none-match'], tag)) return { status: 304, headers: kept, body: '' };
    const encoding = encodingFor(headers['accept-encoding']);
    return {
      status: 200,
      headers: {
        ...kept,
        'Content-Type': types[extname(name)] ?? 'application/octet-stream',
        ...(encoding && { 'Content-Encoding': encoding }),
      },
      body: contentOf(`${name}${suffixOf(encoding)}`),
      isBase64Encoded: true,
    };
  };
}

const matches = (given: string | undefined, tag: string) =>
  given?.split(',').some((one) => one.trim().replace(/^W\//, '') === `"${tag}"`) ?? false;

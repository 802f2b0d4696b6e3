import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { expect, test } from 'vitest';
import openapi from '#openapi' with { type: 'json' };
import { place } from '#test/place.ts';

const root = join(import.meta.dirname, '../..');

/** As a browser asks, but that what is compressed stays so. */
async function ask(path: string, headers: Record<string, string> = {}) {
  const { statusCode: status, headers: answered, body } = await request(`${place('baseUrl')}${path}`, { headers });
  return { status, headers: answered as Record<string, string>, body: Buffer.from(await body.arrayBuffer()) };
}

test('/docs redirects to the page at /docs/ for any caller', async () => {
  expect(await ask('/docs')).toMatchObject({ status: 308, headers: { location: '/docs/' } });
  const { status, headers, body } = await ask('/docs/');
  expect({ status, headers }).toMatchObject({
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    },
  });
  const script = /src="(\/docs\/main-\w+\.js)"/.exec(String(body))?.[1] as string;
  expect(await ask(script)).toMatchObject({
    status: 200,
    headers: { 'cache-control': 'public, max-age=31536000, immutable' },
  });
});

test.each([
  ['/llms.txt', 'text/plain; charset=utf-8', '# Contact and Pipeline Management API'],
  ['/docs/postman.json', 'application/json', '"schema": "https://schema.getpostman.com/json/collection/v2.1.0/'],
  ['/docs/changelog.md', 'text/markdown; charset=utf-8', readFileSync(join(root, 'CHANGELOG.md'), 'utf8')],
  ['/docs/mcp.md', 'text/markdown; charset=utf-8', readFileSync(join(root, 'docs/mcp.md'), 'utf8')],
])('%s is served and asked for again every time', async (path, type, text) => {
  const { status, headers, body } = await ask(path);
  expect({ status, headers }).toMatchObject({
    status: 200,
    headers: { 'content-type': type, 'cache-control': 'no-cache' },
  });
  expect(String(body)).toContain(text);
});

test.each([
  ['br', brotliDecompressSync, 80],
  ['gzip', gunzipSync, 120],
  ['', (body: Buffer) => body, 1100],
] as const)('the document comes as "%s", and not again while it is the same', async (encoding, unpacked, kilobytes) => {
  const { status, headers, body } = await ask('/openapi.json', { 'accept-encoding': encoding });
  expect({ status, type: headers['content-type'], encoding: headers['content-encoding'] ?? '' }).toEqual({
    status: 200,
    type: 'application/json',
    encoding,
  });
  expect(body.length / 1024).toBeLessThan(kilobytes);
  expect(JSON.parse(String(unpacked(body)))).toEqual(openapi);
  const again = await ask('/openapi.json', { 'if-none-match': headers['etag'] as string });
  expect({ status: again.status, bytes: again.body.length }).toEqual({ status: 304, bytes: 0 });
});

test.each(['/docs/main.js', '/docs/files.json', '/docs/llms.txt.br', '/docs/..%2fpanel/index.html'])(
  'there is no %s',
  async (path) => {
    const { status, body } = await ask(path);
    expect({ status, ...JSON.parse(String(body)) }).toMatchObject({ status: 404, error: 'not_found' });
  },
);

import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { env } from '#lib/core/env.ts';
import { place } from '#test/place.ts';

const baseUrl = place('baseUrl');

/** As a browser asks, but that what is compressed stays so. */
async function ask(path: string, headers: Record<string, string> = {}) {
  const { statusCode: status, headers: answered, body } = await request(`${baseUrl}${path}`, { headers });
  return { status, headers: answered as Record<string, string>, body: Buffer.from(await body.arrayBuffer()) };
}

const scriptIn = (page: Buffer) => /src="(\/panel\/main-\w+\.js)"/.exec(String(page))?.[1] as string;

test('/panel redirects to the page at /panel/ for any caller', async () => {
  const first = await ask('/panel');
  expect(first).toMatchObject({ status: 308, headers: { location: '/panel/' } });
  const { status, headers, body } = await ask('/panel/');
  expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
  expect(headers).toMatchObject({
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  });
  const policies = headers['content-security-policy']?.split('; ');
  expect(policies).toEqual(
    expect.arrayContaining(["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]),
  );
  expect(String(policies)).not.toContain('unsafe');
  const files = new URL(env('AWS_ENDPOINT_URL_S3') as string).origin;
  expect(policies).toEqual(
    expect.arrayContaining([
      `img-src 'self' data: blob: ${files}`,
      `media-src ${files}`,
      `connect-src 'self' ${files}`,
    ]),
  );
  expect(String(body)).toContain('<div id="app">');
});

test('an unchanged file answers 304', async () => {
  const { headers } = await ask('/panel/');
  const again = await ask('/panel/', { 'if-none-match': `"other", W/${headers['etag']}` });
  expect(again).toMatchObject({ status: 304, headers: { etag: headers['etag'] } });
  expect(again.body.length).toBe(0);
});

test.each([
  ['gzip, deflate, br', 'br', brotliDecompressSync],
  ['gzip, br;q=0', 'gzip', gunzipSync],
  ['', undefined, (body: Buffer) => body],
])('to who takes "%s" a file comes as %s', async (accepted, encoding, unpacked) => {
  const path = scriptIn((await ask('/panel/')).body);
  const plain = await ask(path);
  const { status, headers, body } = await ask(path, { 'accept-encoding': accepted });
  expect(status).toBe(200);
  expect(headers['content-encoding']).toBe(encoding);
  expect(headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
  });
  expect(unpacked(body).equals(plain.body)).toBe(true);
});

test.each(['/panel/main.js', '/panel/files.json', '/panel/..%2fpackage.json', '/panel/index.html.br', '/panel/a/b/c'])(
  'there is no %s',
  async (path) => {
    const { status, body } = await ask(path);
    expect({ status, ...JSON.parse(String(body)) }).toMatchObject({ status: 404, error: 'not_found' });
  },
);

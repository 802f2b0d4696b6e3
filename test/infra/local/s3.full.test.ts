import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalS3, startS3 } from '#infra/local/s3.ts';

const accessKeyId = 'LOCALKEY';
const credentials = { accessKeyId, secretAccessKey: 'any' };
const Bucket = 'crm-files';
const region = 'us-east-1';

let folder: string;
let local: LocalS3;
let s3: S3Client;

const start = async () => {
  const started = await startS3({ host: '127.0.0.1', port: 0, accessKeyId, folder });
  started.configure([
    {
      name: Bucket,
      expirations: [{ prefix: 'uploads/', days: 1 }],
      cors: { methods: ['PUT'], headers: ['content-type'] },
    },
  ]);
  return started;
};
const clientOf = (config: S3ClientConfig = {}) =>
  new S3Client({ region, endpoint: local.url, credentials, maxAttempts: 1, ...config });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 's3-'));
  local = await start();
  s3 = clientOf();
});
afterAll(async () => {
  s3.destroy();
  await local.close();
  await rm(folder, { recursive: true });
});

const put = (Key: string, Body: string | Buffer, more: object = {}) =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));

async function get(Key: string, more: object = {}) {
  const { Body, ContentRange, ContentType, $metadata } = await s3.send(new GetObjectCommand({ Bucket, Key, ...more }));
  return { status: $metadata.httpStatusCode, text: await Body?.transformToString(), ContentRange, ContentType };
}

/** As the SDK's presigner makes it of a command's request, by the client's own signer. */
async function presign(
  method: string,
  key: string,
  {
    query = {},
    headers = {},
    client = s3,
    ...options
  }: {
    query?: Record<string, string>;
    headers?: Record<string, string>;
    client?: S3Client;
    expiresIn?: number;
    signingDate?: Date;
  } = {},
): Promise<string> {
  const { hostname, port } = new URL(local.url);
  const signer = await (client.config.signer as unknown as () => Promise<{ presign: Presign }>)();
  const signed = await signer.presign(
    {
      ...{ method, protocol: 'http:', hostname, port: Number(port), path: `/${Bucket}/${key}`, query },
      headers: { host: `${hostname}:${port}`, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', ...headers },
    },
    { expiresIn: 300, ...options },
  );
  const search = Object.entries(signed.query).map((pair) => pair.map(encodeURIComponent).join('='));
  return `${local.url}/${Bucket}/${key}?${search.join('&')}`;
}
type Presign = (request: object, options: object) => Promise<{ query: Record<string, string> }>;

const codeOf = async (response: Response) => /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1];

describe('the SDK’s own client', () => {
  test('puts, reads, looks at, copies and removes an object', async () => {
    const name = 'messages/a b+c/é%2F?.txt';
    const { ETag } = await put(name, 'hello', { ContentType: 'text/plain', Metadata: { by: 'anna' } });
    expect(ETag).toBe(`"${createHash('md5').update('hello').digest('hex')}"`);
    expect(await get(name)).toMatchObject({ status: 200, text: 'hello', ContentType: 'text/plain' });
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: name }));
    expect(head).toMatchObject({ ContentLength: 5, ETag, Metadata: { by: 'anna' } });
    await s3.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/${encodeURIComponent(name)}` }));
    await s3.send(new DeleteObjectCommand({ Bucket, Key: name }));
    await expect(get(name)).rejects.toMatchObject({ name: 'NoSuchKey' });
    await expect(s3.send(new HeadObjectCommand({ Bucket, Key: name }))).rejects.toMatchObject({ name: 'NotFound' });
    expect(await get('copy')).toMatchObject({ text: 'hello', ContentType: 'text/plain' });
    const nowhere = { CopySource: `${Bucket}/${encodeURIComponent(name)}` };
    await expect(s3.send(new CopyObjectCommand({ Bucket, Key: 'copy', ...nowhere }))).rejects.toMatchObject({
      name: 'NoSuchKey',
    });
  });

  test.each([
    ['bytes=0-0', '0', 'bytes 0-0/10'],
    ['bytes=3-5', '345', 'bytes 3-5/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=7-99', '789', 'bytes 7-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
  ])('reads %s', async (Range, text, ContentRange) => {
    await put('digits', '0123456789');
    expect(await get('digits', { Range })).toMatchObject({ status: 206, text, ContentRange });
  });

  test('is refused a range behind the end, and given all bytes for what is no range', async () => {
    await put('digits', '0123456789');
    await expect(get('digits', { Range: 'bytes=10-' })).rejects.toMatchObject({ name: 'InvalidRange' });
    expect(await get('digits', { Range: 'bytes=5-3' })).toMatchObject({ status: 200, text: '0123456789' });
  });

  test('streams, with the checksum behind the bytes, and takes a checksum that is wrong for what it is', async () => {
    const chunk = Buffer.alloc(100_000, 'x');
    const Body = Readable.from(Array.from({ length: 30 }, () => chunk));
    await s3.send(new PutObjectCommand({ Bucket, Key: 'stream', Body, ContentLength: 30 * chunk.length }));
    expect((await get('stream')).text).toBe('x'.repeat(3_000_000));
    await expect(put('wrong', 'hello', { ChecksumCRC32: 'AAAAAA==' })).rejects.toMatchObject({ name: 'BadDigest' });
    await expect(get('wrong')).rejects.toMatchObject({ name: 'NoSuchKey' });
  });

  test('lists by prefix, page by page, and removes several', async () => {
    for (const key of ['list/b', 'list/a&<', 'list/c', 'other']) await put(key, key);
    const first = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'list/', MaxKeys: 2 }));
    expect(first.Contents?.map(({ Key }) => Key)).toEqual(['list/a&<', 'list/b']);
    const next = { Prefix: 'list/', ContinuationToken: first.NextContinuationToken };
    const second = await s3.send(new ListObjectsV2Command({ Bucket, ...next }));
    expect(second).toMatchObject({ IsTruncated: false, Contents: [{ Key: 'list/c', Size: 6 }] });
    const Objects = ['list/a&<', 'list/b'].map((Key) => ({ Key }));
    await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    expect((await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'list/' }))).KeyCount).toBe(1);
  });

  test('keeps the checksum of an object, and returns it for the whole object', async () => {
    const body = 'summed up';
    const ChecksumSHA256 = createHash('sha256').update(body).digest('base64');
    expect(await put('summed', body, { ChecksumSHA256 })).toMatchObject({ ChecksumSHA256 });
    expect((await put('counted', body)).ChecksumCRC32).toMatch(/^.{6}==$/);
    const sumOf = async (more: object) =>
      (await s3.send(new GetObjectCommand({ Bucket, Key: 'summed', ...more }))).ChecksumSHA256;
    expect(await sumOf({ ChecksumMode: 'ENABLED' })).toBe(ChecksumSHA256);
    expect(await sumOf({ ChecksumMode: 'ENABLED', Range: 'bytes=0-3' })).toBeUndefined();
    const plain = clientOf({ responseChecksumValidation: 'WHEN_REQUIRED' });
    expect((await plain.send(new GetObjectCommand({ Bucket, Key: 'summed' }))).ChecksumSHA256).toBeUndefined();
  });

  test('takes names of 1,024 bytes, removes a thousand objects at once, and copies from its buckets alone', async () => {
    await put('ü'.repeat(512), 'long');
    await expect(put(`${'ü'.repeat(512)}x`, 'longer')).rejects.toMatchObject({ name: 'KeyTooLongError' });
    const remove = (count: number) => {
      const Objects = Array.from({ length: count }, (_, index) => ({ Key: `none-${index}` }));
      return s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
    };
    await remove(1000);
    for (const count of [0, 1001]) await expect(remove(count)).rejects.toMatchObject({ name: 'MalformedXML' });
    const copy = new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: 'none-of-ours/one' });
    await expect(s3.send(copy)).rejects.toMatchObject({ name: 'NoSuchBucket' });
  });

  test('finds what was stored before a restart', async () => {
    await put('kept', 'still here');
    await local.close();
    local = await start();
    s3 = clientOf();
    expect(await get('kept')).toMatchObject({ text: 'still here' });
  });

  test('is refused with another key', async () => {
    const other = clientOf({ credentials: { ...credentials, accessKeyId: 'OTHER' } });
    const get = new GetObjectCommand({ Bucket, Key: 'kept' });
    await expect(other.send(get)).rejects.toMatchObject({ name: 'AccessDenied' });
    await expect(s3.send(new GetObjectCommand({ Bucket: 'nobodys', Key: 'kept' }))).rejects.toMatchObject({
      name: 'NoSuchBucket',
    });
  });
});

const allowed = ({ headers }: Response, what: string) => headers.get(`access-control-allow-${what}`);

describe('a presigned URL', () => {
  test('uploads', async () => {
    const url = await presign('PUT', 'signed', { headers: { 'content-type': 'image/png', 'content-length': '5' } });
    const put = await fetch(url, { method: 'PUT', body: 'hello', headers: { 'content-type': 'image/png' } });
    expect(put.status).toBe(200);
    expect(await get('signed')).toMatchObject({ text: 'hello', ContentType: 'image/png' });
  });

  test('lets a web page send what the rule of its bucket lets it', async () => {
    const url = await presign('PUT', 'sent', { headers: { 'content-type': 'image/png', 'content-length': '5' } });
    const origin = 'http://127.0.0.1:3000';
    const asking = (method: string) =>
      fetch(url, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': method } });
    const asked = await asking('PUT');
    expect([asked.status, ...['origin', 'methods', 'headers'].map((of) => allowed(asked, of))]).toEqual([
      200,
      origin,
      'PUT',
      'content-type',
    ]);
    const put = await fetch(url, { method: 'PUT', body: 'hello', headers: { 'content-type': 'image/png', origin } });
    expect([put.status, allowed(put, 'origin')]).toEqual([200, origin]);
    const refused = await asking('GET');
    expect([refused.status, allowed(refused, 'origin')]).toEqual([403, null]);
  });

  test('is answered with the disposition and the type that it was signed with', async () => {
    await put('page', '<script>', { ContentType: 'text/html' });
    const query = {
      'response-content-disposition': 'attachment; filename="a b.html"',
      'response-content-type': 'text/x',
    };
    const url = await presign('GET', 'page', { query });
    const response = await fetch(url);
    expect([response.headers.get('content-disposition'), response.headers.get('content-type')]).toEqual([
      'attachment; filename="a b.html"',
      'text/x',
    ]);
    const range = await fetch(url, { headers: { range: 'bytes=1-6' } });
    expect([range.status, await range.text()]).toEqual([206, 'script']);
  });

  test.each([
    ['an expired one', { expiresIn: 60, signingDate: new Date(Date.now() - 61_000) }, 'AccessDenied'],
    ['one for ever', { expiresIn: 7 * 86_400 }, undefined],
  ])('%s', async (_, options, code) => {
    await put('timed', 'now');
    const response = await fetch(await presign('GET', 'timed', options));
    expect(await codeOf(response)).toBe(code);
  });

  test('is refused with another key, without a time or without a signature', async () => {
    await put('mine', 'secret');
    const other = clientOf({ credentials: { ...credentials, accessKeyId: 'OTHER' } });
    const own = await presign('GET', 'mine');
    const bare = `${local.url}/${Bucket}/mine`;
    for (const [url, code] of [
      [await presign('GET', 'mine', { client: other }), 'AccessDenied'],
      [own.replace(/X-Amz-Expires=\d+/, 'X-Amz-Expires=never'), 'AuthorizationQueryParametersError'],
      [bare, 'AccessDenied'],
    ] as const)
      expect(await codeOf(await fetch(url)), url).toBe(code);
    expect((await fetch(bare, { method: 'PUT', body: 'x' })).status).toBe(403);
  });
});

test('an upload that is cut leaves nothing behind', async () => {
  const url = new URL(await presign('PUT', 'cut', { headers: { 'content-length': '1000' } }));
  await new Promise<void>((resolve) => {
    const socket = connect(Number(url.port), url.hostname, () => {
      socket.write(
        `PUT ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\ncontent-length: 1000\r\n\r\nhalf`,
      );
      const files = globSync(join(folder, Bucket, '*')).length;
      const watch = setInterval(() => {
        if (globSync(join(folder, Bucket, '*')).length === files) return;
        clearInterval(watch);
        socket.destroy();
        resolve();
      }, 5);
    });
  });
  await expect(get('cut')).rejects.toMatchObject({ name: 'NoSuchKey' });
  await expect.poll(() => globSync(join(folder, Bucket, '*')).length % 2).toBe(0);
});

test('a lifecycle rule removes the objects under its prefix at the midnight after their days', async () => {
  const keys = ['uploads/old', 'uploads/new', 'messages/old'];
  for (const key of keys) await put(key, key);
  const paths = globSync(join(folder, Bucket, '*.json'));
  for (const path of paths) {
    const object = JSON.parse(readFileSync(path, 'utf8'));
    const storedAt = new Date(Date.now() - 49 * 3_600_000).toISOString();
    if (object.key.endsWith('/old')) writeFileSync(path, JSON.stringify({ ...object, storedAt }));
  }
  await local.close();
  local = await start();
  s3 = clientOf();
  await expect(get('uploads/old')).rejects.toMatchObject({ name: 'NoSuchKey' });
  expect(await get('uploads/new')).toMatchObject({ status: 200 });
  expect(await get('messages/old')).toMatchObject({ status: 200 });
});

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { minuteMs } from '#lib/core/clock.ts';
import { AwsError } from './aws-error.ts';
import type { Values } from './calls.ts';
import type { Guarded } from './guard.ts';
import { requireAccess } from './s3/access.ts';
import { isChecksum, receivedBytes } from './s3/body.ts';
import { type Bucket, Buckets, type StoredObject } from './s3/bucket.ts';
import type { BucketToRun } from './template.ts';
import { noteCall, page } from './wire.ts';

export interface LocalS3 {
  url: string;
  /** Makes the buckets that are not there yet; the others keep what they hold. */
  configure(buckets: readonly BucketToRun[]): void;
  close(): Promise<void>;
}

/** Starts S3 on a folder: objects, copies, ranges, lists and expiration, in path style. */
export async function startS3({ folder, ...address }: Guarded & { folder: string }): Promise<LocalS3> {
  const buckets = new Buckets(folder);
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch((cause: unknown) => {
      if (outgoing.headersSent || outgoing.destroyed) outgoing.destroy();
      else refuse(incoming, outgoing, asAwsError(cause));
    });
  });

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const [path = '/', search = ''] = (incoming.url ?? '/').split('?', 2);
    const query = new URLSearchParams(search);
    const { method = 'GET', headers } = incoming;
    requireAccess(headers, query, address);
    const [, name = '', ...rest] = path.split('/').map(decodeURIComponent);
    const bucket = existingBucket(buckets, name);
    if (answersPreflight(bucket, incoming, outgoing)) return;
    const note: Note = (action, place, values) =>
      noteCall({ headers, query }, address, action, `arn:aws:s3:::${place}`, values);
    const request = { note, name, bucket, buckets, key: rest.join('/'), query, headers, incoming, outgoing };
    const operation = (request.key === '' ? ofBuckets : ofObjects)[method];
    if (!operation) throw new AwsError('MethodNotAllowed', 'The local S3 does not do this.', { status: 405 });
    await operation(request);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(address.port, address.host, resolve);
  });
  const sweep = setInterval(() => void buckets.removeExpired(), minuteMs).unref();
  return {
    url: `http://${address.host}:${(server.address() as AddressInfo).port}`,
    configure: (toRun) => {
      for (const { name, ...rules } of toRun) buckets.ensure(name).configure(rules);
    },
    close: () =>
      new Promise((resolve) => {
        clearInterval(sweep);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Lets a web page send what the bucket's rule lets it. Returns whether it only asked for that, and was answered. */
function answersPreflight(
  { cors }: Bucket,
  { method = 'GET', headers }: IncomingMessage,
  outgoing: ServerResponse,
): boolean {
  const { origin, 'access-control-request-method': asked = method } = headers;
  const isPreflight = method === 'OPTIONS';
  if (origin !== undefined && cors?.methods.includes(asked)) {
    outgoing.setHeader('access-control-allow-origin', origin);
    outgoing.setHeader('vary', 'Origin');
    if (!isPreflight) return false;
    outgoing.setHeader('access-control-allow-methods', cors.methods.join(', '));
    outgoing.setHeader('access-control-allow-headers', cors.headers.join(', '));
    outgoing.writeHead(200).end();
  } else if (isPreflight)
    throw new AwsError('AccessForbidden', 'CORSResponse: This CORS request is not allowed.', { status: 403 });
  return isPreflight;
}

/** Notes what a function does to a bucket, or to an object of it by its bucket and key. */
type Note = (action: string, place: string, values?: Values) => void;

interface Asked {
  note: Note;
  /** Name of the bucket. */
  name: string;
  bucket: Bucket;
  buckets: Buckets;
  key: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

type Operation = (asked: Asked) => Promise<void> | void;

const ofObjects: Record<string, Operation> = { GET: getObject, HEAD: getObject, PUT: putObject, DELETE: deleteObject };
const ofBuckets: Record<string, Operation> = { GET: listObjects, POST: deleteObjects };

const keptHeaders = ['content-type', 'content-disposition', 'content-encoding', 'content-language', 'cache-control'];

const maxKeyBytes = 1024;

async function putObject({ note, name, bucket, buckets, key, headers, incoming, outgoing }: Asked): Promise<void> {
  note('s3:PutObject', `${name}/${key}`);
  if (Buffer.byteLength(key) > maxKeyBytes) throw new AwsError('KeyTooLongError', 'Your key is too long');
  const source = headers['x-amz-copy-source'];
  if (typeof source === 'string') {
    const [sourceName = '', ...rest] = source.replace(/^\//, '').split('/').map(decodeURIComponent);
    const sourceKey = rest.join('/');
    note('s3:GetObject', `${sourceName}/${sourceKey}`);
    const from = existingBucket(buckets, sourceName);
    const copied = existing(from.find(sourceKey), sourceName, note);
    const { etag, storedAt } = await bucket.put(key, from.read(copied), copied.headers);
    return xml(outgoing, 200, 'CopyObjectResult', tag('ETag', etag) + tag('LastModified', storedAt));
  }
  const kept = Object.entries(headers).filter(([name]) => keptHeaders.includes(name) || name.startsWith('x-amz-meta-'));
  // How it came, not what it is.
  const encoding = withoutChunks(headers['content-encoding']);
  const { 'content-encoding': _, ...stored } = Object.fromEntries(kept) as Record<string, string>;
  const told = { ...stored, ...(encoding && { 'content-encoding': encoding }) };
  const object = await bucket.put(key, receivedBytes(incoming, headers, told), told);
  outgoing.writeHead(200, { etag: object.etag, ...checksumsIn(object.headers) }).end();
}

const checksumsIn = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => isChecksum(name)));

const withoutChunks = (encoding = '') =>
  encoding
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== 'aws-chunked')
    .join(',');

async function getObject({ note, name, bucket, key, query, headers, incoming, outgoing }: Asked): Promise<void> {
  note('s3:GetObject', `${name}/${key}`);
  const object = existing(bucket.find(key), name, note);
  const { sizeBytes, etag, storedAt } = object;
  const range = rangeOf(headers.range, sizeBytes);
  const chosen = [...query]
    .filter(([name]) => name.startsWith('response-'))
    .map(([name, value]) => [name.slice(9), value]);
  const { headers: all } = object;
  const isChecked = headers['x-amz-checksum-mode'] === 'ENABLED' && !range;
  const answered = {
    'content-type': 'binary/octet-stream',
    ...Object.fromEntries(Object.entries(all).filter(([name]) => isChecked || !isChecksum(name))),
    ...Object.fromEntries(chosen),
    'accept-ranges': 'bytes',
    etag,
    'last-modified': new Date(storedAt).toUTCString(),
    'content-length': range ? range.end - range.start + 1 : sizeBytes,
    ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${sizeBytes}` }),
  };
  outgoing.writeHead(range ? 206 : 200, answered);
  if (incoming.method === 'HEAD' || sizeBytes === 0) outgoing.end();
  else await pipeline(bucket.read(object, range), outgoing);
}

/** Returns the requested range of bytes. An invalid range, or several ranges, mean the whole object. */
function rangeOf(header: string | undefined, sizeBytes: number): { start: number; end: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  if (last !== '' && first !== '' && Number(last) < start) return undefined;
  if (start <= end) return { start, end };
  throw new AwsError('InvalidRange', 'The requested range is not satisfiable', { status: 416 });
}

async function deleteObject({ note, name, bucket, key, outgoing }: Asked): Promise<void> {
  note('s3:DeleteObject', `${name}/${key}`);
  await bucket.delete(key);
  outgoing.writeHead(204).end();
}

const maxDeletedBytes = 2 * 1024 * 1024;
const maxDeletedKeys = 1000;

async function deleteObjects({ note, name, bucket, query, headers, incoming, outgoing }: Asked): Promise<void> {
  if (!query.has('delete')) throw new AwsError('MethodNotAllowed', 'The local S3 does not do this.', { status: 405 });
  let text = '';
  for await (const chunk of receivedBytes(incoming, headers)) {
    text += chunk.toString('utf8');
    if (text.length > maxDeletedBytes) throw new AwsError('MalformedXML', 'The list of objects is too long.');
  }
  const keys = [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => unescaped(key));
  if (keys.length === 0 || keys.length > maxDeletedKeys)
    throw new AwsError('MalformedXML', `Between 1 and ${maxDeletedKeys} objects are deleted at once.`);
  for (const key of keys) {
    note('s3:DeleteObject', `${name}/${key}`);
    await bucket.delete(key);
  }
  const deleted = keys.map((key) => tag('Deleted', tag('Key', escaped(key))));
  xml(outgoing, 200, 'DeleteResult', deleted.join(''));
}

function listObjects({ note, name, bucket, query, outgoing }: Asked): void {
  note('s3:ListBucket', name, { 's3:prefix': query.get('prefix') ?? '' });
  if (query.get('list-type') !== '2')
    throw new AwsError('NotImplemented', 'The local S3 lists by ListObjectsV2 alone.', { status: 501 });
  const prefix = query.get('prefix') ?? '';
  const { items, nextToken } = page(bucket.list(prefix), ({ key }) => key, {
    maxResults: Math.min(1000, Number(query.get('max-keys') ?? 1000)),
    nextToken: query.get('continuation-token') ?? undefined,
  });
  const contents = items.map(({ key, sizeBytes, etag, storedAt }) =>
    tag(
      'Contents',
      tag('Key', escaped(key)) +
        tag('LastModified', storedAt) +
        tag('ETag', escaped(etag)) +
        tag('Size', String(sizeBytes)),
    ),
  );
  const truncated = tag('IsTruncated', String(nextToken !== undefined));
  const next = nextToken === undefined ? '' : tag('NextContinuationToken', nextToken);
  xml(outgoing, 200, 'ListBucketResult', truncated + next + tag('KeyCount', String(items.length)) + contents.join(''));
}

function existingBucket(buckets: Buckets, name: string): Bucket {
  const bucket = buckets.find(name);
  if (bucket) return bucket;
  throw new AwsError('NoSuchBucket', 'The specified bucket does not exist', { status: 404 });
}

/** S3 tells those that may list the bucket alone that an object is missing: it answers 403 to others. */
function existing(object: StoredObject | undefined, name: string, note: Note): StoredObject {
  if (object) return object;
  note('s3:ListBucket', name);
  throw new AwsError('NoSuchKey', 'The specified key does not exist.', { status: 404 });
}

function refuse(incoming: IncomingMessage, outgoing: ServerResponse, { code, message, status }: AwsError): void {
  // The rest of the body is not read.
  outgoing.setHeader('connection', 'close');
  if (incoming.method === 'HEAD') outgoing.writeHead(status).end();
  else xml(outgoing, status, 'Error', tag('Code', code) + tag('Message', escaped(message)));
}

function asAwsError(cause: unknown): AwsError {
  if (cause instanceof AwsError) return cause;
  if (cause instanceof URIError) return new AwsError('InvalidURI', "Couldn't parse the specified URI.");
  console.error(cause);
  return new AwsError('InternalError', 'The local server failed; its standard error says why.', { status: 500 });
}

const tag = (name: string, content: string) => `<${name}>${content}</${name}>`;

function xml(outgoing: ServerResponse, status: number, root: string, content: string): void {
  outgoing.writeHead(status, { 'content-type': 'application/xml' });
  outgoing.end(`<?xml version="1.0" encoding="UTF-8"?>\n${tag(root, content)}`);
}

const entities = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
] as const;
const escaped = (text: string) => entities.reduce((done, [sign, entity]) => done.replaceAll(sign, entity), text);
const unescaped = (text: string) => entities.reduceRight((done, [sign, entity]) => done.replaceAll(entity, sign), text);

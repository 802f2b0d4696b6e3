import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NotFound,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { isMissing } from '#lib/aws/aws.ts';
import { ownConnections } from '#lib/aws/connections.ts';
import { chunks } from '#lib/core/async.ts';
import { secondMs } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';

let client: S3Client | undefined;
const s3 = () => {
  // In front of another endpoint than Amazon's, names of buckets are no names of hosts.
  client ??= new S3Client({
    forcePathStyle: env('AWS_ENDPOINT_URL_S3') !== undefined,
    requestHandler: ownConnections,
  });
  return client;
};

/** Stores the bytes of a local file. */
export async function storeFile(key: string, path: string, sizeBytes: number): Promise<void> {
  const Body = createReadStream(path);
  try {
    await s3().send(new PutObjectCommand({ Bucket: env('FILES_BUCKET'), Key: key, Body, ContentLength: sizeBytes }));
  } finally {
    Body.destroy();
  }
}

/** Stores bytes that are few enough to be kept together. */
export async function storeBytes(key: string, Body: Uint8Array): Promise<void> {
  await s3().send(new PutObjectCommand({ Bucket: env('FILES_BUCKET'), Key: key, Body }));
}

/** Copies a file within the bucket; false where there is none. */
export async function copyFile(from: string, to: string): Promise<boolean> {
  const Bucket = env('FILES_BUCKET');
  try {
    await s3().send(new CopyObjectCommand({ Bucket, Key: to, CopySource: `${Bucket}/${from}` }));
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** The bytes of a file as they come. */
export async function readFile(key: string): Promise<Readable> {
  const { Body } = await s3().send(new GetObjectCommand({ Bucket: env('FILES_BUCKET'), Key: key }));
  return Body as Readable;
}

/** The bytes of a part of a file; `end` is exclusive. */
export async function readRange(key: string, start: number, end: number): Promise<ArrayBuffer> {
  const Range = `bytes=${start}-${end - 1}`;
  const { Body } = await s3().send(new GetObjectCommand({ Bucket: env('FILES_BUCKET'), Key: key, Range }));
  const bytes = await Body?.transformToByteArray();
  if (bytes?.length !== end - start) throw new Error(`a file has no bytes ${start} to ${end}`);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}

const lookMs = 3 * secondMs;

/** Returns whether an object is there. Throws what may pass, and a refusal: this process may list the bucket. */
export async function isStored(key: string): Promise<boolean> {
  const command = new HeadObjectCommand({ Bucket: env('FILES_BUCKET'), Key: key });
  try {
    await s3().send(command, { abortSignal: AbortSignal.timeout(lookMs) });
    return true;
  } catch (error) {
    if (error instanceof NotFound) return false;
    throw error;
  }
}

const maxKeysPerCall = 1000;

/** Removes files, also those that are gone already. */
export async function removeFiles(keys: readonly string[]): Promise<void> {
  for (const some of chunks(keys, maxKeysPerCall)) {
    const Delete = { Objects: some.map((Key) => ({ Key })), Quiet: true };
    const { Errors = [] } = await s3().send(new DeleteObjectsCommand({ Bucket: env('FILES_BUCKET'), Delete }));
    if (Errors.length > 0) throw new Error(`${Errors.length} files are not removed: ${Errors[0]?.Code}`);
  }
}

/** Removes whatever is in a folder, also what nobody has written down. Needs the permission to list it besides. */
export async function removeFolder(folder: string): Promise<void> {
  for (;;) {
    const found = await s3().send(new ListObjectsV2Command({ Bucket: env('FILES_BUCKET'), Prefix: folder }));
    await removeFiles((found.Contents ?? []).map(({ Key }) => String(Key)));
    if (!found.IsTruncated) return;
  }
}

import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { minuteMs, now } from '#lib/core/clock.ts';
import { storeFile } from './bucket.ts';

class TooLarge extends Error {}

/** Followed by when the folder was made. */
const prefix = 'crm-api-file-';
/** Longer than any function runs. */
const leftMs = 15 * minuteMs;

/** Removes the files of a killed invocation: the disk of a function is kept for the next one. */
async function removeLeftovers(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(prefix));
  const left = names.filter((name) => Number.parseInt(name.slice(prefix.length), 10) < now() - leftMs);
  // Somebody else may remove it first.
  for (const name of left) await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
}

/** Does something with the path of a local file that is then removed. */
export async function withLocalFile<Result>(work: (path: string) => Promise<Result>): Promise<Result> {
  await removeLeftovers();
  const folder = await mkdtemp(join(tmpdir(), `${prefix}${now()}-`));
  try {
    return await work(join(folder, 'bytes'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Brings bytes of unknown length into the bucket by way of a local file: S3 wants to know how many come, and an upload can be repeated.
 * Returns how many; undefined for more than `maxBytes`.
 */
export async function storeStream(
  key: string,
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<number | undefined> {
  let sizeBytes = 0;
  async function* measured(source: AsyncIterable<Uint8Array>) {
    for await (const chunk of source) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw new TooLarge();
      yield chunk;
    }
  }
  try {
    return await withLocalFile(async (path) => {
      await pipeline(bytes, measured, createWriteStream(path));
      await storeFile(key, path, sizeBytes);
      return sizeBytes;
    });
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
}

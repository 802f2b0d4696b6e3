import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { storeFile } from './bucket.ts';

class TooLarge extends Error {}

/**
 * Brings bytes of unknown length into the bucket by way of a local file: S3 wants to know how many come, and an upload can be repeated.
 * Returns how many; undefined for more than `maxBytes`.
 */
export async function storeStream(
  key: string,
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<number | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'file-'));
  const path = join(folder, 'bytes');
  let sizeBytes = 0;
  async function* measured(source: AsyncIterable<Uint8Array>) {
    for await (const chunk of source) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw new TooLarge();
      yield chunk;
    }
  }
  try {
    await pipeline(bytes, measured, createWriteStream(path));
    await storeFile(key, path, sizeBytes);
    return sizeBytes;
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { dayMs, now } from '#lib/core/clock.ts';
import type { BucketToRun } from '../template.ts';

/** Properties of a stored object. */
export interface StoredObject {
  key: string;
  /** The name of the file that holds the bytes. */
  file: string;
  sizeBytes: number;
  etag: string;
  storedAt: string;
  /** Headers that the object was stored with: type, disposition, and metadata. Reads return them. */
  headers: Record<string, string>;
}

/** The objects of one bucket, each a file of bytes and a file that says what it is: an object is there when both are whole. */
export class Bucket {
  readonly #folder: string;
  readonly #objects: Map<string, StoredObject>;
  #expirations: BucketToRun['expirations'] = [];
  #cors: BucketToRun['cors'];

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    const found = globSync('*.json', { cwd: folder }).map((name) => readObject(join(folder, name)));
    this.#objects = new Map(found.map((object) => [object.key, object]));
    const kept = new Set(found.flatMap(({ key, file }) => [file, describedIn(key)]));
    // A crash may leave parts of an upload.
    for (const name of globSync('*', { cwd: folder })) if (!kept.has(name)) rmSync(join(folder, name));
  }

  configure({ expirations, cors }: Pick<BucketToRun, 'expirations' | 'cors'>): void {
    this.#expirations = expirations;
    this.#cors = cors;
  }

  get cors(): BucketToRun['cors'] {
    return this.#cors;
  }

  find(key: string): StoredObject | undefined {
    const object = this.#objects.get(key);
    return object && !this.#isExpired(object) ? object : undefined;
  }

  /** In the order of their keys. */
  list(prefix: string): StoredObject[] {
    const found = [...this.#objects.values()].filter((object) => object.key.startsWith(prefix));
    return found.filter((object) => !this.#isExpired(object)).sort((a, b) => Buffer.compare(bytesOf(a), bytesOf(b)));
  }

  /** In the place of what has the key, once all bytes are there. */
  async put(key: string, bytes: AsyncIterable<Buffer>, headers: Record<string, string>): Promise<StoredObject> {
    const file = randomUUID();
    const hash = createHash('md5');
    let sizeBytes = 0;
    try {
      await pipeline(
        bytes,
        async function* (chunks: AsyncIterable<Buffer>) {
          for await (const chunk of chunks) {
            hash.update(chunk);
            sizeBytes += chunk.length;
            yield chunk;
          }
        },
        createWriteStream(join(this.#folder, file)),
      );
    } catch (error) {
      await rm(join(this.#folder, file), { force: true });
      throw error;
    }
    const storedAt = new Date(now()).toISOString();
    const object = { key, file, sizeBytes, etag: `"${hash.digest('hex')}"`, storedAt, headers };
    const path = join(this.#folder, describedIn(key));
    await writeFile(`${path}.${file}`, JSON.stringify(object));
    await rename(`${path}.${file}`, path);
    const before = this.#objects.get(key);
    this.#objects.set(key, object);
    if (before) await rm(join(this.#folder, before.file), { force: true });
    return object;
  }

  read({ file }: StoredObject, range?: { start: number; end: number }): Readable {
    return createReadStream(join(this.#folder, file), range);
  }

  async delete(key: string): Promise<void> {
    const object = this.#objects.get(key);
    if (!object) return;
    this.#objects.delete(key);
    await rm(join(this.#folder, describedIn(key)), { force: true });
    await rm(join(this.#folder, object.file), { force: true });
  }

  async removeExpired(): Promise<void> {
    for (const object of [...this.#objects.values()]) if (this.#isExpired(object)) await this.delete(object.key);
  }

  /** As S3 counts: at the first midnight (UTC) after so many days. */
  #isExpired({ key, storedAt }: StoredObject): boolean {
    return this.#expirations.some(({ prefix, days }) => {
      const midnight = Math.ceil((Date.parse(storedAt) + days * dayMs) / dayMs) * dayMs;
      return key.startsWith(prefix) && now() >= midnight;
    });
  }
}

const bytesOf = ({ key }: StoredObject) => Buffer.from(key);

/** A key may be any text, and longer than the name of a file. */
const describedIn = (key: string) => `${createHash('sha256').update(key).digest('hex')}.json`;

const readObject = (path: string): StoredObject => JSON.parse(readFileSync(path, 'utf8'));

/** The buckets of a folder. */
export class Buckets {
  readonly #folder: string;
  readonly #buckets = new Map<string, Bucket>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  ensure(name: string): Bucket {
    const bucket = this.#buckets.get(name) ?? new Bucket(join(this.#folder, name));
    this.#buckets.set(name, bucket);
    return bucket;
  }

  find(name: string): Bucket | undefined {
    return this.#buckets.get(name);
  }

  async removeExpired(): Promise<void> {
    for (const bucket of this.#buckets.values()) await bucket.removeExpired();
  }
}

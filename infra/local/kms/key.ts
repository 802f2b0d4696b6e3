import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as v from 'valibot';

const keyFileSchema = v.object({
  id: v.pipe(v.string(), v.uuid()),
  secret: v.pipe(v.string(), v.base64(), v.length(44)),
});

export interface Key {
  id: string;
  secret: Buffer;
}

const cipherName = 'aes-256-gcm';
const idBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;

/** The key in the file at `path`, made there when there is none. Only its owner can read the file. */
export async function openKey(path: string): Promise<Key> {
  const { secret, ...rest } = v.parse(keyFileSchema, JSON.parse(await readOrCreate(path)));
  return { ...rest, secret: Buffer.from(secret, 'base64') };
}

/** Key id, nonce, tag, encrypted text: `context` is authenticated with them but not kept. */
export function seal(key: Key, plaintext: Buffer, context: Record<string, string>): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(cipherName, key.secret, nonce).setAAD(contextBytes(context));
  const encrypted = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([idOf(key), nonce, cipher.getAuthTag(), encrypted]);
}

const headBytes = idBytes + nonceBytes + tagBytes;

/** Whether `sealed` is of another key. */
export const isOfAnother = (key: Key, sealed: Buffer): boolean =>
  sealed.length > headBytes && !sealed.subarray(0, idBytes).equals(idOf(key));

/** Undefined when `sealed` is not of this key and this context, or was changed. */
export function unseal(key: Key, sealed: Buffer, context: Record<string, string>): Buffer | undefined {
  if (sealed.length <= headBytes || isOfAnother(key, sealed)) return undefined;
  const nonce = sealed.subarray(idBytes, idBytes + nonceBytes);
  const decipher = createDecipheriv(cipherName, key.secret, nonce, { authTagLength: tagBytes })
    .setAAD(contextBytes(context))
    .setAuthTag(sealed.subarray(idBytes + nonceBytes, headBytes));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(headBytes)), decipher.final()]);
  } catch {
    return undefined;
  }
}

const idOf = (key: Key) => Buffer.from(key.id.replaceAll('-', ''), 'hex');

const contextBytes = (context: Record<string, string>) =>
  Buffer.from(JSON.stringify(Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))));

async function readOrCreate(path: string): Promise<string> {
  const existing = await readIfThere(path);
  if (existing !== undefined) return existing;
  await mkdir(dirname(path), { recursive: true });
  const created = { id: randomUUID(), secret: randomBytes(32).toString('base64') };
  const draft = `${path}.${created.id}`;
  await writeFile(draft, JSON.stringify(created), { mode: 0o600, flush: true });
  // A link appears whole or not at all, and never replaces a key that another process made first.
  await link(draft, path).catch(ignoreCode('EEXIST'));
  await unlink(draft);
  return readFile(path, 'utf8');
}

const readIfThere = (path: string) => readFile(path, 'utf8').catch(ignoreCode('ENOENT'));

const ignoreCode = (code: string) => (cause: NodeJS.ErrnoException) => {
  if (cause.code !== code) throw cause;
  return undefined;
};

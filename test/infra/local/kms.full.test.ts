import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DecryptCommand,
  EncryptCommand,
  IncorrectKeyException,
  InvalidCiphertextException,
  KMSClient,
  NotFoundException,
} from '@aws-sdk/client-kms';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openKey, seal } from '#infra/local/kms/key.ts';
import { type LocalKms, startKms } from '#infra/local/kms.ts';

let directory: string;
let keyPath: string;
let local: LocalKms;
let kms: KMSClient;

const start = (path: string) =>
  startKms({
    host: '127.0.0.1',
    port: 0,
    accessKeyId: 'any',
    accountId: '123456789012',
    region: 'eu-central-1',
    keyPath: path,
  });

const clientOf = ({ url }: LocalKms) =>
  new KMSClient({
    region: 'eu-central-1',
    endpoint: url,
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
  });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kms-'));
  keyPath = join(directory, 'keys', 'kms.json');
  local = await start(keyPath);
  kms = clientOf(local);
});

afterAll(async () => {
  kms.destroy();
  await local.close();
  await rm(directory, { recursive: true });
});

const context = { workspace: '7', purpose: 'session' };
const secret = Buffer.from('a session');

async function encrypt(EncryptionContext: Record<string, string> = context): Promise<Uint8Array> {
  const { CiphertextBlob, KeyId } = await kms.send(
    new EncryptCommand({ KeyId: local.keyId, Plaintext: secret, EncryptionContext }),
  );
  expect(KeyId).toBe(local.keyArn);
  return CiphertextBlob as Uint8Array;
}

const decrypt = async (CiphertextBlob: Uint8Array, EncryptionContext: Record<string, string> = context) =>
  Buffer.from((await kms.send(new DecryptCommand({ CiphertextBlob, EncryptionContext }))).Plaintext as Uint8Array);

test('an encrypted text is decrypted with the same context in any order', async () => {
  const sealed = await encrypt();
  expect(Buffer.from(sealed).includes(secret)).toBe(false);
  expect(await decrypt(sealed, { purpose: 'session', workspace: '7' })).toEqual(secret);
});

test('the same text is never encrypted alike twice', async () => {
  expect(await encrypt()).not.toEqual(await encrypt());
});

test('another context, or none, does not decrypt', async () => {
  const sealed = await encrypt();
  await expect(decrypt(sealed, { ...context, workspace: '8' })).rejects.toBeInstanceOf(InvalidCiphertextException);
  await expect(decrypt(sealed, {})).rejects.toBeInstanceOf(InvalidCiphertextException);
});

test('a changed or made-up ciphertext does not decrypt', async () => {
  const sealed = await encrypt();
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Uint8Array.from(sealed);
    changed[index] = (changed[index] as number) ^ 1;
    await expect(decrypt(changed)).rejects.toBeInstanceOf(InvalidCiphertextException);
  }
  await expect(decrypt(Uint8Array.of(1, 2, 3))).rejects.toBeInstanceOf(InvalidCiphertextException);
});

test('more than 4 KiB is not encrypted', async () => {
  const tooLong = new EncryptCommand({ KeyId: local.keyId, Plaintext: new Uint8Array(4097) });
  await expect(kms.send(tooLong)).rejects.toMatchObject({ name: 'ValidationException' });
});

test('a text of another key is refused as such when the caller names the key', async () => {
  const CiphertextBlob = seal(await openKey(join(directory, 'keys', 'another.json')), secret, context);
  const asked = { CiphertextBlob, EncryptionContext: context };
  await expect(kms.send(new DecryptCommand({ ...asked, KeyId: local.keyId }))).rejects.toBeInstanceOf(
    IncorrectKeyException,
  );
  await expect(kms.send(new DecryptCommand(asked))).rejects.toBeInstanceOf(InvalidCiphertextException);
});

test('another key is not found', async () => {
  const other = { KeyId: '1234abcd-12ab-34cd-56ef-1234567890ab', Plaintext: secret };
  await expect(kms.send(new EncryptCommand(other))).rejects.toBeInstanceOf(NotFoundException);
});

test('the key file is its owner’s alone, and a restart decrypts what was encrypted before', async () => {
  expect((await stat(keyPath)).mode & 0o777).toBe(0o600);
  const sealed = await encrypt();
  const restarted = await start(keyPath);
  const client = clientOf(restarted);
  expect(restarted.keyId).toBe(local.keyId);
  const { Plaintext } = await client.send(
    new DecryptCommand({ CiphertextBlob: sealed, EncryptionContext: context, KeyId: local.keyId }),
  );
  expect(Buffer.from(Plaintext as Uint8Array)).toEqual(secret);
  client.destroy();
  await restarted.close();
});

test('two that start at once on a new path share one key', async () => {
  const path = join(directory, 'raced.json');
  const both = await Promise.all([start(path), start(path)]);
  expect(both[0]?.keyId).toBe(both[1]?.keyId);
  await Promise.all(both.map((one) => one.close()));
});

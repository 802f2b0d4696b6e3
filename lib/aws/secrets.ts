import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { env } from '#lib/core/env.ts';
import { shortCalls } from './short-calls.ts';

let client: KMSClient | undefined;
const kms = () => {
  client ??= new KMSClient(shortCalls());
  return client;
};

/** Encryption context of a secret: `{ workspace: '7', account: '3' }`. A secret that is moved elsewhere cannot be read. */
export type SecretContext = Record<string, string>;

/** A secret that we must read back, as it is stored (base64). Needs the key. */
export async function encrypt(secret: string, context: SecretContext): Promise<string> {
  const what = { KeyId: env('KMS_KEY_ID'), Plaintext: Buffer.from(secret), EncryptionContext: context };
  const { CiphertextBlob } = await kms().send(new EncryptCommand(what));
  return Buffer.from(CiphertextBlob as Uint8Array).toString('base64');
}

/** The secret that `encrypt` was given with the same context. Needs the key. */
export async function decrypt(stored: string, context: SecretContext): Promise<string> {
  const CiphertextBlob = Buffer.from(stored, 'base64');
  const what = { KeyId: env('KMS_KEY_ID'), CiphertextBlob, EncryptionContext: context };
  const { Plaintext } = await kms().send(new DecryptCommand(what));
  return Buffer.from(Plaintext as Uint8Array).toString();
}

const unreadable = ['InvalidCiphertextException', 'IncorrectKeyException'];

/** Whether `decrypt` failed because of what it was given: no secret, one of something else, or one of another key, as of an earlier deployment. */
export const isUnreadable = (error: unknown): boolean => error instanceof Error && unreadable.includes(error.name);

/** Returns the result of reading a secret, or undefined if it is unreadable, which a retry does not fix. */
export const unlessUnreadable = <Result>(reading: Promise<Result>): Promise<Result | undefined> =>
  reading.catch((error: unknown) => {
    if (isUnreadable(error)) return undefined;
    throw error;
  });

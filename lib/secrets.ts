import { aws } from './aws/call.ts';
import { env } from './env.ts';

/** What a secret belongs to, authenticated with it: `{ workspace: '7', account: '3' }`. A secret moved elsewhere cannot be read. */
export type SecretContext = Record<string, string>;

/** A secret that we must read back, as it is stored (base64). Needs the key. */
export async function encrypt(secret: string, context: SecretContext): Promise<string> {
  const { CiphertextBlob } = await ask('Encrypt', { Plaintext: Buffer.from(secret).toString('base64') }, context);
  return String(CiphertextBlob);
}

/** The secret that `encrypt` was given with the same context. Needs the key. */
export async function decrypt(stored: string, context: SecretContext): Promise<string> {
  const { Plaintext } = await ask('Decrypt', { CiphertextBlob: stored }, context);
  return Buffer.from(String(Plaintext), 'base64').toString();
}

/** https://docs.aws.amazon.com/kms/latest/APIReference/API_Encrypt.html */
function ask(operation: 'Encrypt' | 'Decrypt', what: object, EncryptionContext: SecretContext) {
  const body = JSON.stringify({ KeyId: env('KMS_KEY_ID'), ...what, EncryptionContext });
  return aws.call({ service: 'kms', operation, body }) as Promise<{ CiphertextBlob?: string; Plaintext?: string }>;
}

const unreadable = ['InvalidCiphertextException', 'IncorrectKeyException'];

/** Whether `decrypt` failed because of what it was given: no secret, one of something else, or one of another key, as of an earlier deployment. */
export const isUnreadable = (error: unknown): boolean => error instanceof Error && unreadable.includes(error.name);

/** What is read with a secret; undefined where that is unreadable, which no trying again mends. */
export const unlessUnreadable = <Result>(reading: Promise<Result>): Promise<Result | undefined> =>
  reading.catch((error: unknown) => {
    if (isUnreadable(error)) return undefined;
    throw error;
  });

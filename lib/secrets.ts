import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { env } from './env.ts';

/** What a secret belongs to, authenticated with it: `{ workspace: '7', account: '3' }`. A secret moved elsewhere cannot be read. */
export type SecretContext = Record<string, string>;

let client: KMSClient | undefined;
const kms = () => {
  client ??= new KMSClient({ requestHandler: { connectionTimeout: 1000, requestTimeout: 5000 } });
  return client;
};

/** A secret that we must read back, as it is stored (base64). Needs the key. */
export async function encrypt(secret: string, context: SecretContext): Promise<string> {
  const { CiphertextBlob } = await kms().send(
    new EncryptCommand({ KeyId: env('KMS_KEY_ID'), Plaintext: Buffer.from(secret), EncryptionContext: context }),
  );
  return Buffer.from(CiphertextBlob as Uint8Array).toString('base64');
}

/** The secret that `encrypt` was given with the same context. Needs the key. */
export async function decrypt(stored: string, context: SecretContext): Promise<string> {
  const { Plaintext } = await kms().send(
    new DecryptCommand({
      KeyId: env('KMS_KEY_ID'),
      CiphertextBlob: Buffer.from(stored, 'base64'),
      EncryptionContext: context,
    }),
  );
  return Buffer.from(Plaintext as Uint8Array).toString();
}

/** Whether `decrypt` failed because of what it was given: no secret, or one of something else. Bundles have no class for it. */
export const isUnreadable = (error: unknown): boolean =>
  error instanceof Error && error.name === 'InvalidCiphertextException';

import { AwsError } from './aws-error.ts';
import type { Guarded } from './guard.ts';
import { isOfAnother, openKey, seal, unseal } from './kms/key.ts';
import { awsJson, jsonBody, listen, targetAction } from './wire.ts';

export interface LocalKms {
  url: string;
  keyId: string;
  keyArn: string;
  close(): Promise<void>;
}

interface KmsRequest {
  KeyId?: string;
  Plaintext?: string;
  CiphertextBlob?: string;
  EncryptionContext?: Record<string, string>;
  EncryptionAlgorithm?: string;
}

const incorrect = 'The key ID in the request does not identify a CMK that can perform this operation.';
const algorithm = 'SYMMETRIC_DEFAULT';

/** Starts KMS with one symmetric key, kept in `keyPath` so that what it encrypted can be read after a restart. */
export async function startKms({
  accountId,
  region,
  keyPath,
  ...address
}: Guarded & { accountId: string; region: string; keyPath: string }): Promise<LocalKms> {
  const key = await openKey(keyPath);
  const keyArn = `arn:aws:kms:${region}:${accountId}:key/${key.id}`;

  const checkKeyId = (KeyId: string | undefined) => {
    if (KeyId === undefined)
      throw validation("Value null at 'keyId' failed to satisfy constraint: Member must not be null");
    if (KeyId !== key.id && KeyId !== keyArn) throw new AwsError('NotFoundException', `Key '${KeyId}' does not exist`);
  };

  const actions: Record<string, (request: KmsRequest) => unknown> = {
    Encrypt: (request) => {
      checkKeyId(request.KeyId);
      const sealed = seal(key, binary(request.Plaintext, 'plaintext', 4096), request.EncryptionContext ?? {});
      return { KeyId: keyArn, CiphertextBlob: sealed.toString('base64'), EncryptionAlgorithm: algorithm };
    },
    Decrypt: (request) => {
      if (request.KeyId !== undefined) checkKeyId(request.KeyId);
      const sealed = binary(request.CiphertextBlob, 'ciphertextBlob', 6144);
      if (request.KeyId !== undefined && isOfAnother(key, sealed))
        throw new AwsError('IncorrectKeyException', incorrect);
      const plaintext = unseal(key, sealed, request.EncryptionContext ?? {});
      if (!plaintext) throw new AwsError('InvalidCiphertextException', '');
      return { KeyId: keyArn, Plaintext: plaintext.toString('base64'), EncryptionAlgorithm: algorithm };
    },
  };

  const server = await listen(address, awsJson('1.1', 'com.amazonaws.kms'), (request) => {
    const name = targetAction(request, 'TrentService');
    const action = actions[name];
    if (!action) throw new AwsError('UnknownOperationException', `The local KMS has no ${name}.`);
    const input: KmsRequest = jsonBody(request);
    request.note(`kms:${name}`, keyArn, { 'kms:encryptioncontextkeys': Object.keys(input.EncryptionContext ?? {}) });
    return action(input);
  });
  return { url: server.url, keyId: key.id, keyArn, close: server.close };
}

const validation = (message: string) => new AwsError('ValidationException', `1 validation error detected: ${message}`);

function binary(base64: string | undefined, member: string, maxBytes: number): Buffer {
  if (base64 === undefined) {
    throw validation(`Value null at '${member}' failed to satisfy constraint: Member must not be null`);
  }
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length >= 1 && bytes.length <= maxBytes) return bytes;
  throw validation(
    `Value at '${member}' failed to satisfy constraint: Member must have length between 1 and ${maxBytes}`,
  );
}

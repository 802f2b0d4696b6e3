import { join } from 'node:path';
import { KMS } from '@aws-sdk/client-kms';
import { test } from 'vitest';
import { startKms } from '#infra/local/kms.ts';
import { temporaryFolder } from '#test/infra/local/cloud-assembly.ts';
import { clientOf, compareWithMoto, guarded, home, Play } from '#test/infra/local/oracle.ts';

/** With the one key that there is, or one that is made: the local KMS makes none by call. */
const playWith = (localKeyId: () => string | undefined, localUrl: () => string) => async (endpoint: string) => {
  const kms = new KMS(clientOf(endpoint));
  const game = new Play(/^(\w*KeyId|Arn|\w*Blob|CreationDate|AWSAccountId|Description)$/);
  const ask = game.ask.bind(game);
  const KeyId = endpoint === localUrl() ? localKeyId() : (await kms.createKey({})).KeyMetadata?.KeyId;
  const context = { workspace: '7', purpose: 'session' };
  const secret = Buffer.from('a session');
  const encrypt = (step: string, more: object = {}) =>
    ask(step, kms.encrypt({ KeyId, Plaintext: secret, EncryptionContext: context, ...more }));

  const sealed = await encrypt('encrypt');
  const bare = await encrypt('encrypt without a context', { EncryptionContext: undefined });
  await encrypt('encrypt 4 KB', { Plaintext: Buffer.alloc(4096, 1) });
  await encrypt('encrypt a byte more', { Plaintext: Buffer.alloc(4097, 1) });
  await encrypt('encrypt nothing', { Plaintext: Buffer.alloc(0) });
  await encrypt('encrypt with no such key', { KeyId: '00000000-0000-0000-0000-000000000000' });
  await encrypt('encrypt with no such alias', { KeyId: 'alias/none' });

  const decrypt = (step: string, CiphertextBlob: Uint8Array | undefined, more: object = {}) =>
    ask(step, kms.decrypt({ KeyId, CiphertextBlob, EncryptionContext: context, ...more }));
  await decrypt('decrypt', sealed?.CiphertextBlob);
  await decrypt('decrypt without naming the key', sealed?.CiphertextBlob, { KeyId: undefined });
  await decrypt('decrypt with the context in another order', sealed?.CiphertextBlob, {
    EncryptionContext: { purpose: 'session', workspace: '7' },
  });
  await decrypt('decrypt with another context', sealed?.CiphertextBlob, {
    EncryptionContext: { ...context, workspace: '8' },
  });
  await decrypt('decrypt with less context', sealed?.CiphertextBlob, { EncryptionContext: { workspace: '7' } });
  await decrypt('decrypt without its context', sealed?.CiphertextBlob, { EncryptionContext: undefined });
  await decrypt('decrypt with a context that there was not', bare?.CiphertextBlob);
  await decrypt('decrypt without a context', bare?.CiphertextBlob, { EncryptionContext: {} });
  await decrypt('decrypt what was changed', changed(sealed?.CiphertextBlob));
  await decrypt('decrypt what is nothing', Buffer.from('nothing'));
  await decrypt('decrypt with no such key', sealed?.CiphertextBlob, { KeyId: '00000000-0000-0000-0000-000000000000' });

  const data = (step: string, more: object) =>
    ask(
      step,
      kms.generateDataKey({ KeyId, ...more }).then(({ Plaintext }) => Plaintext?.length),
    );
  await data('data key', { KeySpec: 'AES_256' });
  await data('data key of bytes', { NumberOfBytes: 32 });
  await data('data key of both', { KeySpec: 'AES_256', NumberOfBytes: 32 });
  await data('data key of neither', {});
  await data('data key of too many bytes', { NumberOfBytes: 1025 });
  await ask('describe', kms.describeKey({ KeyId }));
  await ask('describe no such key', kms.describeKey({ KeyId: '00000000-0000-0000-0000-000000000000' }));
  kms.destroy();
  return game.answers;
};

function changed(blob: Uint8Array | undefined): Uint8Array {
  const copy = Uint8Array.from(blob ?? []);
  copy[copy.length - 1] = (copy.at(-1) ?? 0) ^ 1;
  return copy;
}

/** Where KMS's documentation is followed rather than moto. */
const differences = {
  'moto leaves out what the documentation shows': [
    'encrypt',
    'encrypt without a context',
    'encrypt 4 KB',
    'decrypt',
    'decrypt without naming the key',
    'decrypt with the context in another order',
    'decrypt without a context',
    'describe',
  ],
};

test('the local KMS answers as moto does', async (context) => {
  const folder = temporaryFolder();
  let local: Awaited<ReturnType<typeof startKms>> | undefined;
  const play = playWith(
    () => local?.keyId,
    () => local?.url ?? '',
  );
  const start = async () => {
    local = await startKms({ ...guarded, ...home, keyPath: join(folder.path, 'key.json') });
    return local;
  };
  await compareWithMoto(context, { play, differences, start }).finally(folder.remove);
});

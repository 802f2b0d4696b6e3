import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  pbkdf2 as nodePbkdf2,
  randomFillSync,
} from 'node:crypto';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { BaseCryptoProvider, type ICryptoProvider, type IEncryptionScheme } from '@mtcute/core/utils.js';
import { decryptIge, encryptIge } from './ige.ts';

const pbkdf2 = promisify(nodePbkdf2);

/** What MTProto needs of cryptography, by Node alone: mtcute's own comes as WebAssembly, which is slower to load than to replace. */
export class NodeCrypto extends BaseCryptoProvider implements ICryptoProvider {
  sha1 = (data: Uint8Array) => createHash('sha1').update(data).digest();
  sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest();
  hmacSha256 = (data: Uint8Array, key: Uint8Array) => createHmac('sha256', key).update(data).digest();
  pbkdf2 = (password: Uint8Array, salt: Uint8Array, iterations: number, length = 64, algorithm = 'sha512') =>
    pbkdf2(password, salt, iterations, length, algorithm);
  randomFill = (buffer: Uint8Array) => {
    randomFillSync(buffer);
  };
  gunzip = (data: Uint8Array) => gunzipSync(data);

  gzip(data: Uint8Array, maxSize: number): Uint8Array | null {
    const packed = gzipSync(data);
    return packed.length <= maxSize ? packed : null;
  }

  createAesCtr(key: Uint8Array, iv: Uint8Array, encrypt: boolean) {
    const cipher = (encrypt ? createCipheriv : createDecipheriv)('aes-256-ctr', key, iv);
    return { process: (data: Uint8Array) => cipher.update(data) };
  }

  createAesIge = (key: Uint8Array, iv: Uint8Array): IEncryptionScheme => ({
    encrypt: (data) => encryptIge(data, key, iv),
    decrypt: (data) => decryptIge(data, key, iv),
  });
}

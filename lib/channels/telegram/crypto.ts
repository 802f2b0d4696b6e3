import { createCipheriv, createHash, createHmac, pbkdf2 as nodePbkdf2, randomFillSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { BaseCryptoProvider, type ICryptoProvider } from '@mtcute/core/utils.js';
import { getWasmUrl, ige256Decrypt, ige256Encrypt, initSync } from '@mtcute/wasm';

const pbkdf2 = promisify(nodePbkdf2);

/** Cryptography for MTProto: from Node, and AES-IGE from mtcute, which Node lacks. */
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

  /** Loads the WebAssembly, which lies beside the module that names it. */
  async initialize(): Promise<void> {
    initSync(await readFile(getWasmUrl()));
  }

  gzip(data: Uint8Array, maxSize: number): Uint8Array | null {
    const packed = gzipSync(data);
    return packed.length <= maxSize ? packed : null;
  }

  /** In counter mode encrypting is decrypting. */
  createAesCtr(key: Uint8Array, iv: Uint8Array) {
    const cipher = createCipheriv('aes-256-ctr', key, iv);
    return { process: (data: Uint8Array) => cipher.update(data) };
  }

  createAesIge = (key: Uint8Array, iv: Uint8Array) => ({
    encrypt: (data: Uint8Array) => ige256Encrypt(data, key, iv),
    decrypt: (data: Uint8Array) => ige256Decrypt(data, key, iv),
  });
}

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NodeCrypto } from '#lib/channels/telegram/crypto.ts';

const crypto = new NodeCrypto();
await crypto.initialize();
const hex = (text: string) => Buffer.from(text, 'hex');

test('the cryptography of MTProto decrypts what it encrypts with infinite garble extension', () => {
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
  const blocks = fc.uint8Array({ minLength: 1, maxLength: 40 }).map((seed) => Buffer.alloc(seed.length * 16, seed));
  fc.assert(
    fc.property(bytes(32), bytes(32), blocks, (key, iv, data) => {
      const ige = crypto.createAesIge(key, iv);
      expect(Buffer.from(ige.decrypt(ige.encrypt(data)))).toEqual(data);
    }),
  );
});

test('the cryptography of MTProto is the AES-256-IGE that Telegram speaks', () => {
  const ige = crypto.createAesIge(
    hex('5468697320697320616E20696D706C655468697320697320616E20696D706C65'),
    hex('6D656E746174696F6E206F6620494745206D6F646520666F72204F70656E5353'),
  );
  const plain = hex('99706487a1cde613bc6de0b6f24b1c7aa448c8b9c3403e3467a8cad89340f53b');
  const encrypted = hex('792ea8ae577b1a66cb3bd92679b8030ca54ee631976bd3a04547fdcb4639fa69');
  expect(Buffer.from(ige.encrypt(plain))).toEqual(encrypted);
  expect(Buffer.from(ige.decrypt(encrypted))).toEqual(plain);
});

test('the cryptography of MTProto counts on from one piece of a stream to the next', () => {
  const key = Buffer.alloc(32, 1);
  const iv = Buffer.alloc(16, 2);
  const whole = crypto.createAesCtr(key, iv).process(Buffer.alloc(40));
  const pieces = crypto.createAesCtr(key, iv);
  expect(Buffer.concat([pieces.process(Buffer.alloc(7)), pieces.process(Buffer.alloc(33))])).toEqual(whole);
});

test('the cryptography of MTProto packs only what gets smaller than asked', () => {
  const text = Buffer.from('a'.repeat(1000));
  expect(Buffer.from(crypto.gunzip(crypto.gzip(text, 500) as Uint8Array))).toEqual(text);
  expect(crypto.gzip(text, 10)).toBeNull();
});

import { createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { expect, test } from 'vitest';
import { now } from '#lib/core/clock.ts';
import { newSecret, sign, signer } from '#lib/webhooks/sign.ts';

const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';

test('the published vector of Standard Webhooks comes out', () => {
  const standard = signer('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw').standard(
    id,
    1614265330,
    Buffer.from('{"test": 2432232314}'),
  );
  expect(standard).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('the published vector of a simple HMAC comes out', () => {
  expect(signer("It's a Secret to Everybody").simple(Buffer.from('Hello, World!'))).toBe(
    'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  );
});

test('any secret and body give what createHmac gives', async () => {
  await fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.string({ unit: 'binary' }), (key, text) => {
      const secret = `whsec_${Buffer.from(key).toString('base64')}`;
      const body = Buffer.from(text);
      const hex = createHmac('sha256', secret).update(body).digest('hex');
      const base64 = createHmac('sha256', key).update(`${id}.7.`).update(body).digest('base64');
      expect(signer(secret).simple(body)).toBe(`sha256=${hex}`);
      expect(signer(secret).standard(id, 7, body)).toBe(`v1,${base64}`);
    }),
  );
});

test('a new secret is whsec_ and 32 bytes, never the same twice', () => {
  const secrets = Array.from({ length: 100 }, newSecret);
  expect(new Set(secrets).size).toBe(100);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
  }
});

test('the verifiers of Standard Webhooks and Svix accept what is signed, with either secret during a grace', () => {
  const [current, previous] = [newSecret(), newSecret()];
  const body = Buffer.from(JSON.stringify({ event: 'contact.created', data: { name: 'Zoë 🎈' } }));
  const timestamp = Math.floor(now() / 1000);
  const signed = sign([signer(current), signer(previous)], id, timestamp, body);
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signed.standard,
  };
  for (const secret of [current, previous]) {
    for (const verifier of [new StandardWebhook(secret), new SvixWebhook(secret)]) {
      expect(() => verifier.verify(body.toString(), headers)).not.toThrow();
    }
  }
  expect(() => new StandardWebhook(newSecret()).verify(body.toString(), headers)).toThrow();
  expect({ simple: signed.simple, previous: signed.previous }).toEqual({
    simple: `sha256=${createHmac('sha256', current).update(body).digest('hex')}`,
    previous: `sha256=${createHmac('sha256', previous).update(body).digest('hex')}`,
  });
});

test('outside a grace only the current secret signs', () => {
  const signed = sign([signer(newSecret())], id, 1, Buffer.from('{}'));
  expect({ previous: signed.previous, signatures: signed.standard.split(' ').length }).toEqual({
    previous: null,
    signatures: 1,
  });
});

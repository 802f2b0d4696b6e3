import { execFileSync } from 'node:child_process';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { headersOf } from '#lib/webhooks/headers.ts';
import { newSecret, sign, signer } from '#lib/webhooks/sign.ts';
import { root } from './pages.ts';

const page = readFileSync(join(root, 'docs/receiving-events.md'), 'utf8');

/** Returns the first block of TypeScript under a heading, as a function that returns what it declares last. */
function exampleUnder(heading: string, result: string) {
  const [block = ''] = page.split(`\n## ${heading}\n`)[1]?.split('```ts\n')[1]?.split('```') ?? [];
  const code = block.replaceAll(/^import .*$/gm, '').replaceAll('!)', ')');
  const names = ['createHmac', 'timingSafeEqual', 'Webhook', 'process', 'secret', 'rawBody', 'request'];
  const run = new Function(...names, `${code}; return ${result};`);
  return (secret: string, rawBody: string, headers: Record<string, string>): unknown =>
    run(createHmac, timingSafeEqual, Webhook, { env: { WEBHOOK_SECRET: secret } }, secret, rawBody, { headers });
}

const secret = newSecret();
const body = '{"event":"deal.created"}';
const delivery = { deliveryId: 'a', eventKind: 'deal.created', replayOf: null } as const;
const signed = sign([signer(secret)], 'a', Math.floor(Date.now() / 1000), Buffer.from(body));
const headers = Object.fromEntries(
  Object.entries(headersOf(delivery, 1, signed)).map(([name, value]) => [name.toLowerCase(), value]),
);

test('the example of docs/receiving-events.md verifies a delivery, and no other body', () => {
  const verify = exampleUnder('Verify a delivery', 'event');
  expect(verify(secret, body, headers)).toEqual(JSON.parse(body));
  expect(() => verify(secret, `${body} `, headers)).toThrow();
});

test('the recipe of X-SVC-Signature accepts a delivery, and no other body', () => {
  const check = exampleUnder('The X-SVC-Signature header', 'isValid');
  expect(check(secret, body, headers)).toBe(true);
  expect(check(secret, `${body} `, headers)).toBe(false);
  expect(check(newSecret(), body, headers)).toBe(false);
});

/** Returns the block of Python under a heading, which the page's reader runs as it is. */
const pythonUnder = (heading: string) =>
  page.split(`\n## ${heading}\n`)[1]?.split('```python\n')[1]?.split('```')[0] ?? '';

test('the recipe of X-SVC-Signature in Python accepts a delivery, and no other body', () => {
  const check = (given: string) => {
    const request = `request = type("Request", (), {"headers": {"X-SVC-Signature": ${JSON.stringify(headers['x-svc-signature'])}}})`;
    const known = `secret, raw_body = ${JSON.stringify(secret)}, ${JSON.stringify(given)}.encode()`;
    const program = `${request}\n${known}\n${pythonUnder('The X-SVC-Signature header')}\nprint(is_valid)`;
    return execFileSync('python3', ['-c', program]).toString().trim();
  };
  expect([check(body), check(`${body} `)]).toEqual(['True', 'False']);
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { crm } from '#test/cli/process.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-verify-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const secret = `whsec_${Buffer.from('a secret of 32 bytes in all.....').toString('base64')}`;
const body = '{"event":"task.created","data":{"title":"漢"}}';

function headersAt(date: Date) {
  const signature = new Webhook(secret).sign('d-1', date, body);
  return {
    'Webhook-Id': 'd-1',
    'webhook-timestamp': String(Math.floor(date.getTime() / 1000)),
    'webhook-signature': signature,
  };
}

const asLines = (headers: object) =>
  Object.entries(headers)
    .map(([name, value]) => `< ${name}: ${value}\r\n`)
    .join('');

async function verify(headers: string, { input = body, args = ['--secret', secret], env = {} } = {}) {
  const file = join(folder, 'headers');
  await writeFile(file, headers);
  return crm(['verify', '--headers', file, ...args], { input, env });
}

test('a right signature is accepted with headers as JSON or lines, and a body from a file or stdin', async () => {
  const right = { code: 0, stdout: 'the signature is right\n', stderr: '' };
  const headers = headersAt(new Date());
  expect(await verify(JSON.stringify(headers))).toEqual(right);
  expect(await verify(`HTTP/1.1 200 OK\r\n${asLines(headers)}`)).toEqual(right);
  expect(await verify(asLines(headers), { args: [], env: { CRM_WEBHOOK_SECRET: secret } })).toEqual(right);
  const file = join(folder, 'body');
  await writeFile(file, body);
  expect(await verify(asLines(headers), { args: ['--secret', secret, file], input: '' })).toEqual(right);
  const { stdout } = await verify(asLines(headers), { args: ['--secret', secret, '--json'] });
  expect(JSON.parse(stdout)).toEqual({ valid: true, event: JSON.parse(body) });
});

describe('a wrong one is refused, and why', () => {
  const other = `whsec_${Buffer.from('another secret').toString('base64')}`;
  const now = () => headersAt(new Date());
  test.each<[string, () => object, Parameters<typeof verify>[1], RegExp]>([
    [
      'the body is another',
      now,
      { input: body.replace('漢', '字') },
      /^the signature is wrong: check the secret, and that the body/,
    ],
    ['the secret is another', now, { args: ['--secret', other] }, /^the signature is wrong: check the secret/],
    ['a line break was added', now, { input: `${body}\n` }, /: save the body without it\n$/],
    ['a header is missing', () => ({ 'webhook-id': 'd-1' }), {}, /^the header webhook-timestamp is missing\n$/],
    ['the time is none', () => ({ ...now(), 'webhook-timestamp': 'now' }), {}, /is not a time in seconds\n$/],
    ['it is old', () => headersAt(new Date(Date.now() - 600_000)), {}, /^the signature is right, but its time is not/],
  ])('%s', async (_, headers, given, said) => {
    const { code, stdout, stderr } = await verify(asLines(headers()), given);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(said)]);
  });

  test('but an old one is right at any time', async () => {
    const args = ['--secret', secret, '--any-time'];
    expect(await verify(asLines(headersAt(new Date(0))), { args })).toMatchObject({ code: 0 });
  });
});

test.each<[string, string[], RegExp]>([
  ['no secret', ['--headers', 'x'], /^--secret is missing\n$/],
  [
    'a secret that is none',
    ['--secret', 'abc', '--headers', 'x'],
    /^--secret is not a signing secret: it is whsec_ and base64\n$/,
  ],
  ['no headers', ['--secret', secret], /^--headers is missing\n$/],
  ['headers that are not there', ['--secret', secret, '--headers', '/nowhere/h'], /no such file/],
])('%s is not understood', async (_, args, said) => {
  const { code, stderr } = await crm(['verify', ...args]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(said)]);
});

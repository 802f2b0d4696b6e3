import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBetween } from '#test/client/between.ts';
import { eventually, everyItem } from '#test/client.ts';
import { place } from '#test/place.ts';
import { message } from '#test/telegram/bot.ts';
import { bots, somebody } from '#test/telegram/hearing.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

let folder: string;
let workspace: TestWorkspace;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-examples-'));
  workspace = await newWorkspace();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the receiver of Telegram messages', () => {
  let receiver: ChildProcess | undefined;
  afterAll(() => receiver?.kill());

  /** Installs the example as its README says, starts it, and returns its address. */
  async function start(secret: string): Promise<string> {
    const own = join(folder, 'telegram-receiver');
    await cp(join(root, 'examples/telegram-receiver'), own, { recursive: true });
    await run('npm', ['pack', '--silent', '-w', 'client', '--pack-destination', own], { cwd: root });
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: own });
    const env = { ...process.env, CRM_API_URL: place('baseUrl'), CRM_API_KEY: workspace.liveKey };
    receiver = spawn(process.execPath, ['receiver.ts'], {
      cwd: own,
      env: { ...env, WEBHOOK_SECRET: secret, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: receiver.stdout as NodeJS.ReadableStream })) {
      const port = /^listening on port (\d+)$/.exec(line)?.[1];
      if (port !== undefined) return `http://127.0.0.1:${port}/`;
    }
    throw new Error('the receiver ended');
  }

  test('answers each message once, and refuses a delivery with a wrong signature', async () => {
    const { live } = workspace;
    // The secret belongs to the environment, so it is known before the receiver has an address.
    const { body: first } = await live.post('/v1/webhooks', {
      url: 'http://127.0.0.1:9/',
      eventKinds: ['deal.created'],
    });
    const url = await start(first.secret);
    const { body: endpoint } = await live.post('/v1/webhooks', { url, eventKinds: ['message.created'] });
    const { connected, conversationWith } = bots(() => live);
    const bot = await connected('polling');
    const person = somebody();
    await bot.tell(message(person, { text: '/start' }));
    const { messages } = await conversationWith(person, 2);
    expect(messages.map(({ direction, body }: Record<string, string>) => [direction, body])).toEqual([
      ['outbound', 'Hello! Write your question, and we answer within a day.'],
      ['inbound', '/start'],
    ]);
    const deliveries = `/v1/webhooks/${endpoint.id}/deliveries`;
    const inbound = await eventually(async () => {
      const { items } = (await live.get(deliveries, { status: 'succeeded' })).body;
      // The inbound message and its answer.
      return items.length === 2 && items.at(-1);
    }, 'both deliveries');
    const { body: replay } = await live.post(`${deliveries}/${inbound.id}/replay`, {});
    await eventually(
      async () => (await live.get(`${deliveries}/${replay.id}`)).body.status === 'succeeded',
      'the replay',
    );
    expect(await everyItem(live, '/v1/telegram/messages')).toHaveLength(1);
    const headers = { 'webhook-id': 'a', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' };
    expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(401);
  });
});

describe('the import of a CSV file', () => {
  const header = 'name,email,phone,username,company,notes,tags';
  const hardRows = [
    '"Zoë Müller, Dr.",zoe@example.com,,,"Müller & Söhne, KG","says ""hello""\nand more",VIP;Berlin',
    'Anna,anna@example.com,,,,,',
    'Anna Again,ANNA@example.com,,,,,',
    'No Address,,,,,,',
    '李雷,,+86 10 1234 5678,,,,',
    'Wrong,not an address,,,,,',
    ',lost@example.com,,,,,',
    '',
  ];
  const plainRows = Array.from({ length: 493 }, (_, index) => `Person ${index},person${index}@example.com,,,,,`);
  const importFile = (file: string, url: string) =>
    run('python3', [join(root, 'examples/import-csv/import_csv.py'), file], {
      cwd: folder,
      env: { ...process.env, CRM_API_URL: url, CRM_API_KEY: workspace.testKey },
    }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    );

  test('moves 500 people in, waits on 429, repeats a lost answer, and prints the rows that failed', async () => {
    await writeFile(join(folder, 'people.csv'), `\ufeff${[header, ...hardRows, ...plainRows].join('\r\n')}\r\n`);
    await using between = await startBetween({ status: 429, headers: { 'retry-after': '1' }, body: {} }, 'is lost');
    const { code, stdout, stderr } = await importFile('people.csv', between.url);
    expect(stdout.trim().split('\n'), stderr).toEqual([
      'people.csv:8: 400 email must be one e-mail address, such as ada@example.com',
      'people.csv:9: 400 at least one of name, username, phone is required',
      '497 created, 1 updated, 2 failed',
    ]);
    expect(code).toBe(1);
    expect(stderr).toBe('waiting 1 s before the next attempt\nwaiting 2 s before the next attempt\n');
    const contacts = await everyItem(workspace.test, '/v1/contacts', { limit: 100 });
    expect(contacts).toHaveLength(497);
    const { id } = contacts.find(({ email }) => email === 'zoe@example.com');
    expect((await workspace.test.get(`/v1/contacts/${id}`)).body).toMatchObject({
      name: 'Zoë Müller, Dr.',
      company: 'Müller & Söhne, KG',
      notes: 'says "hello"\nand more',
      tags: expect.arrayContaining(['VIP', 'Berlin'].map((name) => expect.objectContaining({ name }))),
    });
    expect(contacts.filter(({ name }) => /^Anna/.test(name))).toMatchObject([{ name: 'Anna Again' }]);
    const again = await importFile('people.csv', place('baseUrl'));
    expect(again.stdout).toBe(stdout);
    expect(await everyItem(workspace.test, '/v1/contacts', { limit: 100 })).toHaveLength(497);
  });
});

import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type LoadedFunction, loadRoutes, loadWorkers } from '#infra/functions.ts';
import { operator } from '#lib/core/tenant.ts';
import { createAccount } from '#lib/messages/accounts/store.ts';
import { transact } from '#lib/table/transact.ts';
import { buildWithCode } from '#test/infra/assembly.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

const run = promisify(execFile);
const events = globSync(join(import.meta.dirname, '../../events/*.json')).sort();
/** `events/contacts-create.json` is for the function `contacts-create`. */
const functionOf = (path: string) => basename(path, '.json');
/** What the events say and what the test has in its place. */
const exampleWorkspace = '2147483647';
const exampleJob = '2147483646';
const exampleKey = 'csk_live_k7Qm2ZpX9aBc0123456789abcdefghijklmnopqrstuv';
const arriving = 'From: ada@example.com\r\nTo: nobody@mail.example.com\r\nSubject: Hello\r\n\r\nHello\r\n';

let folder: string;
let functions: LoadedFunction[];
let workspace: TestWorkspace;
let bucket: Server;
let mailJob: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-events-'));
  functions = [...(await loadRoutes()), ...(await loadWorkers())];
  const bundles = join(await buildWithCode(), 'dist');
  // Away from the packages, of which a bundle must need none.
  for (const name of events.map(functionOf))
    await cp(join(bundles, name), join(folder, 'dist', name), { recursive: true });
  workspace = await newWorkspace();
  await transact({ workspaceId: workspace.id, env: 'test' }, operator, (tx) =>
    createAccount(tx, { channel: 'telegram', kind: 'bot', name: 'Bot', username: null, dailyLimit: 10, secret: '1:a' }),
  );
  const mail = { to: ['ada@example.com'], subject: 'An offer', bodyText: 'Hello' };
  mailJob = (await workspace.live.post('/v1/email/messages', mail)).body.id;
  bucket = createServer((_, response) => response.end(arriving)).listen(0, '127.0.0.1');
});
afterAll(async () => {
  bucket.close();
  await rm(folder, { recursive: true });
});

/** What the Lambda runtime does: imports the bundle in a process of its own and calls the handler with the event. */
const runtime = `
  const [module, event] = process.argv.slice(1);
  const { handler } = await import(module);
  const context = { awsRequestId: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef', getRemainingTimeInMillis: () => 30_000 };
  const result = await handler(JSON.parse(event), context);
  process.stdout.write('\\nRESULT ' + JSON.stringify(result ?? null) + '\\n', () => process.exit(0));`;

async function invoke(name: string, event: string): Promise<unknown> {
  const module = pathToFileURL(join(folder, 'dist', name, 'index.mjs')).href;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', runtime, module, event], {
    env: {
      ...inject('environment'),
      AWS_LAMBDA_FUNCTION_NAME: name,
      MAIL_DOMAIN: 'mail.example.com',
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(bucket.address() as AddressInfo).port}`,
      NODE_OPTIONS: '--enable-source-maps',
    },
  });
  return JSON.parse(stdout.slice(stdout.lastIndexOf('\nRESULT ') + '\nRESULT '.length));
}

test('there is an event for every kind of trigger', async () => {
  const kinds = (await loadWorkers()).map(({ name, worker }) => ({ name, kind: Object.keys(worker.trigger)[0] }));
  const named = events.map(functionOf);
  for (const kind of new Set(kinds.map((worker) => worker.kind))) {
    const ofKind = kinds.filter((worker) => worker.kind === kind).map(({ name }) => name);
    expect(
      ofKind.some((name) => named.includes(name)),
      kind,
    ).toBe(true);
  }
});

test.each(events.map((path) => [functionOf(path), path]))('%s runs through its built bundle', async (name, path) => {
  const event = (await readFile(path, 'utf8'))
    .replaceAll(exampleKey, workspace.liveKey)
    .replaceAll(exampleWorkspace, String(workspace.id))
    .replaceAll(exampleJob, String(mailJob));
  const found = functions.find((of) => of.name === name);
  expect(found, `events/${name}.json names no function`).toBeDefined();
  const result = await invoke(name, event);
  if (found && 'route' in found) {
    expect(result).toMatchObject({ statusCode: (found as { route: { status: number } }).route.status });
  } else {
    expect([null, { batchItemFailures: [] }]).toContainEqual(result);
  }
});

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, expect, test } from 'vitest';
import { temporaryFolder } from '#test/infra/local/cloud-assembly.ts';
import { commandOf, descendants } from '#test/processes.ts';
import { readEnvironment, type System, startSystem } from '#test/system.ts';

const root = join(import.meta.dirname, '../../..');
const run = promisify(execFile);
const folder = temporaryFolder();
const systems: System[] = [];
let count = 0;
const newDataDir = () => join(folder.path, String(++count));

async function start(dataDir: string) {
  const system = await startSystem(dataDir);
  systems.push(system);
  return system;
}
/** Runs to its end; the exit code and what it said. */
async function startAndFail(env: Record<string, string>, args: string[] = []) {
  const options = { cwd: root, env: { ...process.env, PORT: '0', ...env } };
  return run(process.execPath, ['infra/local/start.ts', ...args], options).then(
    () => ({ code: 0, stderr: '' }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  );
}
async function admin<Result>(dataDir: string, ...args: string[]): Promise<Result> {
  const options = { cwd: root, env: { ...process.env, DATA_DIR: dataDir } };
  return JSON.parse((await run(process.execPath, ['infra/admin.ts', ...args], options)).stdout);
}
const health = async ({ baseUrl }: System) => (await fetch(`${baseUrl}/healthz`)).status;

const isAlive = (pid: number) => commandOf(pid) !== '';

afterEach(async () => {
  await Promise.all(systems.splice(0).map((system) => system.stop()));
});
afterAll(folder.remove);

test('SIGTERM ends everything it started, and it exits with 0', async () => {
  const system = await start(newDataDir());
  expect(await health(system)).toBe(200);
  const children = descendants(system.process.pid as number);
  expect(children.map(commandOf).some((command) => command.endsWith('dynoxide'))).toBe(true);
  expect(await system.stop()).toBe(0);
  expect(children.filter(isAlive)).toEqual([]);
});

test('two run side by side, and each says where it is', async () => {
  const dataDirs = [newDataDir(), newDataDir()];
  const both = await Promise.all(dataDirs.map(start));
  expect(await Promise.all(both.map(health))).toEqual([200, 200]);
  for (const [index, dataDir] of dataDirs.entries()) {
    expect(JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'))).toEqual({ baseUrl: both[index]?.baseUrl });
    expect(await readEnvironment(dataDir)).toMatchObject({ TABLE_NAME: expect.any(String) });
  }
});

test('a taken port is one line on standard error and exit code 1', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const { code, stderr } = await startAndFail({ PORT: String(port), DATA_DIR: newDataDir() });
  server.close();
  expect([code, stderr]).toEqual([1, `port ${port} of 127.0.0.1 is taken: choose another with PORT\n`]);
});

test('a broken DATA_DIR, option or setting is one line on standard error and exit code 1', async () => {
  const file = newDataDir();
  writeFileSync(file, '');
  for (const { code, stderr } of [
    await startAndFail({ DATA_DIR: file }),
    await startAndFail({ DATA_DIR: newDataDir() }, ['--nonsense']),
    await startAndFail({ DATA_DIR: newDataDir(), PORT: 'http' }),
    await startAndFail({ DATA_DIR: newDataDir(), RATE_LIMIT_PER_MINUTE: 'many' }),
  ]) {
    expect(code).toBe(1);
    expect(stderr).toMatch(/^[^\n]+\n$/);
  }
});

test('a second start on the same DATA_DIR is refused while the first runs', async () => {
  const dataDir = newDataDir();
  await start(dataDir);
  const { code, stderr } = await startAndFail({ DATA_DIR: dataDir });
  expect([code, stderr]).toEqual([1, `another npm start is running on DATA_DIR ${dataDir}\n`]);
});

test('after a kill -9 nothing is left running, and the next start has every acknowledged write', async () => {
  const dataDir = newDataDir();
  const killed = await start(dataDir);
  const { id } = await admin<{ id: number }>(dataDir, 'workspace', 'create', '{"name":"Kept"}');
  const children = descendants(killed.process.pid as number);
  const exited = new Promise((resolve) => killed.process.once('exit', resolve));
  killed.process.kill('SIGKILL');
  await exited;
  await expect.poll(() => children.filter(isAlive)).toEqual([]);
  const next = await start(dataDir);
  expect(await health(next)).toBe(200);
  expect(await admin(dataDir, 'workspace', 'create', '{"name":"Next"}')).toEqual({ id: id + 1 });
});

test('messages due soon after a kill -9 are sent on time, by ten accounts concurrently', async () => {
  const dataDir = newDataDir();
  const killed = await start(dataDir);
  const { id: workspaceId } = await admin<{ id: number }>(dataDir, 'workspace', 'create', '{"name":"Soon"}');
  const scopes = ['accounts:manage', 'telegram:send', 'telegram:read'];
  const minted = JSON.stringify({ workspaceId, env: 'test', name: 'Soon', scopes });
  const { key } = await admin<{ key: string }>(dataDir, 'key', 'create', minted);
  const call = async <Answer>({ baseUrl }: System, path: string, body?: object): Promise<Answer> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const given = body ? { method: 'POST', body: JSON.stringify(body) } : {};
    return (await fetch(`${baseUrl}${path}`, { headers, ...given })).json() as Promise<Answer>;
  };
  type Job = { id: number; status: string; runAt: string; updatedAt: string };
  const jobs: Job[] = [];
  const dueAt = (one: number) => new Date(Date.now() + 70_000 + one * 5000).toISOString();
  for (let one = 0; one < 10; one += 1) {
    const bot = { kind: 'bot', botToken: `test_${one}`, inbound: 'off' };
    const { id: accountId } = await call<{ id: number }>(killed, '/v1/telegram/accounts', bot);
    const send = { accountId, telegramUserId: one + 1, text: 'Hi', runAt: dueAt(one) };
    jobs.push(await call<Job>(killed, '/v1/telegram/messages', send));
  }
  const exited = new Promise((resolve) => killed.process.once('exit', resolve));
  killed.process.kill('SIGKILL');
  await exited;
  const next = await start(dataDir);
  const readyMs = Date.now();
  const shown = () => Promise.all(jobs.map(({ id }) => call<Job>(next, `/v1/telegram/messages/${id}`)));
  await expect
    .poll(async () => (await shown()).map(({ status }) => status), { timeout: 180_000 })
    .toEqual(jobs.map(() => 'sent'));
  const lateMs = (await shown()).map(
    ({ runAt: due, updatedAt }) => Date.parse(updatedAt) - Math.max(Date.parse(due), readyMs),
  );
  expect(Math.max(...lateMs)).toBeLessThan(25_000);
}, 400_000);

test('a crashed engine comes back with its data on the same port', async () => {
  const dataDir = newDataDir();
  const system = await start(dataDir);
  const { id } = await admin<{ id: number }>(dataDir, 'workspace', 'create', '{"name":"Kept"}');
  const engine = descendants(system.process.pid as number).find((pid) => commandOf(pid).endsWith('dynoxide'));
  process.kill(engine as number, 'SIGKILL');
  await expect.poll(() => health(system)).toBe(200);
  expect(await admin(dataDir, 'workspace', 'create', '{"name":"Next"}')).toEqual({ id: id + 1 });
});

test('a file in DATA_DIR/kill ends the instances of that function, which answers again', async () => {
  const dataDir = newDataDir();
  const system = await start(dataDir);
  expect(await health(system)).toBe(200);
  const request = join(dataDir, 'kill', 'CrmApi-HealthGet');
  writeFileSync(request, '');
  await expect.poll(() => readdirSync(join(dataDir, 'kill'))).toEqual([]);
  expect(await health(system)).toBe(200);
});

test('a wrong admin command is one line on standard error and exit code 1', async () => {
  const failed = admin(newDataDir(), 'nonsense', 'create', '{}');
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^there is no command[^\n]+\n$/),
  });
});

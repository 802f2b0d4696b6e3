import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readDemoFile } from '#infra/local/files.ts';
import { synthesise } from '#infra/synth.ts';
import { found, Missing, run, startEngine } from '#test/sam/engine.ts';
import { startSystem } from '#test/system.ts';

/**
 * `npm run test:sam`: the real `sam local` runs three functions, and the API, in containers on a running local system. Says what is
 * missing where that cannot be tried; exits 1 when it was tried and failed.
 */
const readyMs = 120_000;

async function rehearse(): Promise<void> {
  await found('sam');
  const engine = await startEngine();
  const dir = await mkdtemp(join(tmpdir(), 'crm-sam-'));
  const ends: (() => Promise<unknown>)[] = [() => rm(dir, { recursive: true, force: true }), () => engine.stop()];
  try {
    const dataDir = join(dir, 'data');
    const system = await startSystem(dataDir, { SERVICES_HOST: engine.hostAddress }, []);
    ends.push(() => system.stop());
    // The code that the template names.
    await synthesise({ outdir: join(dir, 'assembly') });
    const key = readDemoFile(dataDir)?.liveKey;
    const options = ['-t', join(dataDir, 'sam-template.json'), '--skip-pull-image'];
    const host = ['--add-host', `host.docker.internal:${engine.hostAddress}`];
    const env = { ...engine.environment, SAM_CLI_TELEMETRY: '0' };

    const invoke = async (name: string, event: object) => {
      const path = join(dir, 'event.json');
      await writeFile(path, JSON.stringify(event));
      const { stdout } = await run('sam', ['local', 'invoke', name, '-e', path, ...options, ...host], { env });
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? 'null');
    };
    const call = (method: string, path: string, body?: object) => ({
      version: '2.0',
      rawPath: path,
      rawQueryString: '',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      requestContext: { requestId: 'sam', http: { method, path, sourceIp: '127.0.0.1' } },
      ...(body && { body: JSON.stringify(body) }),
      isBase64Encoded: false,
    });
    const made = await invoke('ContactsCreate', call('POST', '/v1/contacts', { name: 'By sam' }));
    say('sam local invoke ContactsCreate', made.statusCode === 201, made);
    const listed = await invoke('ContactsList', call('GET', '/v1/contacts'));
    say('sam local invoke ContactsList shows it', `${listed.body}`.includes('"By sam"'), listed);
    say('sam local invoke WorkersMarkOverdue', (await invoke('WorkersMarkOverdue', { Records: [] })) !== undefined);

    const port = await freePort();
    const api = spawn('sam', ['local', 'start-api', '--port', String(port), ...options, ...host], {
      env,
      stdio: 'ignore',
      detached: true,
    });
    ends.push(async () => api.pid && process.kill(-api.pid, 'SIGTERM'));
    const ask = (base: string, path: string, init?: RequestInit) =>
      fetch(`${base}${path}`, { ...init, headers: call('', '').headers });
    const base = `http://127.0.0.1:${port}`;
    await answers(base);
    const posted = await ask(base, '/v1/contacts', { method: 'POST', body: JSON.stringify({ name: 'By its API' }) });
    say('sam local start-api: POST /v1/contacts', posted.status === 201, await posted.text());
    const found = await ask(base, '/v1/contacts?q=its%20api');
    say('sam local start-api: GET /v1/contacts?q=', (await found.text()).includes('By its API'));
    const seen = await ask(system.baseUrl, '/v1/contacts?q=its%20api');
    say('npm start shows what it made', (await seen.text()).includes('By its API'));
    const refused = await fetch(`${base}/v1/contacts`);
    say('sam local start-api: without a key 401', refused.status === 401, refused.status);
  } finally {
    for (const end of ends.reverse()) await end().catch((error: unknown) => console.error(error));
  }
}

function say(what: string, isSo: boolean, otherwise?: unknown): void {
  console.log(`${isSo ? 'ok    ' : 'failed'} ${what}`);
  if (isSo) return;
  process.exitCode = 1;
  console.log(otherwise);
}

async function answers(base: string): Promise<void> {
  for (const deadlineMs = Date.now() + readyMs; ; await sleep(500)) {
    if (await fetch(base).catch(() => undefined)) return;
    if (Date.now() > deadlineMs) throw new Error('sam local start-api does not answer');
  }
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

await rehearse().catch((error: unknown) => {
  if (error instanceof Missing) return console.log(`sam local was not tried: ${error.message}`);
  throw error;
});

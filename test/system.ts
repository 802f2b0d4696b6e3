import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import type { TestProject } from 'vitest/node';
import { buildAssembly } from '#infra/local/build.ts';
import { readOptions } from '#infra/local/options.ts';
import { checkPermissions } from '#test/permissions.ts';
import { startFrontCentre } from '#test/telegram/data-centre.ts';
import { startDouble } from '#test/telegram/double.ts';
import { newServerKey, type ServerKey } from '#test/telegram/mtproto.ts';

declare module 'vitest' {
  interface ProvidedContext {
    baseUrl: string;
    dataDir: string;
    /** Where the double of Telegram and X listens. */
    providerUrl: string;
    /** Of the data centres at which Telegram users log in. */
    serverKey: ServerKey;
    /** What a process needs to use lib/ on the running system: endpoints, table name, key. */
    environment: Record<string, string>;
  }
}

const readyTimeoutMs = 180_000;
const stopTimeoutMs = 10_000;

/** Waits of the webhook schedule, shortened: 5 s become 50 ms. */
const settings = { WEBHOOK_RETRY_SCALE: '0.01', PUBLIC_URL: 'https://crm.example' };

/** What one process has compiled the next need not: every file is a process of its own, and many start others. */
const compiled = join(import.meta.dirname, '../node_modules/.cache/compiled');

/** Starts one local system for the whole run; every test file works in workspaces of its own. */
export default async function setup(project: TestProject) {
  process.env['NODE_COMPILE_CACHE'] ??= compiled;
  const dataDir = await mkdtemp(join(tmpdir(), 'crm-test-'));
  // Every process that starts a system notes there what its functions call.
  const calls = `${dataDir}.calls.jsonl`;
  process.env['CALLS_FILE'] = calls;
  const double = await startDouble();
  const serverKey = newServerKey();
  const centre = await startFrontCentre(serverKey);
  const environment = {
    ...settings,
    EVENT_BUS: 'events',
    TELEGRAM_API_ROOT: double.url,
    TWITTER_API_ROOT: double.url,
    TELEGRAM_API_ID: '1',
    TELEGRAM_API_HASH: 'test',
    TELEGRAM_DATA_CENTRE: centre.address,
    TELEGRAM_PUBLIC_KEY: serverKey.publicKey,
  };
  const system = await startSystem(dataDir, environment);
  project.provide('baseUrl', system.baseUrl);
  project.provide('dataDir', dataDir);
  project.provide('providerUrl', double.url);
  project.provide('serverKey', serverKey);
  project.provide('environment', await readEnvironment(dataDir));
  return async () => {
    await system.stop();
    await Promise.all([double.close(), centre.close()]);
    await rm(dataDir, { recursive: true, force: true });
    const { settings: built } = readOptions([], { ...process.env, ...environment });
    await checkPermissions(project, calls, await buildAssembly(built));
  };
}

export interface System {
  baseUrl: string;
  process: ChildProcess;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

const names = pathToFileURL(join(import.meta.dirname, 'faults/names.ts')).href;

/** `npm start` on a free port (test/start.ts); what it says on standard error is shown when it does not come up. */
export async function startSystem(
  dataDir: string,
  env: Record<string, string> = {},
  args = ['--empty'],
): Promise<System> {
  const child = spawn(process.execPath, ['--import', names, 'test/start.ts', ...args], {
    cwd: join(import.meta.dirname, '..'),
    // Without the Telegram application of the shared system, whose hash a test's process does not know.
    env: { ...process.env, TELEGRAM_API_ID: '', PORT: '0', DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors = `${errors}${chunk}`.slice(-20_000);
    if (process.env['SHOW_SYSTEM']) process.stderr.write(chunk);
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const ready = (async () => {
    for await (const line of createInterface(child.stdout)) {
      const url = /^ready (http:\/\/\S+)$/.exec(line)?.[1];
      if (url) {
        child.stdout.resume();
        return url;
      }
    }
    throw new Error(`the local system ended before it was ready:\n${errors}`);
  })();
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`the local system is not ready:\n${errors}`)), readyTimeoutMs).unref();
  });
  const baseUrl = await Promise.race([ready, late]).catch((error) => {
    child.kill('SIGKILL');
    throw error;
  });
  const stop = async () => {
    child.kill('SIGTERM');
    const killed = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
    const code = await exited;
    clearTimeout(killed);
    return code;
  };
  return { baseUrl, process: child, stop };
}

/** The environment that `npm run admin` uses too. */
export async function readEnvironment(dataDir: string): Promise<Record<string, string>> {
  return (JSON.parse(await readFile(join(dataDir, 'system.json'), 'utf8')) as { env: Record<string, string> }).env;
}

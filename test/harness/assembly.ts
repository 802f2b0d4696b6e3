import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildAssembly } from '#infra/local/build.ts';
import { checkPermissions } from '#test/permissions.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder with the templates that the functions run by. */
    assembly: string;
    /** The file where it is noted what functions call. */
    calls: string;
  }
}

/** Shortened waits of the webhook schedule (5 s become 50 ms), and everything that a deployment can have. */
const settings = {
  MAIL_FROM: 'crm@localhost',
  RELEASE_GRACE_SECONDS: '5',
  WEBHOOK_PRIVATE_NETWORKS: 'allow',
  WEBHOOK_RETRY_SCALE: '0.01',
  PUBLIC_URL: 'https://crm.example',
  eventBus: 'events',
  TELEGRAM_API_ROOT: 'http://127.0.0.1:1',
  TWITTER_API_ROOT: 'http://127.0.0.1:1',
  TELEGRAM_API_ID: '1',
  TELEGRAM_DATA_CENTRE: '2@127.0.0.1:1',
  TELEGRAM_PUBLIC_KEY: 'given by the test',
  telegramApiHashParameter: '/crm-api/telegram-api-hash',
};

/** Synthesises the templates once for all test files. */
export default async function setup(project: TestProject) {
  const assembly = await buildAssembly(settings);
  const folder = await mkdtemp(join(tmpdir(), 'crm-calls-'));
  const calls = join(folder, 'calls.jsonl');
  project.provide('assembly', assembly);
  project.provide('calls', calls);
  return async () => {
    await checkPermissions(project, calls, assembly);
    await rm(folder, { recursive: true });
  };
}

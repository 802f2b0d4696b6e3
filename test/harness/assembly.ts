import { rm } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { buildAssembly } from '#infra/local/build.ts';
import { checkPermissions } from '#test/permissions.ts';
import { callsIn, newRunFolder } from './run-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder with the templates that the functions run by. */
    assembly: string;
    /** The folder for what the run writes. */
    folder: string;
  }
}

/** Shortened waits of the webhook schedule (5 s become 50 ms), and everything that a deployment can have. */
const settings = {
  MAIL_FROM: 'crm@localhost',
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
  const folder = newRunFolder();
  project.provide('assembly', assembly);
  project.provide('folder', folder);
  return async () => {
    await checkPermissions(project, callsIn(folder), assembly);
    await rm(folder, { recursive: true, force: true });
  };
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { api, type Client } from '#test/client.ts';

/** The demo workspace of a running system, and its sandbox. */
export async function demoClients(dataDir: string, baseUrl: string): Promise<[live: Client, sandbox: Client]> {
  const { liveKey, testKey } = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as Record<
    'liveKey' | 'testKey',
    string
  >;
  return [api(liveKey, { baseUrl }), api(testKey, { baseUrl })];
}

/** The demo workspace of a running system. */
export const demoClient = async (dataDir: string, baseUrl: string): Promise<Client> =>
  (await demoClients(dataDir, baseUrl))[0];

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { api, type Client } from '#test/client.ts';

/** The demo workspace of a running system. */
export async function demoClient(dataDir: string, baseUrl: string): Promise<Client> {
  const { liveKey } = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as { liveKey: string };
  return api(liveKey, { baseUrl });
}

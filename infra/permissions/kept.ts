import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Usage } from '#infra/local/iam/usage.ts';

const path = join(import.meta.dirname, '../../node_modules/.cache/permissions.json');

/** Keeps what the last run of all tests has used. */
export async function keepUsage(usage: Usage): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify(usage));
}

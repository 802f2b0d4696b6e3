import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Usage } from '#infra/local/iam/usage.ts';

const path = join(import.meta.dirname, '../../node_modules/.cache/permissions.json');

/** Keeps what the last run of all tests has used. */
export async function keepUsage(usage: Usage): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify(usage));
}

/** What the last run of all tests has used; undefined before the first. */
export async function keptUsage(): Promise<Usage | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}

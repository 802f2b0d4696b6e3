import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClientOf, clients } from '#test/openapi/generators.ts';
import { place } from '#test/place.ts';
import { newWorkspace } from '#test/workspace.ts';

const run = promisify(execFile);

/** What every program does and prints, in test/openapi/clients. */
const expected = {
  listed: ['Hedy', 'Grace', 'Ada'],
  found: ['Grace'],
  stage: 'qualified',
  refused: ['sourceContactId unknown_reference'],
  missing: [404, 'not_found', null],
  created: ['Ada', 'Grace', 'Hedy'],
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-clients-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function answersOf({ name, make, command }: ClientOf) {
  const own = await mkdtemp(join(folder, `${name.replaceAll(' ', '-')}-`));
  await make(own);
  const { liveKey } = await newWorkspace();
  const [file, ...args] = command(own);
  const env = { ...process.env, BASE_URL: place('baseUrl'), API_KEY: liveKey };
  const { stdout } = await run(file, args, { env });
  return JSON.parse(stdout);
}

describe('a client that is generated from the document compiles strictly and works:', () => {
  for (const client of clients) {
    const { name, missing, without } = client;
    test.skipIf(missing)(missing ? `${name} (skipped: ${missing})` : name, { timeout: 300_000 }, async () => {
      const able = Object.entries(expected).filter(([field]) => !without.includes(field));
      expect(await answersOf(client)).toEqual(Object.fromEntries(able));
    });
  }
});

import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { place } from '#test/place.ts';
import { newWorkspace } from '#test/workspace.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const modules = join(root, 'node_modules');

const program = `
import { ApiError, createClient, type Schema } from 'crm-api/client';

declare const process: { env: Record<string, string> };
const crm = createClient({ baseUrl: process.env['BASE_URL'] ?? '', apiKey: process.env['API_KEY'] ?? '' });
const made: Schema<'Contact'> = await crm.post('/v1/contacts', { body: { name: 'Ada' } });
const names: (string | null)[] = [];
for await (const { name } of crm.list('/v1/contacts')) names.push(name);
// @ts-expect-error a contact is found by its id
const missing = await crm.get('/v1/contacts/{id}', { params: { path: { id: 'x' } } }).catch((error: ApiError) => error);
// @ts-expect-error a contact has no such field
crm.get('/v1/contacts/{id}', { params: { path: { id: made.id } } }).then(({ nickname }) => nickname);
// @ts-expect-error the feed is read by events()
crm.list('/v1/events');
console.log(JSON.stringify({ names, code: missing instanceof ApiError && missing.code }));
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-package-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The package as npm would publish it, installed in a folder. */
async function install() {
  const { stdout } = await run('npm', ['pack', '--json', '--silent', '--pack-destination', folder], { cwd: root });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n')));
  return packed as { files: { path: string }[] };
}

test('the packed client compiles strictly, runs, is small, and ships the command line', async () => {
  const packed = await install();
  const files = packed.files.map(({ path }) => path);
  expect(files.filter((path) => !path.startsWith('dist/'))).toEqual(['README.md', 'cli/crm.js', 'package.json']);
  const installed = join(folder, 'node_modules/crm-api');
  for (const path of files) await cp(join(root, path), join(installed, path));
  const { dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers']) {
    expect(dependencies).toHaveProperty(name);
    await symlink(join(modules, name), join(folder, 'node_modules', name));
  }
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await writeFile(join(folder, 'program.ts'), program);
  const tsc = (...options: string[]) =>
    run(
      process.execPath,
      [join(modules, 'typescript/bin/tsc'), '--strict', '--target', 'es2022', ...options, 'program.ts'],
      {
        cwd: folder,
      },
    ).catch(({ stdout }) => expect.fail(stdout));
  await tsc('--module', 'preserve', '--noEmit');
  await tsc('--module', 'nodenext');
  const { liveKey } = await newWorkspace();
  const env = { ...process.env, BASE_URL: place('baseUrl'), API_KEY: liveKey };
  const { stdout } = await run(process.execPath, ['program.js'], { cwd: folder, env });
  expect(JSON.parse(stdout)).toEqual({ names: ['Ada'], code: 'not_found' });

  const cli = await run(process.execPath, [join(installed, 'cli/crm.js'), 'api', 'GET', '/v1/contacts', '--json'], {
    cwd: folder,
    env: { ...process.env, CRM_API_URL: place('baseUrl'), CRM_API_KEY: liveKey },
  });
  expect(JSON.parse(cli.stdout).items).toMatchObject([{ name: 'Ada' }]);

  const bundle = await readFile(join(installed, 'dist/client/index.js'));
  expect(gzipSync(bundle).length).toBeLessThan(15_000);
  const loads = /\bimport\b|\brequire\(|"node:/.exec(bundle.toString());
  expect(loads, 'what the bundle loads').toBeNull();
});

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { place } from '#test/place.ts';
import { newWorkspace } from '#test/workspace.ts';
import manifest from '../../package.json' with { type: 'json' };

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const tsc = join(root, 'node_modules/typescript/bin/tsc');

const program = `
import { ApiError, createClient, type Schema, verifyWebhook } from 'crm-api-client';

declare const process: { env: Record<string, string> };
async function main() {
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
  console.log(JSON.stringify({ names, code: missing instanceof ApiError && missing.code, verify: typeof verifyWebhook }));
}
main();
`;

/** Packs a workspace as npm would publish it, and installs it in an empty project; `said` is all that npm writes to standard error. */
async function install(workspace: string) {
  const folder = await mkdtemp(join(tmpdir(), 'crm-package-'));
  const packing = await run('npm', ['pack', '--json', '--silent', '-w', workspace, '--pack-destination', folder], {
    cwd: root,
  });
  const [file] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  if (file === undefined) throw new Error(`npm packed nothing: ${packing.stdout}`);
  await writeFile(join(folder, 'package.json'), '{"private": true}');
  const { stderr } = await run(
    'npm',
    ['install', '--prefer-offline', '--no-update-notifier', '--no-audit', '--no-fund', `./${file}`],
    {
      cwd: folder,
    },
  );
  return { folder, said: stderr };
}

/** The bytes of all files that an installation has. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(join(folder, 'node_modules'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

describe('the packed client', () => {
  let folder: string;
  let said: string;
  beforeAll(async () => {
    ({ folder, said } = await install('client'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('installs with two dependencies, at most 2.5 MB, and no warning', async () => {
    expect(said).toBe('');
    const installed = await readdir(join(folder, 'node_modules'));
    const packages = installed.filter((name) => !name.startsWith('.')).sort();
    expect(packages).toEqual(['crm-api-client', 'openapi-fetch', 'openapi-typescript-helpers']);
    expect(await sizeOf(folder)).toBeLessThan(2_500_000);
    const { engines } = JSON.parse(await readFile(join(folder, 'node_modules/crm-api-client/package.json'), 'utf8'));
    expect(engines).toEqual({ node: '>=20' });
  });

  test.each([
    ['an ES module', 'program.mts', ['--module', 'nodenext']],
    ['a CommonJS module', 'program.cts', ['--module', 'nodenext']],
    ['a bundler', 'program.mts', ['--module', 'esnext', '--moduleResolution', 'bundler']],
  ])('compiles strictly and runs for %s', async (_, name, options) => {
    await writeFile(join(folder, name), program);
    await run(process.execPath, [tsc, '--strict', '--target', 'es2022', ...options, name], { cwd: folder }).catch(
      ({ stdout }) => expect.fail(stdout),
    );
    const { liveKey } = await newWorkspace();
    const env = { ...process.env, BASE_URL: place('baseUrl'), API_KEY: liveKey };
    const compiled = name.replace(/ts$/, 'js');
    const { stdout, stderr } = await run(process.execPath, [compiled], { cwd: folder, env });
    expect(JSON.parse(stdout)).toEqual({ names: ['Ada'], code: 'not_found', verify: 'function' });
    expect(stderr).toBe('');
  });

  test('is small and loads nothing', async () => {
    const bundle = await readFile(join(folder, 'node_modules/crm-api-client/dist/index.mjs'));
    expect(gzipSync(bundle).length).toBeLessThan(15_000);
    const loads = /\bimport\b|\brequire\(|"node:/.exec(bundle.toString());
    expect(loads, 'what the bundle loads').toBeNull();
  });
});

describe('the packed command line', () => {
  let folder: string;
  let said: string;
  const crm = (args: string[], env: object = {}) =>
    run('npm', ['exec', '--offline', '--', 'crm', ...args], { cwd: folder, env: { ...process.env, ...env } });
  beforeAll(async () => {
    ({ folder, said } = await install('cli'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('installs without dependencies, at most 5 MB, and no warning', async () => {
    expect(said).toBe('');
    const installed = await readdir(join(folder, 'node_modules'));
    expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['crm-api-cli']);
    expect(await sizeOf(folder)).toBeLessThan(5_000_000);
    const { engines } = JSON.parse(await readFile(join(folder, 'node_modules/crm-api-cli/package.json'), 'utf8'));
    expect(engines).toEqual({ node: '>=20' });
  });

  test('says its version and calls the API', async () => {
    expect(await crm(['--version'])).toEqual({ stdout: `${manifest.version}\n`, stderr: '' });
    const { liveKey } = await newWorkspace();
    const { stdout } = await crm(['api', 'POST', '/v1/contacts', '-f', 'name=Ada'], {
      CRM_API_URL: place('baseUrl'),
      CRM_API_KEY: liveKey,
    });
    expect(JSON.parse(stdout)).toMatchObject({ name: 'Ada' });
  });
});

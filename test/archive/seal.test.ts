import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { exportWorkspace } from '#infra/admin/archive/export.ts';
import { importWorkspace } from '#infra/admin/archive/import.ts';
import { Digest, sealOf } from '#infra/admin/archive/seal.ts';
import { createWorkspace } from '#lib/workspaces/create.ts';
import { between } from '#test/between.ts';
import { eventually } from '#test/client.ts';
import { sealedByAnother } from '#test/sealed.ts';
import { clientOf, newWorkspace } from '#test/workspace.ts';
import { archiveOf } from './handmade.ts';

let folder: string;
let file: string;
let from: number;
let lines: string[];
/** The lines of another workspace's archive. */
let others: string[];
/** Unused by every file that is refused. */
let to: number;

const newId = async () => (await createWorkspace({ name: 'Copy', currency: 'USD' })).id;
const linesOf = async (path: string) => (await readFile(path, 'utf8')).trimEnd().split('\n');

async function exported(name: string): Promise<{ id: number; path: string }> {
  const { id, live } = await newWorkspace();
  await live.post('/v1/contacts', { name: 'Ann\u2028Archer', email: `${name}@example.com` }, 201);
  await live.post('/v1/tags', { name: 'VIP' }, 201);
  const path = join(folder, `${name}.ndjson`);
  await eventually(async () => exportWorkspace(id, path).catch(() => undefined), 'the export');
  return { id, path };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-seal-'));
  const [own, other] = [await exported('own'), await exported('other')];
  ({ id: from, path: file } = own);
  lines = await linesOf(file);
  others = await linesOf(other.path);
  to = await newId();
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => void vi.unstubAllEnvs());

/** Imports a text into the unused workspace. Returns why it is refused; fails when anything was written before. */
async function refusalOf(text: string, options?: { isUnsigned: boolean }): Promise<string> {
  const path = join(folder, 'changed.ndjson');
  await writeFile(path, text);
  const writes: unknown[] = [];
  const refusal = await between(
    ({ operation, input }, next) => {
      const isWrite = /Write|Put|Update|Delete/.test(operation);
      if (isWrite && new RegExp(`"${to}[:#]`).test(JSON.stringify(input))) writes.push(input);
      return next();
    },
    () => importWorkspace(to, path, options).catch((error: Error) => error),
  );
  expect(writes).toEqual([]);
  if (!(refusal instanceof Error)) throw new Error('the file was imported');
  return refusal.message;
}

const textOf = (all: readonly string[]) => all.map((line) => `${line}\n`).join('');
const trailerOf = (all: readonly string[]) => JSON.parse(all.at(-1) as string);
const withTrailer = (all: readonly string[], trailer: object) => textOf([...all.slice(0, -1), JSON.stringify(trailer)]);

function digestOf(all: readonly string[]): string {
  const digest = new Digest();
  for (const line of all.slice(0, -1)) digest.add(line);
  return digest.end(trailerOf(all));
}

test('the trailer of an archive has the number of rows, their nouns, the digest, and the seal', () => {
  expect(trailerOf(lines)).toEqual({
    rows: lines.length - 2,
    counts: expect.objectContaining({ contacts: 1, tags: 1, members: 1, deals: 0 }),
    digest: digestOf(lines),
    seal: expect.stringMatching(/^[\w+/]+=*$/),
  });
});

test('an import refuses an archive with a changed byte, wherever it is', async () => {
  const text = textOf(lines);
  const trailerAt = text.lastIndexOf('\n{') + 1;
  const steps = Array.from({ length: 100 }, (_, n) => Math.floor((n * trailerAt) / 100));
  const ofTrailer = Array.from({ length: text.length - 1 - trailerAt }, (_, n) => trailerAt + n);
  for (const at of [...steps, ...ofTrailer]) {
    const changed = `${text.slice(0, at)}${text[at] === '0' ? '1' : '0'}${text.slice(at + 1)}`;
    expect(await refusalOf(changed), `byte ${at}`).toMatch(/archive|file/);
  }
});

const altered = 'the file was changed after its export: its digest does not match';
const cut = 'the file is cut off: export it again';
const foreign = /^the seal of the file is not of this deployment: .* in a stage that sets allowUnsignedImports$/;

describe('an import writes nothing of', () => {
  test.each<[string, (all: string[]) => string, string | RegExp]>([
    ['an empty file', () => '', cut],
    ['a file without its trailer', (all) => textOf(all.slice(0, -1)), cut],
    ['half a file', (all) => textOf(all).slice(0, textOf(all).length / 2), cut],
    ['a file with half a trailer', (all) => textOf(all).slice(0, -40), / is not JSON$/],
    ['a file with two lines swapped', ([a = '', b = '', c = '', ...rest]) => textOf([a, c, b, ...rest]), altered],
    ['a file with a line twice', (all) => textOf(all.toSpliced(3, 0, all[3] as string)), altered],
    ['a file without a line', (all) => textOf(all.toSpliced(3, 1)), altered],
    ['a file with more after its end', (all) => textOf([...all, all[3] as string]), / there is more after the end$/],
    ['the trailer of another workspace', (all) => textOf([...all.slice(0, -1), others.at(-1) as string]), altered],
    [
      'the seal of another workspace',
      (all) => withTrailer(all, { ...trailerOf(all), seal: trailerOf(others).seal }),
      foreign,
    ],
    ['a file without a seal', (all) => withTrailer(all, { ...trailerOf(all), seal: undefined }), foreign],
    ['a file with an empty seal', (all) => withTrailer(all, { ...trailerOf(all), seal: '' }), foreign],
    ['a seal that is no base64', (all) => withTrailer(all, { ...trailerOf(all), seal: 'a seal' }), /^line \d+ of/],
    ['a seal that nobody made', (all) => withTrailer(all, { ...trailerOf(all), seal: 'AAAA' }), foreign],
    ['a file of another kind', () => '{"format":"something else"}', 'line 1 of the file: is not a workspace archive'],
    [
      'a file of an earlier version',
      ([head = '', ...rest]) => textOf([head.replace('"version":3', '"version":2'), ...rest]),
      'line 1 of the file: is of a version that this release does not read',
    ],
    ['a file without lines', () => 'x'.repeat(10_000_000), 'line 1 of the file: is longer than any row'],
    ['a line of brackets', (all) => textOf(all.with(3, '['.repeat(1_000_000))), altered],
  ])('%s', async (_, change, message) => {
    const reason = await refusalOf(change([...lines]));
    if (typeof message === 'string') expect(reason).toBe(message);
    else expect(reason).toMatch(message);
  });

  test('a changed file with a digest of its own', async () => {
    const changed = lines.map((line) => line.replace('own@example.com', 'own@evil.example'));
    expect(changed).not.toEqual(lines);
    const trailer = { ...trailerOf(lines), digest: digestOf(changed) };
    expect(await refusalOf(withTrailer(changed, trailer))).toMatch(foreign);
  });

  test('a seal that was made for another workspace with the same digest', async () => {
    const { digest } = trailerOf(lines);
    const seal = await sealOf(from + 1, digest);
    expect(await refusalOf(withTrailer(lines, { ...trailerOf(lines), seal }))).toMatch(foreign);
  });

  test('a seal of another deployment', async () => {
    const seal = await sealedByAnother();
    expect(await refusalOf(withTrailer(lines, { ...trailerOf(lines), seal }))).toMatch(foreign);
  });
});

test('an archive without a seal is imported as unsigned where the stage allows it, and only there', async () => {
  const text = withTrailer(lines, { ...trailerOf(lines), seal: undefined });
  vi.stubEnv('ALLOW_UNSIGNED_IMPORTS', '');
  const refusal = 'unsigned archives are refused in this stage: it does not set allowUnsignedImports';
  expect(await refusalOf(text, { isUnsigned: true })).toBe(refusal);
  expect(await refusalOf(textOf(lines), { isUnsigned: true })).toBe(refusal);
  vi.stubEnv('ALLOW_UNSIGNED_IMPORTS', 'true');
  expect(await refusalOf(text)).toMatch(foreign);
  expect(await refusalOf(textOf(lines.toSpliced(3, 1)), { isUnsigned: true })).toBe(altered);
  const path = join(folder, 'unsigned.ndjson');
  await writeFile(path, text);
  const id = await newId();
  expect(await importWorkspace(id, path, { isUnsigned: true })).toEqual(trailerOf(lines).counts);
  expect((await (await clientOf(id)).get('/v1/contacts', {}, 200)).body.items).toHaveLength(1);
});

test('an unsigned archive is refused for a workspace that has data', async () => {
  vi.stubEnv('ALLOW_UNSIGNED_IMPORTS', 'true');
  const { id, live } = await newWorkspace();
  await live.post('/v1/contacts', { name: 'Ben' }, 201);
  const refused = importWorkspace(id, file, { isUnsigned: true });
  await expect(refused).rejects.toThrow(`workspace ${id} already has data: import into a new one`);
});

describe('an unsigned archive is refused by its line for a row', () => {
  const contact = () => JSON.parse(lines.find((line) => line.includes('"pk":":live#contact"')) as string);
  test.each<[string, () => object, string]>([
    ['of a newer release', () => ({ ...contact(), entityVersion: 99 }), 'was written by a newer release'],
    ['of a kind that is not known', () => ({ pk: ':live#novelty', sk: 'a' }), 'is of a kind that no archive holds'],
    ['of a key', () => ({ pk: '#key-count', sk: 'active', active: 1 }), 'is of a kind that no archive holds'],
    ['of all workspaces', () => ({ pk: 'KEY#abc', sk: 'KEY' }), 'has a partition key that no archive holds'],
    ['of another type', () => ({ ...contact(), name: 5 }), 'is no contact: name must be a string'],
  ])('%s', async (_, row, reason) => {
    vi.stubEnv('ALLOW_UNSIGNED_IMPORTS', 'true');
    const text = archiveOf([contact(), row()]);
    expect(await refusalOf(text, { isUnsigned: true })).toBe(`line 3 of the file: ${reason}`);
  });
});

test('a workspace takes an archive after others were refused', async () => {
  expect(await importWorkspace(to, file)).toEqual(trailerOf(lines).counts);
});

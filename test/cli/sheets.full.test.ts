import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { crm, hasTerminals, onTerminal } from '#test/cli/process.ts';
import { api } from '#test/client.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let folder: string;
beforeAll(async () => {
  [workspace, folder] = await Promise.all([newWorkspace(), mkdtemp(join(tmpdir(), 'crm-sheets-'))]);
});
afterAll(() => rm(folder, { recursive: true }));

const run = (...args: string[]) => crm(args, { key: workspace.liveKey });

async function fileOf(name: string, ...lines: string[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, lines.join('\n'));
  return path;
}

test('an import shows its mapping, and a trial changes nothing', async () => {
  const path = await fileOf('people.csv', 'Name,E-mail,City', 'Ada,ada@example.com,London', 'Ben,ben@example.com,Bern');
  const tried = await run('import', path, '--dry-run', '--json');
  expect([tried.code, JSON.parse(tried.stdout)]).toMatchObject([0, { status: 'completed', created: 2, dryRun: true }]);
  expect((await workspace.live.get('/v1/contacts')).body.items).toEqual([]);
  const taken = await run('import', path, '--map', 'City=notes', '--match', 'email', '--on-conflict', 'update');
  expect([taken.code, taken.stdout]).toEqual([0, expect.stringContaining('2 created, 0 updated, 0 skipped, 0 failed')]);
  expect(taken.stderr).toMatch(/City +→ notes +London \| Bern/);
  const again = await run('import', path, '--map', 'City=', '--match', 'email', '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({ created: 0, skipped: 2 });
});

test.skipIf(!hasTerminals)('on a terminal a bar shows how far an import and an export are', async () => {
  const { liveKey } = await newWorkspace();
  const shownBy = async (...args: string[]) => {
    const terminal = onTerminal(args, { key: liveKey });
    let shown = '';
    terminal.stdout.on('data', (chunk) => {
      shown += chunk;
    });
    expect(await new Promise((resolve) => terminal.once('close', resolve))).toBe(0);
    return shown;
  };
  const path = await fileOf('barred.csv', 'Name', ...Array.from({ length: 30 }, (_, at) => `Person ${at}`));
  const shown = await shownBy('import', path);
  expect(shown).toMatch(/Uploading █{24} 1 of 1 KB/);
  expect(shown).toMatch(/\r(Waiting|Importing) .*\d rows/);
  expect(shown).toContain('30 created');
  expect(await shownBy('export', 'contacts', '-o', join(folder, 'barred-out.csv'))).toMatch(
    /\r(Waiting|Exporting) \d+ rows/,
  );
});

test('rows that fail make the exit code 1, and their file can be kept', async () => {
  const path = await fileOf('failing.csv', 'Name,E-mail', 'Cleo,cleo@example.com', 'Dan,not an address');
  const errors = join(folder, 'errors.csv');
  const { code, stdout, stderr } = await run('import', path, '--errors', errors);
  expect([code, stdout]).toEqual([1, expect.stringContaining('1 created, 0 updated, 0 skipped, 1 failed')]);
  expect(stderr).toContain(errors);
  expect(await readFile(errors, 'utf8')).toMatch(/error\r?\n"?Dan"?,/);
});

test('a file, a column, or a choice that is not there is refused', async () => {
  const path = await fileOf('small.csv', 'Name', 'Eve');
  for (const args of [
    ['nowhere.csv'],
    [path, '--map', 'Town=notes'],
    [path, '--object', 'cats'],
    [path, '--map', 'Name='],
  ]) {
    const { code, stderr } = await run('import', ...args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/\w/)]);
  }
});

test('an export has the records of a view and an expression, on standard output or in a file', async () => {
  const live = api(workspace.liveKey);
  for (const [title, value] of [
    ['Large', 5000],
    ['Small', 10],
  ])
    await live.post('/v1/deals', { title, value, currency: 'EUR' });
  const filter = { field: 'value', op: 'gte', value: 1000 };
  await live.post('/v1/views', { object: 'deal', name: 'Large ones', filter, isShared: true });
  const { code, stdout, stderr } = await run('export', 'deals', '--view', 'large ones', '--columns', 'title,value');
  expect([code, stdout.trim().split(/\r?\n/)]).toEqual([0, ['title,value', 'Large,5000']]);
  expect(stderr).toBe('1 deals\n');
  const path = join(folder, 'deals.ndjson');
  expect((await run('export', 'deals', '--filter', 'value < 1000', '--format', 'ndjson', '-o', path)).code).toBe(0);
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ title: 'Small', value: 10 });
});

test('companies come from a file, and go into one', async () => {
  const path = await fileOf('firms.csv', 'Name,Domains', 'Acme,acme.example.com;acme.example.org');
  const taken = await run('import', path, '--object', 'companies', '--json');
  expect([taken.code, JSON.parse(taken.stdout)]).toMatchObject([0, { object: 'companies', created: 1, failed: 0 }]);
  const { code, stdout } = await run('export', 'companies', '--filter', 'domains ~ acme', '--columns', 'name,domains');
  expect([code, stdout]).toEqual([0, '\ufeffname,domains\r\nAcme,acme.example.com;acme.example.org\r\n']);
});

test('an export of an unknown view, format, or field is refused at its place', async () => {
  const refused = await run('export', 'deals', '--filter', 'value > 1 and valu > 2');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`\n  ${' '.repeat(14)}^\n`)]);
  for (const args of [
    ['--view', 'none'],
    ['--format', 'xlsx'],
    ['--archived', 'maybe'],
  ])
    expect((await run('export', 'deals', ...args)).code).toBe(2);
});

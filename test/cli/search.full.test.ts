import { beforeAll, expect, test } from 'vitest';
import { crm } from '#test/cli/process.ts';
import { api } from '#test/client.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
  const live = api(workspace.liveKey);
  await live.post('/v1/fields', { object: 'contact', slug: 'budget', title: 'Budget', type: 'number' });
  for (const [name, stage, budget] of [
    ['Ada', 'qualified', 5000],
    ['Ben', 'qualified', 900],
    ['Cleo', 'new', 7000],
  ] as const)
    await live.post('/v1/contacts', { name, stage, email: `${name.toLowerCase()}@example.com`, fields: { budget } });
  await live.post('/v1/companies', { name: 'Acme', domains: ['acme.example.com'] });
  await live.post('/v1/deals', { title: 'Ada renewal', value: 1200, currency: 'EUR' });
});

const search = (...args: string[]) => crm(['search', ...args], { key: workspace.liveKey });

async function linesOf(...args: string[]) {
  const { code, stdout, stderr } = await search(...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return stdout
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

test('an expression finds contacts, in the order that --sort names', async () => {
  const found = await linesOf('stage = qualified and fields.budget > 100', '--sort', '-fields.budget,name');
  expect(found).toMatchObject([
    { name: 'Ada', fields: { budget: 5000 } },
    { name: 'Ben', fields: { budget: 900 } },
  ]);
  expect(await linesOf('contacts', '--sort', '-name', '--all')).toMatchObject([
    { name: 'Cleo' },
    { name: 'Ben' },
    { name: 'Ada' },
  ]);
  expect(await linesOf('deals', 'value >= 1000 and stage not in (won, lost)')).toMatchObject([
    { title: 'Ada renewal' },
  ]);
  expect(await linesOf('companies', 'domains ~ acme')).toMatchObject([{ name: 'Acme' }]);
  expect(await linesOf('value >= 1000', '--object', 'deals')).toMatchObject([{ title: 'Ada renewal' }]);
});

test('words find records of every type, or those of one noun', async () => {
  const found = await linesOf('ada');
  expect(found.map(({ type }) => type).sort()).toEqual(['contact', 'deal']);
  expect(await linesOf('acme')).toMatchObject([{ type: 'company', title: 'Acme' }]);
  expect(await linesOf('contacts', 'ben')).toMatchObject([{ name: 'Ben' }]);
  const { stdout } = await search('ada');
  expect(stdout).toMatch(/^contact +\d+ {2}Ada {2}ada@example\.com$/m);
});

test('more than --limit is said, and types that the key may not read are named', async () => {
  const few = await search('contacts', '--limit', '2');
  expect(few.stdout.trim().split('\n')).toHaveLength(2);
  expect(few.stderr).toContain('More records fit');
  const { key } = (await api(workspace.liveKey).post('/v1/keys', { name: 'deals', scopes: ['deals:read'] })).body;
  const { stdout, stderr } = await crm(['search', 'ada'], { key });
  expect(stdout).toContain('Ada renewal');
  expect(stderr).toContain('may not read them: contacts');
});

test.each([
  ['stage = qualified and leadScor > 1', 'leadScor > 1'],
  ['stage > new', '> new'],
  ['leadScore in (1, x)', 'x)'],
  ['stage = ', ''],
])('the fault of "%s" is shown with a caret', async (expression, rest) => {
  const { code, stdout, stderr } = await search('contacts', expression);
  expect([code === 0, stdout]).toEqual([false, '']);
  const [shown = '', caret = ''] = stderr.split('\n').slice(-3);
  expect(shown.trim()).toBe(expression.trim());
  expect(shown.slice(caret.indexOf('^'))).toBe(rest);
});

test('a search without a noun, an order, or words that it knows is refused', async () => {
  for (const args of [['contacts', '--sort', 'a b'], ['ada', '--sort', 'name'], ['--object', 'tags', 'x'], []]) {
    const { code, stderr } = await search(...args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/: /)]);
  }
});

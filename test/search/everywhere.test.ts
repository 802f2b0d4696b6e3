import { beforeAll, expect, test } from 'vitest';
import { Contacts } from '#lib/entities/contact.ts';
import { advance } from '#test/harness.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';
import { fill } from './filled.ts';

let workspace: TestWorkspace;
let live: TestWorkspace['live'];
beforeAll(async () => {
  workspace = await newWorkspace();
  ({ live } = workspace);
  const steps: [string, object][] = [
    ['/v1/contacts', { name: 'Müller, Jürgen', email: 'jm@acme.example', phone: '+49 (170) 123-45-67' }],
    ['/v1/contacts', { name: 'Anna Acme', username: 'anna' }],
    ['/v1/companies', { name: 'Acme', domains: ['acme-machines.com'] }],
    ['/v1/deals', { title: 'Acme renewal' }],
    ['/v1/tasks', { title: 'Call Placme' }],
  ];
  for (const [path, body] of steps) {
    await live.post(path, body, 201);
    await advance(1000);
  }
});

const find = async (q: string, more = {}) => (await live.get('/v1/search', { q, ...more })).body.items;
const titles = async (q: string, more = {}) => (await find(q, more)).map(({ title }: { title: string }) => title);

test('the best hit comes first: exact, beginnings, beginnings of words, other parts', async () => {
  expect(await titles('acme')).toEqual(['Acme', 'Acme renewal', 'Anna Acme', 'Müller, Jürgen', 'Call Placme']);
});

test('a whole phone is exact, however it is typed', async () => {
  const { live: own } = await newWorkspace();
  await own.post('/v1/contacts', { name: 'Exact', phone: '+49 (170) 123-45-67' }, 201);
  await advance(1000);
  await own.post('/v1/contacts', { name: 'Longer', phone: '+49 170 1234567 8' }, 201);
  for (const q of ['491701234567', '+491701234567', '+49 170 1234567', '0049 (170) 123-45-67']) {
    const { items } = (await own.get('/v1/search', { q })).body;
    expect(
      items.map(({ title }: { title: string }) => title),
      q,
    ).toEqual(['Exact', 'Longer']);
  }
});

test('a search answers the best 50', async () => {
  const { live: own, id: workspaceId } = await newWorkspace();
  const { body: first } = await own.post('/v1/contacts', { name: 'Crowd 0' }, 201);
  const ids = await fill({ workspaceId, env: 'live' }, Contacts, first.id, 250, (index) => ({
    name: index === 2 ? 'Crowd' : `Crowd ${index}`,
  }));
  const { items } = (await own.get('/v1/search', { q: 'crowd' })).body;
  const best = [ids[2], ...ids.toReversed()].slice(0, 50);
  expect(items.map(({ id }: { id: number }) => id)).toEqual(best);
});

test.each([
  ['jurgen MULLER', ['Müller, Jürgen']],
  ['mueller', ['Müller, Jürgen']],
  ['00491701234567', ['Müller, Jürgen']],
  ['0170 1234567', ['Müller, Jürgen']],
  ['machines', ['Acme']],
  ['@anna', ['Anna Acme']],
  ['acme nothing', []],
  ['00', []],
  ['+(0)', []],
  ['0049 170', ['Müller, Jürgen']],
])('a search for %s finds %j', async (q, expected) => {
  expect(await titles(q)).toEqual(expected);
});

test('a hit names its fields and the places of the words', async () => {
  const [hit] = await find('jur acme');
  expect(hit).toEqual({
    type: 'contact',
    id: expect.any(Number),
    title: 'Müller, Jürgen',
    subtitle: 'jm@acme.example',
    matched: [
      { field: 'name', text: 'Müller, Jürgen', ranges: [[8, 11]] },
      { field: 'email', text: 'jm@acme.example', ranges: [[3, 7]] },
    ],
  });
  expect((await find('1701'))[0].matched).toEqual([{ field: 'phone', text: '+49 (170) 123-45-67', ranges: [[5, 11]] }]);
});

test('a number with a trunk zero in brackets is marked whole where it is found without', async () => {
  const { live: own } = await newWorkspace();
  const phone = '+49 (0)30 123456';
  await own.post('/v1/contacts', { name: 'Berlin', phone }, 201);
  const { items } = (await own.get('/v1/search', { q: '4930123456' }, 200)).body;
  expect(items).toMatchObject([{ matched: [{ field: 'phone', text: phone, ranges: [[0, phone.length]] }] }]);
});

test('types are chosen, and those that the key may not read are named', async () => {
  expect(await titles('acme', { types: 'deals,tasks' })).toEqual(['Acme renewal', 'Call Placme']);
  const { client } = await workspace.mint({ scopes: ['tasks:read'] });
  const { body, headers } = await client.get('/v1/search', { q: 'acme' }, 200);
  expect(body.items.map(({ type }: { type: string }) => type)).toEqual(['task']);
  expect(headers['x-ignored-parameters']).toBe('contacts,companies,deals,threads');
  const { client: none } = await workspace.mint({ scopes: ['finance:read'] });
  await none.get('/v1/search', { q: 'acme' }, 403);
});

test('a search needs words', async () => {
  for (const q of ['', '  '])
    expect((await live.get('/v1/search', { q }, 400)).body.details.fields[0].field).toBe('query.q');
  await live.get('/v1/search', { q: 'a', types: 'notes' }, 400);
});

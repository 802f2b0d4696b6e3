import { beforeAll, expect, test } from 'vitest';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Companies } from '#lib/entities/company.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { Copies } from '#lib/entities/copy.ts';
import { Deals } from '#lib/entities/deal.ts';
import type { FieldObject } from '#lib/entities/field.ts';
import { Tasks } from '#lib/entities/task.ts';
import { removeFiles } from '#lib/files/bucket.ts';
import { copyKey } from '#lib/files/keys.ts';
import type { Entity } from '#lib/table/entity.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { settle } from '#test/harness.ts';
import { unitsRead } from '#test/rows.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';
import { fill } from './filled.ts';

const nouns: readonly [path: string, object: FieldObject, of: Entity, title: string, body: object][] = [
  ['/v1/contacts', 'contact', Contacts, 'name', { email: 'first@mail.example' }],
  ['/v1/companies', 'company', Companies, 'name', { phone: '+49 170 1234567', domains: ['first-company.com'] }],
  ['/v1/deals', 'deal', Deals, 'title', { contactId: 1 }],
  ['/v1/tasks', 'task', Tasks, 'title', { dealId: 1 }],
];
const count = 1100;

let live: TestWorkspace['live'];
let tenant: Tenant;
/** Of each path, the newest last. */
const ids = new Map<string, number[]>();

const copyOf = (noun: FieldObject) => UnitOfWork.forAnswer(tenant, system).find(Copies, { noun });
const list = async (path: string, query: Record<string, string>) => (await live.get(path, query, 200)).body;
const listed = async (path: string, query: Record<string, string>): Promise<number[]> =>
  (await list(path, query)).items.map(({ id }: { id: number }) => id);
const newest = (path: string, places: readonly number[]) => places.map((place) => (ids.get(path) as number[])[place]);

beforeAll(async () => {
  const workspace = await newWorkspace();
  ({ live } = workspace);
  tenant = { workspaceId: workspace.id, env: 'live' };
  for (const [path, , of, title, body] of nouns) {
    const { id } = (await live.post(path, { [title]: 'First', ...body }, 201)).body;
    const changes = (index: number) => ({ [title]: `Número ${index}`, ...(of === Companies && { domains: [] }) });
    ids.set(path, await fill(tenant, of, id, count, changes as never, { hasEntries: of === Contacts }));
    await list(path, { q: 'nobody' });
  }
  await settle();
});

test.each(nouns)('q of %s asks the copy', async (path, noun) => {
  expect(await copyOf(noun)).toMatchObject({ rows: count + 1, version: expect.any(String) });
  const units = await unitsRead(async () => expect(await listed(path, { q: 'nobody' })).toEqual([]));
  expect(units).toBeLessThanOrEqual(8);
  expect(await listed(path, { q: 'numero 109' })).toEqual(
    newest(path, [1099, 1098, 1097, 1096, 1095, 1094, 1093, 1092, 1091, 1090, 109]),
  );
});

test.each(nouns)('q of %s goes on at the cursor', async (path) => {
  const { items, nextCursor, hasMore } = await list(path, { q: 'NUMERO 7', limit: '3' });
  expect([items.map(({ id }: { id: number }) => id), hasMore]).toEqual([newest(path, [1097, 1087, 1079]), true]);
  expect(await listed(path, { q: 'NUMERO 7', limit: '2', after: String(nextCursor) })).toEqual(
    newest(path, [1078, 1077]),
  );
});

test.each(nouns)('q of %s finds what was made and changed since the copy', async (path, _, __, title) => {
  const [changed] = newest(path, [500]) as [number];
  const made = (await live.post(path, { [title]: 'Zanzibar' }, 201)).body.id;
  await live.patch(`${path}/${changed}`, { [title]: 'zanzibár' }, 200);
  expect(await listed(path, { q: 'zanzibar' })).toEqual([made, changed]);
  expect(await listed(path, { q: 'numero 500' })).toEqual([]);
  await live.post(`${path}/${changed}/archive`, {}, 200);
  expect(await listed(path, { q: 'zanzibar' })).toEqual([made]);
  expect(await listed(path, { q: 'zanzibar', archived: 'true' })).toEqual([changed]);
  expect(await listed(path, { q: 'zanzibar', archived: 'all' })).toEqual([made, changed]);
  expect(await listed(path, { q: 'zanzibar', ids: `${changed - 1},${made}` })).toEqual([made]);
});

test('q of contacts and companies finds no words of fields that it does not name', async () => {
  expect(await listed('/v1/contacts', { q: 'mail.example' })).toEqual([]);
  expect(await listed('/v1/companies', { q: '1701234567' })).toEqual([]);
  expect(await listed('/v1/companies', { q: 'first-company.com' })).toHaveLength(1);
});

test('q holds together with the other filters of a list', async () => {
  const [one, other] = newest('/v1/contacts', [31, 310]) as [number, number];
  await live.post(`/v1/contacts/${one}/tags`, { tagName: 'vip' }, 200);
  await live.post(`/v1/contacts/${other}/tags`, { tagName: 'vip' }, 200);
  const tagId = (await live.get('/v1/tags', undefined, 200)).body.items[0].id;
  expect(await listed('/v1/contacts', { q: 'numero 31', tagId: String(tagId) })).toEqual([other, one]);
  expect(await listed('/v1/contacts', { q: 'numero 310', tagId: String(tagId), stage: 'new' })).toEqual([other]);
  expect(await listed('/v1/deals', { q: 'numero 31', minValue: '5' })).toEqual([]);
});

test('a filter without an index reads the newest rows, and asks the copy for the others', async () => {
  const [rare] = newest('/v1/contacts', [20]) as [number];
  await live.post(`/v1/contacts/${rare}/lead-score`, { score: 77 }, 200);
  const units = await unitsRead(async () => expect(await listed('/v1/contacts', { minScore: '77' })).toEqual([rare]));
  expect(units).toBeLessThan(40);
  const latest = await listed('/v1/contacts', { hasUnread: 'false', limit: '5' });
  expect(latest.slice(1)).toEqual(newest('/v1/contacts', [1099, 1098, 1097, 1096]));
});

test('q reads the rows while the file of the copy is gone', async () => {
  const { version } = (await copyOf('task')) as { version: string };
  await removeFiles([copyKey(tenant, 'task', version)]);
  expect(await listed('/v1/tasks', { q: 'numero 1099' })).toEqual(newest('/v1/tasks', [1099]));
});

import { afterEach, expect, test, vi } from 'vitest';
import { listAllActivities } from '#lib/contacts/timeline.ts';
import { Activities } from '#lib/entities/activity.ts';
import { entities } from '#lib/entities/all.ts';
import { listAllMessages } from '#lib/messages/store.ts';
import { type Place, someRows } from '#lib/table/all-rows.ts';
import { type Entity, fieldsWithin, parentOf, storedName } from '#lib/table/entity.ts';
import { rowKey } from '#lib/table/keys.ts';
import { incomplete } from '#lib/table/reindex.ts';
import { unmark } from '#lib/table/release.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { addTo } from '#lib/table/update.ts';
import { environments, system, type Tenant } from '#lib/tenant.ts';
import { rowsRead } from '#test/rows.ts';
import { newWorkspace } from '#test/workspace.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const lists = [listAllMessages, listAllActivities] as const;
const page = { limit: 25 };

test('a workspace is complete from its creation, both environments', async () => {
  const { id: workspaceId } = await newWorkspace();
  for (const env of environments) expect(await incomplete({ workspaceId, env }, entities)).toEqual([]);
});

test('until a workspace is reindexed, a list of all contacts reads no more than a call may', async () => {
  const { id: workspaceId, live } = await newWorkspace();
  const tenant: Tenant = { workspaceId, env: 'live' };
  await unmark(workspaceId);
  for (const name of ['Ann', 'Bob', 'Cid']) await live.post('/v1/contacts', { name });
  const unit = () => UnitOfWork.forAnswer(tenant, system);
  expect((await listAllActivities(unit(), page)).items).toHaveLength(3);
  vi.stubEnv('READ_UNITS_PER_LIST', '3');
  for (const list of lists) await expect(list(unit(), page)).rejects.toMatchObject({ status: 503 });
  vi.unstubAllEnvs();
  await addTo(rowKey('ids', { scope: `${workspaceId}:live` }), { contact: 20_000 });
  const rows = await rowsRead(async () => {
    for (const list of lists)
      await expect(list(unit(), page)).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '60' } });
  });
  expect(rows).toBeLessThan(10);
});

test('rows of many partitions are looked at together, each once', async () => {
  const { id: workspaceId, live } = await newWorkspace();
  const tenant: Tenant = { workspaceId, env: 'live' };
  const contacts: number[] = [];
  for (let index = 0; index < 40; index += 1) contacts.push((await live.post('/v1/contacts', { name: 'Ann' })).body.id);
  for (let index = 0; index < 12; index += 1)
    await live.post(`/v1/contacts/${contacts[5]}/activities`, { text: 'Note' });
  const found: string[] = [];
  let looks = 0;
  let place: Place | undefined = { partition: 0, after: null };
  while (place !== undefined) {
    const { rows, next }: Awaited<ReturnType<typeof someRows>> = await someRows(tenant, Activities, place, 5);
    found.push(...rows.map(({ row }) => `${row.pk} ${row.sk}`));
    place = next;
    looks += 1;
  }
  expect(new Set(found).size).toBe(52);
  expect(found).toHaveLength(52);
  expect(looks).toBeLessThan(10);
});

test('there is a partition for the rows of every parent, by whatever name its ids are counted', () => {
  const unnamed = entities.filter(
    (of) => of.within !== undefined && fieldsWithin(of).length > 0 && parentStoredNames(of) !== countedAs(of),
  );
  expect(unnamed).toEqual([]);
});

const countedAs = (of: Entity) => of.parentStoredAs ?? parentOf(of);
const parentStoredNames = (of: Entity) => {
  const parent = entities.find(({ name }) => name === parentOf(of));
  return parent && storedName(parent);
};

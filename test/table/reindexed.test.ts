import { expect, test } from 'vitest';
import type { Tenant } from '#lib/core/tenant.ts';
import { Activities } from '#lib/entities/activity.ts';
import { entities } from '#lib/entities/all.ts';
import { type Place, someRows } from '#lib/table/all-rows.ts';
import { fieldsWithin, parentOf } from '#lib/table/entity.ts';
import { newWorkspace } from '#test/workspace.ts';

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

test('there is an entity by whose ids the partitions of every other one are counted', () => {
  const names = new Set(entities.map(({ name }) => name));
  const inMany = entities.filter((of) => fieldsWithin(of).length > 0);
  expect(inMany.length).toBeGreaterThan(0);
  expect(inMany.filter((of) => !names.has(parentOf(of)))).toEqual([]);
});

import { expect, test } from 'vitest';
import type { ArchivedRow } from '#lib/archive/archive.ts';
import { entities } from '#lib/entities/all.ts';
import type { Entity } from '#lib/table/entity.ts';
import { rowKey, sortableId } from '#lib/table/keys.ts';
import { findReindexing, incomplete, reindexSagaId, startReindexing } from '#lib/table/reindex.ts';
import { unmark } from '#lib/table/release.ts';
import { Sagas } from '#lib/table/saga.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { addTo } from '#lib/table/update.ts';
import { environments, operator, type Tenant, tenantKey } from '#lib/tenant.ts';
import { eventually } from '#test/client.ts';
import { newWorkspace } from '#test/workspace.ts';
import { clientOf, rowOf, taken } from './handmade.ts';

const named = (name: string) => rowOf(entities.find((of) => of.name === name) as Entity);
const farId = 2 ** 25;
const farContact = { ...named('contact'), id: farId, sk: sortableId(farId) };
const asOlder = ({ entityVersion: _, ...row }: ArchivedRow): ArchivedRow => row;

test('what this release wrote is complete when it is taken in, however high its ids are', async () => {
  const workspaceId = await taken([named('workspace'), named('tag'), farContact]);
  for (const env of environments) expect(await incomplete({ workspaceId, env }, entities)).toEqual([]);
  const live = await clientOf(workspaceId);
  for (const path of ['/v1/activities', '/v1/messages', `/v1/contacts/${farId}`])
    expect(await live.get(path)).toMatchObject({ status: 200 });
});

test('what an older release wrote is reindexed, and nothing else', async () => {
  const workspaceId = await taken([named('workspace'), named('contact'), asOlder(named('activity'))]);
  const live = await clientOf(workspaceId);
  await eventually(
    async () => (await incomplete({ workspaceId, env: 'live' }, entities)).length === 0,
    'the reindexing',
    60_000,
  );
  expect((await live.get('/v1/activities')).body.items).toHaveLength(1);
});

test('rows of an older release that lie with parents of which few are there are refused by their line', async () => {
  const rows = [named('workspace'), farContact, asOlder(named('activity'))];
  await expect(taken(rows)).rejects.toThrow(/line 4 of the file: is activity of an older version/);
});

test('while ten workspaces are reindexed for long, another one is served', async () => {
  const tenants: Tenant[] = [];
  for (let index = 0; index < 10; index += 1) {
    const { id: workspaceId } = await newWorkspace();
    await unmark(workspaceId);
    for (const env of environments) tenants.push({ workspaceId, env });
  }
  for (const tenant of tenants) {
    await addTo(rowKey('ids', { scope: tenantKey(tenant) }), { contact: farId });
    await transact(tenant, operator, (tx) => startReindexing(tx, entities));
  }
  try {
    const { live } = await newWorkspace();
    const { body: ann } = await live.post('/v1/contacts', { name: 'Ann' });
    const { body: erasure } = await live.post(`/v1/contacts/${ann.id}/erasure`, { confirm: String(ann.id) });
    await eventually(
      async () => (await live.get(`/v1/erasures/${erasure.id}`)).body.status === 'completed',
      'the erasure',
      60_000,
    );
    const [first] = tenants as [Tenant];
    expect(await findReindexing(new UnitOfWork(first, operator))).toBeDefined();
  } finally {
    for (const tenant of tenants)
      await transact(tenant, operator, async (tx) => {
        const saga = await tx.find(Sagas, { id: reindexSagaId });
        if (saga) tx.delete(Sagas, saga);
      });
  }
});

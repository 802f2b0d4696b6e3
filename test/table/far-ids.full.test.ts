import { expect, test } from 'vitest';
import { environments, operator, type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { Activities } from '#lib/entities/activity.ts';
import { rowKey } from '#lib/table/keys.ts';
import { findReindexing, reindexSagaId, startReindexing } from '#lib/table/reindex.ts';
import { Sagas } from '#lib/table/saga.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { addTo } from '#lib/table/write.ts';
import { eventually } from '#test/client.ts';
import { newWorkspace } from '#test/workspace.ts';

const farId = 2 ** 25;

test('while ten workspaces are reindexed for long, another one is served', async () => {
  const tenants: Tenant[] = [];
  for (let index = 0; index < 10; index += 1) {
    const { id: workspaceId } = await newWorkspace();
    for (const env of environments) tenants.push({ workspaceId, env });
  }
  for (const tenant of tenants) {
    await addTo(rowKey('ids', { scope: tenantKey(tenant) }), { contact: farId });
    await transact(tenant, operator, (tx) => startReindexing(tx, [Activities]));
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

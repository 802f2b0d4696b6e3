import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exportWorkspace } from '#infra/admin/archive/export.ts';
import { finishWorkspace } from '#infra/admin/archive/finish.ts';
import { timestamp } from '#lib/core/clock.ts';
import { operator, type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { bury } from '#lib/table/dead-letter.ts';
import { indexEntries } from '#lib/table/entity.ts';
import { rowKey, shardOf } from '#lib/table/keys.ts';
import { removeRows, writeRows } from '#lib/table/rows.ts';
import { newSaga, type SagaKind, Sagas } from '#lib/table/saga.ts';
import { transact } from '#lib/table/transact.ts';
import { settle } from '#test/harness.ts';
import { newWorkspace } from '#test/workspace.ts';

const kind: SagaKind<Record<string, unknown>> = {
  name: 'trial',
  async step(_, { fails }) {
    if (fails) throw new TypeError('a bug');
    return undefined;
  },
};

async function halfDone(state: { fails: boolean }) {
  const tenant: Tenant = { workspaceId: (await newWorkspace()).id, env: 'live' };
  await settle();
  const saga = await transact(tenant, operator, async (tx) => tx.create(Sagas, newSaga(tx, kind, state)));
  return { tenant, saga };
}

async function deadEvent(tenant: Tenant) {
  const of = tenantKey(tenant);
  const row = rowKey('outbox', { shard: shardOf('outbox', of), time: timestamp(), transaction: 'dead' });
  await writeRows([{ PutRequest: { Item: { ...row, tenant: of, events: 'unheard of' } } }]);
  await bury(row, new Error('a reason'));
  return row;
}

test('a workspace is finished although an event is a dead letter, which is counted', async () => {
  const { tenant } = await halfDone({ fails: false });
  const row = await deadEvent(tenant);
  expect(await finishWorkspace(tenant.workspaceId, [kind])).toEqual({ events: 0, sagas: 1, deadLetters: 1 });
  await removeRows([row]);
});

test('a saga that does not come to an end is named by the refusal', async () => {
  const { tenant, saga } = await halfDone({ fails: true });
  await expect(finishWorkspace(tenant.workspaceId, [kind])).rejects.toThrow(`trial ${saga.id}`);
});

test('a workspace is not exported while the timer of a saga is a dead letter', async () => {
  const { tenant, saga } = await halfDone({ fails: true });
  for (const timer of indexEntries(tenant, Sagas, saga).values()) await bury(timer, new Error('a reason'));
  const folder = await mkdtemp(join(tmpdir(), 'crm-finish-'));
  const exporting = exportWorkspace(tenant.workspaceId, join(folder, 'resting.ndjson'));
  await expect(exporting).rejects.toMatchObject({ details: { reason: 'dead_letters' } });
  await rm(folder, { recursive: true });
});

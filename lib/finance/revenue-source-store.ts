import type * as v from 'valibot';
import { notFound } from '#lib/problem.ts';
import { encrypt } from '#lib/secrets.ts';
import { listAll } from '#lib/table/list.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { type Tenant, tenantKey } from '#lib/tenant.ts';
import {
  type CreateRevenueSource,
  type RevenueSourceList,
  RevenueSources,
  type StoredRevenueSource,
} from './revenue-source.ts';

/** Every source, newest first. */
export async function listRevenueSources(tx: Transaction): Promise<v.InferInput<typeof RevenueSourceList>> {
  const items = (await listAll(tx, RevenueSources)).reverse();
  return {
    items,
    count: items.length,
    totalIngested: items.reduce((total, { totalIngested }) => total + totalIngested, 0),
  };
}

/** A new source, as the panel makes it; one to pull is due at once. Its credential is kept encrypted. Needs `kms`. */
export async function createRevenueSource(
  tx: Transaction,
  { credential, ...input }: v.InferOutput<typeof CreateRevenueSource>,
): Promise<StoredRevenueSource> {
  const id = await tx.nextId(RevenueSources);
  return tx.create(RevenueSources, {
    ...input,
    id,
    isActive: true,
    lastSyncStatus: 'never',
    lastSyncAt: null,
    lastSyncError: null,
    totalIngested: 0,
    lastEventAt: null,
    nextRunAt: input.mode === 'pull' ? tx.now : null,
    credential: await encrypted(tx.tenant, id, credential),
    leasedUntil: null,
  });
}

/** Gives a source another credential, or none, and makes it active; one to pull is due at once. Raises 404. Needs `kms`. */
export async function connectRevenueSource(
  tx: Transaction,
  id: number,
  credential: string | null,
): Promise<StoredRevenueSource> {
  const source = await tx.get(RevenueSources, { id }, () => notFound('revenue source'));
  return tx.update(RevenueSources, {
    ...source,
    isActive: true,
    nextRunAt: source.mode === 'pull' ? tx.now : null,
    credential: await encrypted(tx.tenant, id, credential),
  });
}

const encrypted = async (tenant: Tenant, id: number, credential: string | null) =>
  credential === null ? null : encrypt(credential, secretContext(tenant, id));

/** What a source's credential belongs to. */
export const secretContext = (tenant: Tenant, id: number) => ({
  tenant: tenantKey(tenant),
  revenueSource: String(id),
});

import type * as v from 'valibot';
import {
  type CreateRevenueSource,
  type RevenueSourceList,
  RevenueSources,
  type StoredRevenueSource,
} from '#lib/entities/revenue-source.ts';
import { notFound } from '#lib/problem.ts';
import { encrypt } from '#lib/secrets.ts';
import { listAll } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Tenant, tenantKey } from '#lib/tenant.ts';

/** Every source, newest first. */
export async function listRevenueSources(tx: UnitOfWork): Promise<v.InferInput<typeof RevenueSourceList>> {
  const items = (await listAll(tx, RevenueSources)).reverse();
  return {
    items,
    count: items.length,
    totalIngested: items.reduce((total, { totalIngested }) => total + totalIngested, 0),
  };
}

/** Raises 404. */
export const getRevenueSource = (tx: UnitOfWork, id: number): Promise<StoredRevenueSource> =>
  tx.get(RevenueSources, { id }, () => notFound('revenue source'));

/** A new source, as the panel makes it; one to pull is due at once. Its credential is kept encrypted. Needs the key. */
export async function createRevenueSource(
  tx: UnitOfWork,
  { credential, ...input }: v.InferOutput<typeof CreateRevenueSource>,
): Promise<StoredRevenueSource> {
  const id = await tx.nextId(RevenueSources);
  return tx.create(RevenueSources, {
    ...input,
    id,
    // As it will be called, which may differ from how it was typed.
    feedUrl: new URL(input.feedUrl).href,
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

/** Gives a source another credential, or none, and makes it active; one to pull is due at once. Raises 404. Needs the key. */
export async function connectRevenueSource(
  tx: UnitOfWork,
  id: number,
  credential: string | null,
): Promise<StoredRevenueSource> {
  const source = await getRevenueSource(tx, id);
  return tx.update(RevenueSources, {
    ...source,
    isActive: true,
    nextRunAt: source.mode === 'pull' ? tx.now : null,
    credential: await encrypted(tx.tenant, id, credential),
    // A pull that is under way with the old one says no more how it went, nor when the next is due.
    leasedUntil: null,
  });
}

/** Pulls a source no more until it is connected again; a pull that is under way is recorded still. Raises 404. */
export async function pauseRevenueSource(tx: UnitOfWork, id: number): Promise<StoredRevenueSource> {
  const source = await getRevenueSource(tx, id);
  return source.isActive ? tx.update(RevenueSources, { ...source, isActive: false, nextRunAt: null }) : source;
}

const encrypted = async (tenant: Tenant, id: number, credential: string | null) =>
  credential === null ? null : encrypt(credential, secretContext(tenant, id));

/** What a source's credential belongs to. */
export const secretContext = (tenant: Tenant, id: number) => ({
  tenant: tenantKey(tenant),
  revenueSource: String(id),
});

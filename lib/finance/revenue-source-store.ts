import type * as v from 'valibot';
import { encrypt } from '#lib/aws/secrets.ts';
import { conflict, invalidField, notFound } from '#lib/core/problem.ts';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';
import {
  type CreateRevenueSource,
  maxFeedUrlLength,
  maxRevenueSources,
  type RevenueSourceList,
  RevenueSources,
  type StoredRevenueSource,
} from '#lib/entities/revenue-source.ts';
import { serializeWriters } from '#lib/entities/write-barrier.ts';
import { listAll, listPage } from '#lib/table/list.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';

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

/**
 * A new source, as the panel makes it; one to pull is due at once. Its credential is kept encrypted. Raises 400 for an address that is
 * too long as it is called, and 409 `limit_reached`. Needs the key.
 */
export async function createRevenueSource(
  tx: UnitOfWork,
  { credential, ...input }: v.InferOutput<typeof CreateRevenueSource>,
): Promise<StoredRevenueSource> {
  // As it will be called, which may differ from how it was typed.
  const feedUrl = new URL(input.feedUrl).href;
  if (feedUrl.length > maxFeedUrlLength)
    throw invalidField('feedUrl', 'too_long', `feedUrl must have at most ${maxFeedUrlLength} characters`);
  const [id] = await Promise.all([tx.nextId(RevenueSources), requireRoom(tx)]);
  return tx.create(RevenueSources, {
    ...input,
    id,
    feedUrl,
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

/** Raises 409 `limit_reached` where an environment has as many as it may have; one that cannot be read is in nobody's way. */
async function requireRoom(tx: UnitOfWork): Promise<void> {
  await serializeWriters(tx, 'revenue-sources');
  const reading = UnitOfWork.forAnswer(tx.tenant, tx.actor);
  const { hasMore } = await listPage(reading, RevenueSources, { limit: maxRevenueSources - 1 });
  if (hasMore)
    throw conflict(
      'limit_reached',
      `an environment has at most ${maxRevenueSources} revenue sources: delete one first`,
      {
        limit: maxRevenueSources,
      },
    );
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

/** Returns the encryption context of a source's credential. */
export const secretContext = (tenant: Tenant, id: number) => ({
  tenant: tenantKey(tenant),
  revenueSource: String(id),
});

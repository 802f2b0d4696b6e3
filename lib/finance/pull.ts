import { createHash } from 'node:crypto';
import { decrypt, unlessUnreadable } from '#lib/aws/secrets.ts';
import { chunks } from '#lib/core/async.ts';
import { minuteMs, now, secondMs, shifted, timestamp } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { pullTimeoutSeconds } from '#lib/core/timeouts.ts';
import { IngestedRows, RevenueSources, type StoredRevenueSource } from '#lib/entities/revenue-source.ts';
import { Transactions } from '#lib/entities/transaction.ts';
import { isPermanent } from '#lib/table/dead-letter.ts';
import { keyOf } from '#lib/table/entity.ts';
import { leases } from '#lib/table/lease.ts';
import { nextDayAt, takeAll } from '#lib/table/quota.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { FeedFailure, type FeedRow, fetchFeed } from './feed.ts';
import { secretContext } from './revenue-source-store.ts';
import { book } from './transaction-store.ts';

/** The pull's worker gives up before it. */
const leaseMs = (pullTimeoutSeconds + 10) * secondMs;
const ingestMs = (pullTimeoutSeconds - 60) * secondMs;
/** Number of rows that fit one transaction with their index entries. */
const rowsPerTransaction = 8;

const pulls = leases({ until: 'leasedUntil', at: (epochMs) => timestamp(new Date(epochMs)) });

interface Result {
  /** Why the pull failed. */
  failure: string | null;
  /** Errors of some of the rows. */
  refused: string | null;
  ingested: number;
  /** When it is pulled again: at once where there was more than time allowed. */
  next: 'in its interval' | 'at once' | 'tomorrow';
  /** Digest of the feed, if all of it was booked now. */
  digest: string | null;
}

/** Cost of booking a row, in reads; looking one up costs one. */
const bookingReads = 25;
const dayIsUsedUp =
  'the feeds of this workspace have had as many rows today as a day takes: it is pulled again tomorrow';

/** Pulls a source that is due and books what is new. One that is not due or already being pulled is left alone. Needs the key. */
export async function pullRevenue(tenant: Tenant, id: number): Promise<void> {
  const source = await transact(tenant, system, (tx) => lease(tx, id));
  if (source === undefined) return;
  const result = await pull(tenant, source);
  await transact(tenant, system, (tx) => recordPull(tx, source, result));
}

/** Takes the source for this pull. A pull that died lets go of it in time. */
async function lease(tx: UnitOfWork, id: number): Promise<StoredRevenueSource | undefined> {
  const source = await tx.find(RevenueSources, { id });
  const nowMs = Date.parse(tx.now);
  if (!source?.isActive || !pulls.isFree(source, nowMs)) return undefined;
  const hasDied = source.leasedUntil !== null;
  if (!hasDied && (source.nextRunAt === null || source.nextRunAt > tx.now)) return undefined;
  return tx.update(RevenueSources, { ...source, lastSyncStatus: 'running', ...pulls.taken(nowMs + leaseMs) });
}

async function pull(tenant: Tenant, source: StoredRevenueSource): Promise<Result> {
  const { id, feedUrl, credential } = source;
  try {
    const secret = credential === null ? null : await unlessUnreadable(decrypt(credential, secretContext(tenant, id)));
    if (secret === undefined) throw new FeedFailure('the credential cannot be read: give it again');
    const { rows, refused } = await fetchFeed(feedUrl, secret, source.defaultCurrency);
    const digest = createHash('sha256').update(JSON.stringify(rows)).digest('base64');
    if (digest === source.lastDigest) return { ...nothingBooked, refused };
    if (!(await takeAll(tenant, 'feedRows', rows.length)))
      return { ...nothingBooked, failure: dayIsUsedUp, refused, next: 'tomorrow' };
    const { unbookable, isAll, ingested, next } = await ingest(tenant, source, rows);
    const refusals = [refused, unbookable.length > 0 && notBooked(unbookable)].filter((refusal) => refusal);
    return {
      failure: next === 'tomorrow' ? dayIsUsedUp : null,
      refused: refusals.join('; ') || null,
      ingested,
      next,
      digest: isAll ? digest : null,
    };
  } catch (error) {
    if (!(error instanceof FeedFailure)) throw error;
    return { ...nothingBooked, failure: error.message };
  }
}

const nothingBooked = {
  failure: null,
  refused: null,
  ingested: 0,
  next: 'in its interval',
  digest: null,
} satisfies Result;

const maxNamed = 3;

const notBooked = (ids: readonly string[]) =>
  `${ids.length} rows could not be booked, with the ids ${JSON.stringify(ids.slice(0, maxNamed))}`;

/** Books the rows that were never seen before, some at a time; of those that fail for a reason of one, each by itself. */
async function ingest(
  tenant: Tenant,
  source: StoredRevenueSource,
  rows: readonly FeedRow[],
): Promise<Pick<Result, 'ingested' | 'next'> & { unbookable: readonly string[]; isAll: boolean }> {
  const deadline = now() + ingestMs;
  const fresh = await unseen(new UnitOfWork(tenant, system), source.id, rows, true);
  const left = chunks(fresh, rowsPerTransaction);
  const unbookable: string[] = [];
  let ingested = 0;
  const cutShort = (next: Result['next']) => ({ ingested, unbookable, isAll: false, next });
  for (let some = left.shift(); some; some = now() < deadline ? left.shift() : undefined) {
    const together = some;
    if (!(await isWanted(tenant, source))) return cutShort('in its interval');
    if (!(await takeAll(tenant, 'feedRows', bookingReads * together.length))) return cutShort('tomorrow');
    try {
      ingested += await transact(tenant, system, (tx) => bookRows(tx, source, together));
    } catch (error) {
      if (!isPermanent(error)) throw error;
      const [{ id }, ...others] = together as [FeedRow, ...FeedRow[]];
      if (others.length > 0) left.unshift(...chunks(together, 1));
      else {
        unbookable.push(id);
        log().error('a row of a feed cannot be booked', { revenueSourceId: source.id, error: error as Error });
      }
    }
  }
  if (left.length > 0) return cutShort('at once');
  return { ingested, unbookable, isAll: unbookable.length === 0, next: 'in its interval' };
}

/** Whether a pull may go on: the source was neither paused nor connected anew since, and no other pull of it has begun. */
async function isWanted(tenant: Tenant, taken: StoredRevenueSource): Promise<boolean> {
  const source = await new UnitOfWork(tenant, system).find(RevenueSources, { id: taken.id });
  return source?.isActive === true && pulls.isHeldBy(source, taken);
}

/** Returns the rows that were never booked. An unreadable booking does not block the other rows. */
async function unseen(
  tx: UnitOfWork,
  revenueSourceId: number,
  rows: readonly FeedRow[],
  leavesOut = false,
): Promise<FeedRow[]> {
  const seen = await tx.findAllByKey(
    IngestedRows,
    rows.map(({ id }) => keyOf(tx.tenant, IngestedRows, { revenueSourceId, externalId: id })),
    () => true,
    leavesOut,
  );
  const ids = new Set(seen.map(({ externalId }) => externalId));
  return rows.filter(({ id }) => !ids.has(id));
}

async function bookRows(tx: UnitOfWork, source: StoredRevenueSource, rows: readonly FeedRow[]): Promise<number> {
  const fresh = await unseen(tx, source.id, rows);
  if (fresh.length === 0) return 0;
  await tx.reserveIds({ [Transactions.name]: fresh.length });
  for (const { id: externalId, type, amount, currency, category, description, occurredAt } of fresh) {
    const transaction = await book(tx, {
      ...{ type, status: 'realized', amount, category, description, source: 'revenue_source' },
      currency: currency ?? source.defaultCurrency,
      revenueSourceId: source.id,
      occurredAt: occurredAt ?? tx.now,
    });
    tx.create(IngestedRows, { revenueSourceId: source.id, externalId, transactionId: transaction.id });
  }
  tx.add(RevenueSources, { id: source.id }, { totalIngested: fresh.length });
  return fresh.length;
}

/** Writes down how the pull went, unless its lease ended and another pull has begun. Emits revenue_source.sync_failed. */
async function recordPull(tx: UnitOfWork, taken: StoredRevenueSource, result: Result): Promise<void> {
  const { id } = taken;
  const source = await tx.find(RevenueSources, { id });
  if (!pulls.isHeldBy(source, taken)) return;
  const { failure, refused, ingested, next, digest } = result;
  const inTime = shifted(tx.now, source.pullIntervalMinutes * minuteMs);
  const again = { 'at once': tx.now, 'in its interval': inTime, tomorrow: nextDayAt() }[next];
  tx.update(RevenueSources, {
    ...source,
    ...(digest !== null && { lastDigest: digest }),
    lastSyncStatus: failure === null ? 'ok' : 'failed',
    lastSyncAt: tx.now,
    lastSyncError: failure ?? refused,
    lastEventAt: ingested > 0 ? tx.now : source.lastEventAt,
    nextRunAt: source.isActive ? again : null,
    leasedUntil: null,
  });
  if (failure === null) return;
  tx.emit({
    kind: 'revenue_source.sync_failed',
    subject: `revenue-source/${id}`,
    data: { revenue_source_id: String(id), name: source.name, error: failure, last_sync_at: tx.now },
  });
}

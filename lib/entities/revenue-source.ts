import * as v from 'valibot';
import { choice, count, currency, id, integer, line, nullableSecret, storedChoice, time } from '#lib/core/schema.ts';
import { tenantKey } from '#lib/core/tenant.ts';
import { entity } from '#lib/table/entity.ts';

const modes = ['pull', 'push'] as const;
const syncStatuses = ['never', 'running', 'ok', 'failed'] as const;

/** Without a name or a password in it. */
const httpUrl = /^https?:\/\/[^/?#@]+([/?#]|$)/i;

/** Also as it is called, which may be longer than it was typed. */
export const maxFeedUrlLength = 2048;

const given = {
  name: line(200),
  feedUrl: v.pipe(
    line(maxFeedUrlLength),
    v.url('must be a URL'),
    v.check((url) => httpUrl.test(url), 'must be an http or https URL'),
  ),
};
const maxPullMinutes = 43_200;

const shown = {
  id: id(),
  name: v.string(),
  mode: storedChoice(modes),
  defaultCurrency: v.string(),
  isActive: v.boolean(),
  feedUrl: v.string(),
  pullIntervalMinutes: count(),
  lastSyncStatus: storedChoice(syncStatuses),
  lastSyncAt: v.nullable(time()),
  lastSyncError: v.nullable(v.string()),
  totalIngested: v.number(),
  lastEventAt: v.nullable(time()),
  nextRunAt: v.nullable(time()),
};

/** Base document, "Revenue source". */
export const RevenueSource = v.pipe(v.object(shown), v.title('RevenueSource'));

export const RevenueSourceList = v.pipe(
  v.object({ items: v.array(RevenueSource), count: count(), totalIngested: v.number() }),
  v.title('RevenueSourceList'),
);

/** Limit per environment: one answer lists them all. */
export const maxRevenueSources = 50;

/** Sent to the feed as a bearer token. */
export const revenueCredential = { credential: v.optional(nullableSecret(), null) };

export const ConnectRevenueSource = v.pipe(v.object(revenueCredential), v.title('ConnectRevenueSource'));

/** Fields that the panel sets. */
export const CreateRevenueSource = v.pipe(
  v.object({
    ...given,
    mode: choice(modes),
    defaultCurrency: currency(),
    pullIntervalMinutes: integer(1, maxPullMinutes),
    ...revenueCredential,
  }),
  v.title('CreateRevenueSource'),
);

/**
 * A feed of payments that is pulled. It has a timer for its next pull, and for when one that is running should long
 * have ended.
 */
export const RevenueSources = entity({
  name: 'revenue-source',
  schema: v.object({
    ...shown,
    /** Encrypted; sent as a bearer token. */
    credential: v.nullable(v.string()),
    /** Until when a pull that is running has the source for itself. */
    leasedUntil: v.nullable(v.string()),
    /** Digest of the feed when all of it was booked: the same digest again brings nothing new. */
    lastDigest: v.exactOptional(v.string()),
  }),
  timer: (source, tenant) => {
    const at = source.leasedUntil ?? source.nextRunAt;
    return source.isActive && at !== null
      ? { at, queue: 'revenue' as const, message: { revenueSourceId: source.id }, group: tenantKey(tenant) }
      : null;
  },
});

export type StoredRevenueSource = v.InferOutput<(typeof RevenueSources)['schema']>;

/** A row of a revenue feed that has been booked. */
export const IngestedRows = entity({
  name: 'ingested-row',
  schema: v.object({ revenueSourceId: id(), externalId: v.string(), transactionId: id() }),
  within: 'revenue-source/{revenueSourceId}/row',
  sortKey: ({ externalId }) => externalId,
});

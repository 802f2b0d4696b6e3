import * as v from 'valibot';
import { dayMs, dayOf, now } from '#lib/core/clock.ts';
import { count, id, time } from '#lib/core/schema.ts';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { rowPartition } from '#lib/table/keys.ts';

export const keptDays = 7;

/** A request of a key (contract section 25). */
export const RequestLog = v.pipe(
  v.object({
    id: id(),
    at: time(),
    requestId: v.string(),
    keyId: v.string(),
    method: v.string(),
    route: v.pipe(v.string(), v.examples(['/v1/contacts/{id}'])),
    path: v.pipe(v.string(), v.examples(['/v1/contacts/7'])),
    status: count(),
    reason: v.nullable(v.pipe(v.string(), v.examples(['stale_version']))),
    durationMs: count(),
    ip: v.string(),
  }),
  v.title('RequestLog'),
);

// An id says when the request began, so that no row counts them, the list is in their order and a line that comes twice is one row:
// milliseconds since then, each with room for so many. They fit 53 bits until 2059.
const epochMs = Date.UTC(2025, 0, 1);
export const idsPerMs = 8192;

/** The first id of a millisecond. */
export const firstIdAt = (ms: number) => Math.max(0, ms - epochMs) * idsPerMs;
/** When the request with the id began. */
export const timeOf = (requestLogId: number) => epochMs + Math.floor(requestLogId / idsPerMs);

export const sortKeyOf = (requestLogId: number) => String(requestLogId).padStart(16, '0');

/** A day of a tenant is a partition: none grows for ever, and what is new lies apart from what expires. */
export const partitionAt = (tenant: Tenant, ms: number) =>
  rowPartition('requestLog', { tenant: tenantKey(tenant), day: dayOf(new Date(ms).toISOString()) });

/** The oldest that is still shown. */
export const oldestMs = () => now() - keptDays * dayMs;

import * as v from 'valibot';
import { integer } from '#lib/core/schema.ts';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { entity } from '#lib/table/entity.ts';

const sequence = integer(0, Number.MAX_SAFE_INTEGER);
const group = (tenant: Tenant) => `${tenantKey(tenant)}/webhook-fan-out`;

/** From the first after `doneTo` through `upTo`; there is no such row when nothing is left. */
export const EventsLeft = v.object({
  id: v.literal(1),
  doneTo: sequence,
  upTo: sequence,
  /** When its worker is due; while one is at work, when it must have ended. */
  at: v.string(),
});

/** One that failed for a reason of its own, by its sequence, and when it is tried again. */
export const FailedEvent = v.object({ id: sequence, at: v.string() });

/**
 * From where to where events have yet to be given to their endpoints. One row a tenant: while there is one, all that
 * follows is left too, so that no event overtakes another.
 */
export const FanOuts = entity({
  name: 'webhook-fan-out',
  schema: EventsLeft,
  timer: ({ at }, tenant) => ({
    at,
    queue: 'fan-outs',
    message: {},
    group: group(tenant),
    isForGroup: true,
  }),
});

/** An event whose deliveries could not be made, and is tried by itself; found by its sequence. */
export const FanOutRetries = entity({
  name: 'webhook-fan-out-retry',
  schema: FailedEvent,
  timer: ({ id, at }, tenant) => ({ at, queue: 'fan-outs', message: { sequence: id }, group: group(tenant) }),
});

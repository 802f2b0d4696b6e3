import * as v from 'valibot';
import { entity, type Item } from '#lib/table/entity.ts';
import { type Tenant, tenantKey } from '#lib/tenant.ts';

const sequence = v.pipe(v.number(), v.integer(), v.minValue(0));
const group = (tenant: Tenant) => `${tenantKey(tenant)}/webhook-fan-out`;

/**
 * From where to where events have yet to be given to their endpoints. One row a tenant: from the first after `doneTo`
 * through `upTo`, and none when nothing is left. While there is one, all that follows is left too, so that no event
 * overtakes another.
 */
export const FanOuts = entity({
  name: 'webhook-fan-out',
  schema: v.object({
    id: v.literal(1),
    doneTo: sequence,
    upTo: sequence,
    /** When its worker is due; while one is at work, when it must have ended. */
    at: v.string(),
  }),
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
  schema: v.object({
    id: sequence,
    /** Those that were begun since it was passed over. */
    tries: v.number(),
    /** When it is tried next. */
    at: v.string(),
  }),
  timer: ({ id, at }, tenant) => ({ at, queue: 'fan-outs', message: { sequence: id }, group: group(tenant) }),
});
export type FanOutRetry = Item<typeof FanOutRetries>;

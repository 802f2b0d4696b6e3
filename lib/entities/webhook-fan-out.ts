import * as v from 'valibot';
import { entity } from '#lib/table/entity.ts';
import { tenantKey } from '#lib/tenant.ts';

const sequence = v.pipe(v.number(), v.integer(), v.minValue(0));

/**
 * The events whose deliveries the publisher has left to a worker, from the first after `doneTo` through `upTo`; one row a tenant,
 * and none when nothing is left. While there is one, all that follows is left too, so that no event overtakes another.
 */
export const FanOuts = entity({
  name: 'webhook-fan-out',
  schema: v.object({
    id: v.literal(1),
    doneTo: sequence,
    upTo: sequence,
    /** When its worker is told; while one is at work, when it must have ended. */
    at: v.string(),
  }),
  wakeUp: ({ at }, tenant) => ({
    at,
    queue: 'fan-outs',
    message: {},
    group: `${tenantKey(tenant)}/webhook-fan-out`,
    isForGroup: true,
  }),
});

import * as v from 'valibot';
import { entity } from '#lib/table/entity.ts';

/** Deliveries of an endpoint that wait for their replay; its worker makes the new deliveries, a few at a time. */
export const ReplayQueues = entity({
  name: 'webhook-replays',
  schema: v.object({
    /** Of the endpoint. */
    id: v.number(),
    deliveryIds: v.array(v.number()),
  }),
});

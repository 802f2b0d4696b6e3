import * as v from 'valibot';
import { id } from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';

/** Limit of an endpoint. */
export const maxWaitingReplays = 5000;

/** Deliveries that shall be made again. The worker of their endpoint makes the new deliveries, a few at a time. */
export const ReplayQueues = entity({
  name: 'webhook-replays',
  schema: v.object({
    /** Id of the endpoint. */
    id: id(),
    deliveryIds: v.array(id()),
  }),
});

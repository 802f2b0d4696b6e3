import { listOf } from '#lib/core/schema.ts';
import { Delivery, DeliveryQuery } from '#lib/entities/delivery.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { mayLearn } from '#lib/publishing/feed/audience.ts';
import { listDeliveries } from '#lib/webhooks/deliveries.ts';

/** Deliveries of the last 30 days, newest first. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/webhooks/{id}/deliveries',
    summary: 'List the deliveries of an endpoint',
    scope: 'webhooks:read',
    query: DeliveryQuery,
    status: 200,
    response: listOf(Delivery),
    errors: ['bad_request', 'not_found'],
  },
  ({ tx, caller, params, query }) =>
    listDeliveries(tx, params.id, query, ({ eventKind }) => mayLearn(caller, eventKind)),
);

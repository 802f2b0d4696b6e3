import { Delivery } from '#lib/entities/delivery.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { requireVisible } from '#lib/publishing/feed/audience.ts';
import { getDelivery, replayDelivery } from '#lib/webhooks/deliveries.ts';

/** Delivers the same event once more, as a new delivery. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/webhooks/{id}/deliveries/{deliveryId}/replay',
    summary: 'Replay a delivery',
    scope: 'webhooks:write',
    textParams: ['deliveryId'],
    status: 202,
    response: Delivery,
    errors: ['bad_request', 'not_found', 'conflict'],
    location: ({ id, endpointId }) => `/v1/webhooks/${endpointId}/deliveries/${id}`,
  },
  async ({ tx, caller, params, texts }) => {
    if (caller.session) requireVisible(caller, await getDelivery(tx, params.id, texts.deliveryId));
    return replayDelivery(tx, params.id, texts.deliveryId);
  },
);

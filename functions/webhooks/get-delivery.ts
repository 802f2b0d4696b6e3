import { DeliveryDetail } from '#lib/entities/delivery.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { requireVisible } from '#lib/publishing/feed/audience.ts';
import { getDelivery } from '#lib/webhooks/deliveries.ts';

/** One delivery with its attempts and its last request. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/webhooks/{id}/deliveries/{deliveryId}',
    summary: 'Get a delivery',
    scope: 'webhooks:read',
    textParams: ['deliveryId'],
    status: 200,
    response: DeliveryDetail,
    errors: ['bad_request', 'not_found'],
  },
  async ({ tx, caller, params, texts }) => requireVisible(caller, await getDelivery(tx, params.id, texts.deliveryId)),
);

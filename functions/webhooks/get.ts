import { Endpoint } from '#lib/entities/webhook.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getEndpoint } from '#lib/webhooks/store.ts';

/** One endpoint and how its deliveries fare. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/webhooks/{id}',
    summary: 'Get a webhook endpoint',
    scope: 'webhooks:read',
    status: 200,
    response: Endpoint,
    errors: ['bad_request', 'not_found'],
  },
  ({ tx, params }) => getEndpoint(tx, params.id),
);

import { listOf } from '#lib/core/schema.ts';
import { Endpoint, EndpointQuery } from '#lib/entities/webhook.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { listEndpoints } from '#lib/webhooks/store.ts';

/** Endpoints, newest first. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/webhooks',
    summary: 'List webhook endpoints',
    scope: 'webhooks:read',
    query: EndpointQuery,
    status: 200,
    response: listOf(Endpoint),
    errors: ['bad_request'],
  },
  ({ tx, query }) => listEndpoints(tx, query),
);

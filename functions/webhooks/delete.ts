import { Deleted } from '#lib/core/schema.ts';
import { Endpoint } from '#lib/entities/webhook.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { requireLearning } from '#lib/publishing/feed/audience.ts';
import { deleteEndpoint, getEndpoint, getStoredEndpoint } from '#lib/webhooks/store.ts';

/** Removes an endpoint. What is pending is dropped. */
export const handler = endpoint(
  {
    method: 'DELETE',
    path: '/v1/webhooks/{id}',
    summary: 'Delete a webhook endpoint',
    scope: 'webhooks:write',
    status: 200,
    response: Deleted,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getEndpoint(tx, id),
    representation: Endpoint,
    permit: async ({ tx, caller, params }) =>
      requireLearning(caller, (await getStoredEndpoint(tx, params.id)).eventKinds),
  },
  ({ tx, params }) => deleteEndpoint(tx, params.id),
);

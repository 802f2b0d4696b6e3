import { Endpoint, PatchEndpoint } from '#lib/entities/webhook.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { requireLearning } from '#lib/publishing/feed/audience.ts';
import { getEndpoint, getStoredEndpoint, patchEndpoint } from '#lib/webhooks/store.ts';

/** Changes an endpoint. Disabling skips what is pending; enabling, or another url, forgets its failures. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/webhooks/{id}',
    summary: 'Change a webhook endpoint',
    scope: 'webhooks:write',
    body: PatchEndpoint,
    readOnly: { secret: 'POST /v1/webhooks/{id}/rotate', ownSecret: 'POST /v1/webhooks', status: 'isActive' },
    status: 200,
    response: Endpoint,
    errors: ['bad_request', 'not_found', 'conflict'],
    needs: ['encrypt:webhook'],
    current: (tx, { id }) => getEndpoint(tx, id),
    permit: async ({ tx, caller, params, body }) => {
      const { eventKinds } = await getStoredEndpoint(tx, params.id);
      requireLearning(caller, [...eventKinds, ...(body.eventKinds ?? [])]);
    },
  },
  ({ tx, params, body }) => patchEndpoint(tx, params.id, body),
);

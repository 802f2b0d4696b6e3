import { Nothing } from '#lib/core/schema.ts';
import { Endpoint } from '#lib/entities/webhook.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getEndpoint, resumeEndpoint } from '#lib/webhooks/store.ts';

/** Sends to an endpoint again at once, whose deliveries have failed. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/webhooks/{id}/resume',
    summary: 'Resume a paused webhook endpoint',
    hasNoTool: true,
    scope: 'webhooks:write',
    body: Nothing,
    status: 200,
    response: Endpoint,
    errors: ['not_found', 'conflict'],
    current: (tx, { id }) => getEndpoint(tx, id),
  },
  ({ tx, params }) => resumeEndpoint(tx, params.id),
);

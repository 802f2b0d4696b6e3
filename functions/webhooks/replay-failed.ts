import { ReplayedFailed, ReplayFailed } from '#lib/entities/delivery.ts';
import { Endpoint } from '#lib/entities/webhook.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { replayFailed } from '#lib/webhooks/deliveries.ts';
import { getEndpoint } from '#lib/webhooks/store.ts';

/** Replays what an endpoint has missed. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/webhooks/{id}/replay-failed',
    summary: 'Replay failed and skipped deliveries',
    scope: 'webhooks:write',
    body: ReplayFailed,
    status: 202,
    response: ReplayedFailed,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getEndpoint(tx, id),
    representation: Endpoint,
    location: (_, { id }) => `/v1/webhooks/${id}/deliveries`,
  },
  ({ tx, params, body }) => replayFailed(tx, params.id, body),
);

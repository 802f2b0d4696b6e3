import { Endpoint, everyKind, RotatedSecret, RotateSecret } from '#lib/entities/webhook.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { mayReceive, requireLearning } from '#lib/publishing/feed/audience.ts';
import { getEndpoint, kindsSignedAs, rotateSecret } from '#lib/webhooks/store.ts';

/** A new secret for all endpoints of the workspace and environment; during the grace the old one signs too. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/webhooks/{id}/rotate',
    summary: 'Rotate the webhook secret',
    scope: 'webhooks:write',
    body: RotateSecret,
    status: 200,
    response: RotatedSecret,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getEndpoint(tx, id),
    representation: Endpoint,
    permit: async ({ tx, caller, params }) => {
      if (!mayReceive(caller, [everyKind])) requireLearning(caller, await kindsSignedAs(tx, params.id));
    },
    needs: ['encrypt:webhook', 'decrypt:webhook'],
  },
  ({ tx, params, body }) => rotateSecret(tx, params.id, body.graceMinutes),
);

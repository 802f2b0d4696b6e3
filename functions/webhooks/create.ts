import { CreateEndpoint, Endpoint, EndpointWithSecret, everyKind } from '#lib/entities/webhook.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { mayReceive, requireLearning } from '#lib/publishing/feed/audience.ts';
import { createEndpoint, signedKinds } from '#lib/webhooks/store.ts';

/** Registers a receiver. All endpoints of the workspace and environment share the secret, which only this and a rotation show. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/webhooks',
    summary: 'Register a webhook endpoint',
    scope: 'webhooks:write',
    body: CreateEndpoint,
    status: 201,
    response: EndpointWithSecret,
    made: Endpoint,
    errors: ['bad_request', 'not_found', 'conflict'],
    permit: ({ caller, body }) => requireLearning(caller, body.eventKinds ?? [everyKind]),
    needs: ['encrypt:webhook', 'decrypt:webhook'],
  },
  async ({ tx, caller, body }) => {
    const made = await createEndpoint(tx, body);
    const mayKnow = body.ownSecret || mayReceive(caller, [everyKind]) || mayReceive(caller, await signedKinds(tx));
    return mayKnow ? made : { ...made, secret: null };
  },
);

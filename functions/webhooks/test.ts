import { testTimeoutSeconds } from '#lib/core/timeouts.ts';
import { TestedDelivery } from '#lib/entities/delivery.ts';
import { Endpoint, TestEndpoint } from '#lib/entities/webhook.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getEndpoint } from '#lib/webhooks/store.ts';
import { testEndpoint } from '#lib/webhooks/test-delivery.ts';

/** Sends the example of an event kind at once and waits for the answer. No retries. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/webhooks/{id}/test',
    summary: 'Send a test delivery',
    scope: 'webhooks:write',
    body: TestEndpoint,
    status: 200,
    response: TestedDelivery,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getEndpoint(tx, id),
    representation: Endpoint,
    needs: ['decrypt:webhook'],
    heavyDependency: 'undici, whose parser of HTTP is WebAssembly: it sends the test delivery',
    timeoutSeconds: testTimeoutSeconds,
  },
  ({ tx, params, body, request }) => testEndpoint(tx, params.id, body.eventKind, request),
);

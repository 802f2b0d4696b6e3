import { EventKindList } from '#lib/entities/webhook.ts';
import { eventKinds, exampleOf } from '#lib/events/kinds.ts';
import { eventKindNames } from '#lib/events/names.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Every event kind with an example of its body. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/webhooks/event-kinds',
    summary: 'List event kinds',
    scope: 'webhooks:read',
    status: 200,
    response: EventKindList,
    errors: [],
  },
  async () => ({
    items: eventKindNames.map((kind) => ({
      kind,
      description: eventKinds[kind].description,
      example: exampleOf(kind),
    })),
  }),
);

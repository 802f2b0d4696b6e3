import { exampleOf } from '#lib/events/examples.ts';
import { type EventKind, eventKinds } from '#lib/events/kinds.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { EventKindList } from '#lib/webhooks/endpoint.ts';

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
    items: (Object.keys(eventKinds) as EventKind[]).map((kind) => ({
      kind,
      description: eventKinds[kind],
      example: exampleOf(kind),
    })),
  }),
);

import { listOf } from '#lib/core/schema.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { AnyEvent, EventQuery, listEvents } from '#lib/publishing/feed/list.ts';

/** The event feed: what webhooks deliver, to catch up from. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/events',
    summary: 'List events',
    scope: 'webhooks:read',
    query: EventQuery,
    status: 200,
    response: listOf(AnyEvent, 'EventList'),
    errors: ['bad_request', 'conflict'],
    needs: ['read-outbox'],
  },
  ({ tx, caller, query }) => listEvents(tx, caller, query),
);

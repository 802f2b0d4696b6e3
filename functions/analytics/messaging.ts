import { analyseMessaging, Messaging, MessagingQuery } from '#lib/analytics/messaging.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/**
 * Messages sent, failed and received in a range, in all and per day, week (from Monday), month or account; empty periods are
 * included. `queued` are the messages made in the range that still wait; e-mail belongs to no account.
 */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/analytics/messaging',
    summary: 'Messaging figures',
    scope: 'analytics:read',
    query: MessagingQuery,
    status: 200,
    response: Messaging,
    errors: ['bad_request'],
    isSlow: true,
    memoryMb: 1024,
  },
  ({ tx, query }) => analyseMessaging(tx, query),
);

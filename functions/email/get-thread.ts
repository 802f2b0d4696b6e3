import { getThread } from '#lib/email/store.ts';
import { Thread } from '#lib/entities/email-thread.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** One e-mail thread. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/email/threads/{id}',
    summary: 'Get an e-mail thread',
    scope: 'email:read',
    status: 200,
    response: Thread,
    errors: ['not_found'],
  },
  ({ tx, params }) => getThread(tx, params.id),
);

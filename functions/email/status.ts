import { getThread, setThreadStatus } from '#lib/email/store.ts';
import { SetThreadStatus, Thread } from '#lib/entities/email-thread.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Moves a thread to any status. A new inbound message reopens a pending or closed one. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/email/threads/{id}/status',
    summary: 'Set the status of an e-mail thread',
    scope: 'email:write',
    body: SetThreadStatus,
    status: 200,
    response: Thread,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getThread(tx, id),
  },
  ({ tx, params, body }) => setThreadStatus(tx, params.id, body.status),
);

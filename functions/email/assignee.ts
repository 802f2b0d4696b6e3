import { getThread, setThreadAssignee } from '#lib/email/store.ts';
import { SetThreadAssignee, Thread } from '#lib/entities/email-thread.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Assigns a thread to an active member, or to nobody with null. Sends no mail. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/email/threads/{id}/assignee',
    summary: 'Assign an e-mail thread',
    scope: 'email:write',
    body: SetThreadAssignee,
    status: 200,
    response: Thread,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getThread(tx, id),
  },
  ({ tx, params, body }) => setThreadAssignee(tx, params.id, body.userId),
);

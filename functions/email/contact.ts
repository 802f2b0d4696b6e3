import { requireScope } from '#lib/core/caller.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { setThreadContact } from '#lib/email/contact.ts';
import { getThread } from '#lib/email/store.ts';
import { SetThreadContact, Thread } from '#lib/entities/email-thread.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Connects the thread of a stranger with a contact. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/email/threads/{id}/contact',
    summary: 'Connect an e-mail thread with a contact',
    scope: 'email:write',
    hasNoTool: true,
    body: SetThreadContact,
    status: 200,
    response: Thread,
    heavyDependency: 'the rules of phone numbers of all countries',
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getThread(tx, id),
    timeoutSeconds: longTimeoutSeconds,
    permit: ({ caller }) => requireScope({ scope: 'contacts:write' }, caller),
  },
  ({ tx, params, body }) => setThreadContact(tx, params.id, body),
);

import { listOf } from '#lib/core/schema.ts';
import { listEmailMessages } from '#lib/email/store.ts';
import { EmailMessage, EmailMessageQuery } from '#lib/entities/email-message.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** The messages of a thread, newest first. A page of very long messages holds fewer than `limit`: follow `hasMore`. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/email/threads/{id}/messages',
    summary: 'List the messages of an e-mail thread',
    scope: 'email:read',
    query: EmailMessageQuery,
    status: 200,
    response: listOf(EmailMessage),
    errors: ['bad_request', 'not_found'],
  },
  ({ tx, params, query }) => listEmailMessages(tx, params.id, query),
);

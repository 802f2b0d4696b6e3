import { roles } from '#lib/core/choices.ts';
import { getRecipients, ReplyRecipients } from '#lib/email/reply.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Returns the recipients of a reply to a thread. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/panel/email/threads/{id}/recipients',
    summary: 'Get the recipients of a reply',
    scope: 'email:read',
    roles,
    isUndocumented: true,
    status: 200,
    response: ReplyRecipients,
    errors: ['not_found'],
  },
  ({ tx, params }) => getRecipients(tx, params.id),
);

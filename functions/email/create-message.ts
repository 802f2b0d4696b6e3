import { createMessage } from '#lib/email/compose.ts';
import { CreateEmailMessage, ReplyJob } from '#lib/entities/email-message.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/**
 * Queues a mail in a thread of its own; what its recipients answer joins it. Follow it at `/v1/jobs/{id}` or by `job.completed`. As of
 * a reply, `bodyHtml` is sent as it is shown.
 */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/email/messages',
    summary: 'Write an e-mail in a new thread',
    scope: 'email:compose',
    body: CreateEmailMessage,
    status: 202,
    response: ReplyJob,
    errors: ['bad_request', 'conflict'],
    needs: ['mail-sender', 'read-files'],
    heavyDependency: 'the HTML sanitiser, which reads HTML and the CSS of its style attributes',
    location: ({ id }) => `/v1/jobs/${id}`,
  },
  ({ tx, body }) => createMessage(tx, body),
);

import { createReply } from '#lib/email/reply.ts';
import { getThread } from '#lib/email/store.ts';
import { CreateReply, ReplyJob } from '#lib/entities/email-message.ts';
import { Thread } from '#lib/entities/email-thread.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/**
 * Queues a reply to the sender of the newest inbound message, with `replyAll` also to its other recipients. Follow it at
 * `/v1/jobs/{id}` or by `job.completed`. `bodyHtml` is sent as it is shown: without scripts, forms and style sheets. 409
 * `mail_not_configured` where the deployment has no sender address; 429 `daily_quota` beyond its recipients of a day.
 */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/email/threads/{id}/replies',
    summary: 'Reply in an e-mail thread',
    scope: 'email:send',
    body: CreateReply,
    status: 202,
    response: ReplyJob,
    representation: Thread,
    errors: ['bad_request', 'not_found', 'conflict'],
    needs: ['mail-sender', 'read-files'],
    heavyDependency: 'the HTML sanitiser, which reads HTML and the CSS of its style attributes',
    current: (tx, { id }) => getThread(tx, id),
    location: ({ id }) => `/v1/jobs/${id}`,
  },
  ({ tx, params, body }) => createReply(tx, params.id, body),
);

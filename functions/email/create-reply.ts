import { CreateReply, ReplyJob } from '#lib/email/message.ts';
import { createReply } from '#lib/email/reply.ts';
import { getThread } from '#lib/email/store.ts';
import { Thread } from '#lib/email/thread.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/**
 * Queues a reply to the sender of the newest inbound message, with `replyAll` also to its other recipients. Follow it at
 * `/v1/jobs/{id}` or by `job.completed`. `bodyHtml` is sent as it is shown: without scripts, forms and style sheets.
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
    current: (tx, { id }) => getThread(tx, id),
    location: ({ id }) => `/v1/jobs/${id}`,
  },
  ({ tx, caller, params, body }) => createReply(tx, caller, params.id, body),
);

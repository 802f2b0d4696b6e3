import { MessageJob } from '#lib/entities/job.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { CreateTwitterMessage, sendMessage } from '#lib/sending/message.ts';

/** Queues a message; of several recipients contactId counts first, then twitterUserId, then username. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/twitter/messages',
    summary: 'Queue an X message',
    scope: 'twitter:send',
    body: CreateTwitterMessage,
    status: 202,
    response: MessageJob,
    errors: ['bad_request', 'not_found'],
  },
  async ({ tx, caller, body, reply }) => {
    const { job, ignored } = await sendMessage(tx, 'twitter', body, { source: 'api', apiKeyId: caller.keyId });
    reply.ignored.push(...ignored);
    return job;
  },
);

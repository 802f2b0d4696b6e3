import * as v from 'valibot';
import { twitter } from '#lib/core/twitter-channel.ts';
import { MessageJob } from '#lib/entities/job.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { originOf } from '#lib/messages/jobs/store.ts';
import { messageFields, sendMessage } from '#lib/transport/sending/message.ts';

const CreateTwitterMessage = v.pipe(v.object(messageFields(twitter)), v.title('CreateTwitterMessage'));

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
  async ({ tx, body, reply }) => {
    const { job, ignored } = await sendMessage(tx, twitter.name, body, originOf(tx));
    reply.ignored.push(...ignored);
    return job;
  },
);

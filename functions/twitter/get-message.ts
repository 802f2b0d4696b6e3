import { twitter } from '#lib/core/twitter-channel.ts';
import { MessageJob } from '#lib/entities/job.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getMessageJob } from '#lib/transport/sending/message.ts';

/** Where an outbound X message is. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/twitter/messages/{id}',
    summary: 'Get an X message',
    scope: 'twitter:send',
    status: 200,
    response: MessageJob,
    errors: ['not_found'],
  },
  ({ tx, params }) => getMessageJob(tx, params.id, twitter.name),
);

import { twitter } from '#lib/core/twitter-channel.ts';
import { MessageJob } from '#lib/entities/job.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { cancelMessage, getMessageJob } from '#lib/transport/sending/message.ts';

/** Takes a queued message back before it is sent; it ends as failed with lastError `canceled`. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/twitter/messages/{id}/cancel',
    summary: 'Cancel a queued X message',
    scope: 'twitter:send',
    status: 200,
    response: MessageJob,
    errors: ['not_found', 'conflict'],
    current: (tx, { id }) => getMessageJob(tx, id, twitter.name),
  },
  ({ tx, params }) => cancelMessage(tx, params.id, twitter.name),
);

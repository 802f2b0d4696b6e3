import { telegram } from '#lib/core/telegram-channel.ts';
import { MessageJob } from '#lib/entities/job.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { cancelMessage, getMessageJob } from '#lib/transport/sending/message.ts';

/** Takes a queued message back before it is sent; it ends as failed with lastError `canceled`. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/telegram/messages/{id}/cancel',
    summary: 'Cancel a queued Telegram message',
    scope: 'telegram:send',
    status: 200,
    response: MessageJob,
    errors: ['not_found', 'conflict'],
    current: (tx, { id }) => getMessageJob(tx, id, telegram.name),
  },
  ({ tx, params }) => cancelMessage(tx, params.id, telegram.name),
);

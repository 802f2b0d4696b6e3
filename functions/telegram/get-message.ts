import { telegram } from '#lib/core/telegram-channel.ts';
import { MessageJob } from '#lib/entities/job.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getMessageJob } from '#lib/transport/sending/message.ts';

/** Where an outbound Telegram message is. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/telegram/messages/{id}',
    summary: 'Get a Telegram message',
    scope: 'telegram:read',
    status: 200,
    response: MessageJob,
    errors: ['not_found'],
  },
  ({ tx, params }) => getMessageJob(tx, params.id, telegram.name),
);

import { telegram } from '#lib/core/telegram-channel.ts';
import { MessageJob } from '#lib/entities/job.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getMessageJob, retryMessage } from '#lib/transport/sending/message.ts';

/** Queues a failed message again, at once. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/telegram/messages/{id}/retry',
    summary: 'Retry a failed Telegram message',
    scope: 'telegram:send',
    status: 200,
    response: MessageJob,
    errors: ['not_found', 'conflict'],
    current: (tx, { id }) => getMessageJob(tx, id, telegram.name),
  },
  ({ tx, params }) => retryMessage(tx, params.id, telegram.name),
);

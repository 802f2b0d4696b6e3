import * as v from 'valibot';
import { telegram } from '#lib/channels/telegram/channel.ts';
import { MessageJob } from '#lib/entities/job.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { messageFields, sendMessage } from '#lib/sending/message.ts';

const CreateTelegramMessage = v.pipe(v.object(messageFields(telegram)), v.title('CreateTelegramMessage'));

/** Queues a message; of several recipients contactId counts first, then telegramUserId, then username. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/telegram/messages',
    summary: 'Queue a Telegram message',
    scope: 'telegram:send',
    body: CreateTelegramMessage,
    status: 202,
    response: MessageJob,
    errors: ['bad_request', 'not_found'],
  },
  async ({ tx, caller, body, reply }) => {
    const { job, ignored } = await sendMessage(tx, telegram.name, body, { source: 'api', apiKeyId: caller.keyId });
    reply.ignored.push(...ignored);
    return job;
  },
);

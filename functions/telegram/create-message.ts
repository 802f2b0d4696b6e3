import * as v from 'valibot';
import { enriched, richFields } from '#lib/channels/telegram/outgoing.ts';
import { telegram } from '#lib/core/telegram-channel.ts';
import { MessageJob } from '#lib/entities/job.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { takeUploads } from '#lib/messages/attachments.ts';
import { originOf } from '#lib/messages/jobs/store.ts';
import { messageOrFileFields, sendMessage } from '#lib/transport/sending/message.ts';

const CreateTelegramMessage = v.pipe(
  v.object({ ...messageOrFileFields(telegram), ...richFields }),
  v.title('CreateTelegramMessage'),
);

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
    needs: ['read-files'],
    heavyDependency: 'the client of S3, which signs the URLs of files',
  },
  async ({ tx, body, reply }) => {
    const { job, ignored } = await sendMessage(tx, telegram.name, body, originOf(tx), takeUploads, (account) =>
      enriched(tx, account, body),
    );
    reply.ignored.push(...ignored);
    return job;
  },
);

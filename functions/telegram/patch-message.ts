import * as v from 'valibot';
import { telegram } from '#lib/core/telegram-channel.ts';
import { MessageJob } from '#lib/entities/job.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { changeFields } from '#lib/messages/jobs/change.ts';
import { changeMessage, getMessageJob } from '#lib/transport/sending/message.ts';

const PatchTelegramMessage = v.pipe(
  v.object(changeFields(telegram.maxTextCharacters)),
  v.title('PatchTelegramMessage'),
);

/** Changes the text or the time of a message that waits; a new text is plain. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/telegram/messages/{id}',
    summary: 'Change a queued Telegram message',
    scope: 'telegram:send',
    hasNoTool: true,
    body: PatchTelegramMessage,
    status: 200,
    response: MessageJob,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getMessageJob(tx, id, telegram.name),
  },
  ({ tx, params, body }) => changeMessage(tx, params.id, telegram.name, body),
);

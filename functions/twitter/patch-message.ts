import * as v from 'valibot';
import { twitter } from '#lib/core/twitter-channel.ts';
import { MessageJob } from '#lib/entities/job.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { changeFields } from '#lib/messages/jobs/change.ts';
import { changeMessage, getMessageJob } from '#lib/transport/sending/message.ts';

const PatchTwitterMessage = v.pipe(v.object(changeFields(twitter.maxTextCharacters)), v.title('PatchTwitterMessage'));

/** Changes the text or the time of a message that waits; a new text is plain. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/twitter/messages/{id}',
    summary: 'Change a queued X message',
    scope: 'twitter:send',
    hasNoTool: true,
    body: PatchTwitterMessage,
    status: 200,
    response: MessageJob,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getMessageJob(tx, id, twitter.name),
  },
  ({ tx, params, body }) => changeMessage(tx, params.id, twitter.name, body),
);

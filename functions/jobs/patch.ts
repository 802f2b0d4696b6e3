import * as v from 'valibot';
import { changeMail } from '#lib/email/change.ts';
import { maxTextCharacters } from '#lib/entities/email-message.ts';
import { Job } from '#lib/entities/job.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { changeFields } from '#lib/messages/jobs/change.ts';
import { getJob } from '#lib/messages/jobs/store.ts';

const PatchMailJob = v.pipe(v.object(changeFields(maxTextCharacters)), v.title('PatchMailJob'));

/** Changes the text or the time of a mail that waits; a new text takes the place of its whole body. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/jobs/{id}',
    summary: 'Change a queued e-mail',
    scope: 'email:send',
    hasNoTool: true,
    body: PatchMailJob,
    status: 200,
    response: Job,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getJob(tx, id, 'email'),
  },
  ({ tx, params, body }) => changeMail(tx, params.id, body),
);

import { listOf } from '#lib/core/schema.ts';
import { telegram } from '#lib/core/telegram-channel.ts';
import { MessageJob, MessageJobQuery } from '#lib/entities/job.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { listMessageJobs } from '#lib/messages/jobs/list.ts';

/** Outbound Telegram messages with their delivery status, newest first. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/telegram/messages',
    summary: 'List Telegram messages',
    scope: 'telegram:read',
    query: MessageJobQuery,
    status: 200,
    response: listOf(MessageJob),
    errors: ['bad_request'],
  },
  ({ tx, query }) => listMessageJobs(tx, telegram.name, query),
);

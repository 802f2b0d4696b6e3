import { listOf } from '#lib/core/schema.ts';
import { Message, WorkspaceMessageQuery } from '#lib/entities/message.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { listAllMessages } from '#lib/messages/store.ts';

/** The messages of all contacts on every channel, newest first. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/messages',
    summary: 'List the messages of all contacts',
    scope: 'contacts:read',
    query: WorkspaceMessageQuery,
    status: 200,
    response: listOf(Message),
    errors: ['bad_request'],
  },
  ({ tx, query }) => listAllMessages(tx, query),
);

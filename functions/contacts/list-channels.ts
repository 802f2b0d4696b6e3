import { listOf } from '#lib/core/schema.ts';
import { ContactChannel } from '#lib/entities/contact.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { listChannels } from '#lib/messages/channels.ts';

/** Lists the accounts that can reach a contact: every account that has written to it or heard of it. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/contacts/{id}/channels',
    summary: 'List the channels of a contact',
    scope: 'contacts:read',
    status: 200,
    response: listOf(ContactChannel),
    errors: ['not_found'],
  },
  ({ tx, params }) => listChannels(tx, params.id),
);

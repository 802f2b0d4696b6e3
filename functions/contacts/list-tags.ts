import * as v from 'valibot';
import { getContactTags } from '#lib/contacts/tagging.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { Tag } from '#lib/tags/tag.ts';

/** The tags that a contact carries. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/contacts/{id}/tags',
    summary: 'List the tags of a contact',
    scope: 'contacts:read',
    status: 200,
    response: v.array(Tag),
    errors: ['not_found'],
  },
  ({ tx, params }) => getContactTags(tx, params.id),
);

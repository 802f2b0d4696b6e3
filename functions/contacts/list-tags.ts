import * as v from 'valibot';
import { getContactTags } from '#lib/contacts/tagging.ts';
import { Tag } from '#lib/entities/tag.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** The tags that a contact carries. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/contacts/{id}/tags',
    summary: 'List the tags of a contact',
    scope: 'contacts:read',
    hasNoTool: true,
    status: 200,
    response: v.array(Tag),
    errors: ['not_found'],
  },
  ({ tx, params }) => getContactTags(tx, params.id),
);

import * as v from 'valibot';
import { detachTag, getContactTags } from '#lib/contacts/tagging.ts';
import { Tag } from '#lib/entities/tag.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Detaches a tag; one that the contact does not carry is no error. Answers the tags that are left. */
export const handler = endpoint(
  {
    method: 'DELETE',
    path: '/v1/contacts/{id}/tags/{tagId}',
    summary: 'Untag a contact',
    scope: 'contacts:write',
    status: 200,
    response: v.array(Tag),
    errors: ['not_found'],
    current: (tx, { id }) => getContactTags(tx, id),
  },
  ({ tx, params }) => detachTag(tx, params.id, params['tagId'] as number),
);

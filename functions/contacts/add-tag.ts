import * as v from 'valibot';
import { attachTag, getContactTags } from '#lib/contacts/tagging.ts';
import { AddTag } from '#lib/entities/contact.ts';
import { Tag } from '#lib/entities/tag.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Attaches a tag by id, or by a name that is added to the dictionary when it is new. Answers all tags of the contact. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/contacts/{id}/tags',
    summary: 'Tag a contact',
    scope: 'contacts:write',
    body: AddTag,
    status: 200,
    response: v.array(Tag),
    errors: ['bad_request', 'not_found'],
    current: (tx, { id }) => getContactTags(tx, id),
  },
  ({ tx, params, body }) => attachTag(tx, params.id, body),
);

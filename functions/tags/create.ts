import { createTag } from '#lib/contacts/tags.ts';
import { CreateTag, DictionaryTag } from '#lib/entities/tag.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Adds a tag to the dictionary. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/tags',
    summary: 'Create a tag',
    scope: 'contacts:write',
    body: CreateTag,
    status: 201,
    response: DictionaryTag,
    reported: ['contactCount'],
    errors: ['bad_request', 'conflict'],
  },
  ({ tx, body }) => createTag(tx, body),
);

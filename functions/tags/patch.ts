import { getTag, patchTag } from '#lib/contacts/tags.ts';
import { DictionaryTag, PatchTag } from '#lib/entities/tag.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Renames or recolours a tag everywhere. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/tags/{id}',
    summary: 'Change a tag',
    scope: 'contacts:write',
    body: PatchTag,
    status: 200,
    response: DictionaryTag,
    reported: ['contactCount'],
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getTag(tx, id),
  },
  ({ tx, params, body }) => patchTag(tx, params.id, body),
);

import { listTags } from '#lib/contacts/tags.ts';
import { Dictionary } from '#lib/entities/tag.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** The whole dictionary by name. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/tags',
    summary: 'List all tags',
    scope: 'contacts:read',
    status: 200,
    response: Dictionary,
    errors: [],
  },
  async ({ tx }) => ({ items: await listTags(tx) }),
);

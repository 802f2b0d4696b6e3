import { listDuplicates } from '#lib/contacts/duplicates.ts';
import { expandContacts } from '#lib/contacts/include.ts';
import { listOf } from '#lib/core/schema.ts';
import { Contact, DuplicateQuery } from '#lib/entities/contact.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Contacts that seem to be the same person. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/contacts/{id}/duplicates',
    summary: 'List possible duplicates of a contact',
    scope: 'contacts:read',
    query: DuplicateQuery,
    expand: expandContacts,
    status: 200,
    response: listOf(Contact),
    heavyDependency: 'the rules of phone numbers of all countries',
    errors: ['bad_request', 'not_found'],
  },
  ({ tx, params, query }) => listDuplicates(tx, params.id, query),
);

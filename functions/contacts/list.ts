import { expandContacts } from '#lib/contacts/include.ts';
import { listContacts } from '#lib/contacts/list.ts';
import { listOf } from '#lib/core/schema.ts';
import { Contact, ContactQuery } from '#lib/entities/contact.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Contacts, newest first; every filter may be combined with every other. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/contacts',
    summary: 'List and search contacts',
    scope: 'contacts:read',
    query: ContactQuery,
    expand: expandContacts,
    status: 200,
    response: listOf(Contact),
    heavyDependency: 'the client of S3, the reader of Parquet, and the rules of phone numbers of all countries',
    needs: ['ask-copies', 'read-copies'],
    errors: ['bad_request'],
  },
  ({ tx, query }) => listContacts(tx, query),
);

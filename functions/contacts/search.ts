import { expandContacts } from '#lib/contacts/include.ts';
import { foundOf, searchBody, searchMemoryMb } from '#lib/core/search-body.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { Contact, ContactInclude } from '#lib/entities/contact.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { search } from '#lib/search/search.ts';

/** Contacts by any filter, in any order. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/contacts/search',
    summary: 'Search contacts',
    isQuery: true,
    scope: 'contacts:read',
    expand: expandContacts,
    body: searchBody(ContactInclude.entries, 'SearchContacts'),
    status: 200,
    response: foundOf(Contact),
    heavyDependency: 'the client of S3, the reader of Parquet, and the rules of phone numbers of all countries',
    needs: ['read-copies'],
    errors: ['bad_request'],
    isSlow: true,
    timeoutSeconds: longTimeoutSeconds,
    memoryMb: searchMemoryMb,
  },
  ({ tx, caller, body }) => search(tx, caller, 'contact', body),
);

import { expandContacts } from '#lib/contacts/include.ts';
import { mergeContacts } from '#lib/contacts/merge.ts';
import { getContact } from '#lib/contacts/read.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { ContactInclude, ContactWithTags, MergeContacts } from '#lib/entities/contact.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Makes one contact of two; the source is gone afterwards. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/contacts/{id}/merge',
    summary: 'Merge another contact into this one',
    scope: 'contacts:write',
    query: ContactInclude,
    expand: expandContacts,
    body: MergeContacts,
    status: 200,
    response: ContactWithTags,
    heavyDependency: 'the rules of phone numbers of all countries',
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getContact(tx, id),
    timeoutSeconds: longTimeoutSeconds,
  },
  ({ tx, params, body }) => mergeContacts(tx, params.id, body),
);

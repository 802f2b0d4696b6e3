import { ContactBatch, ContactBatchResults, contactOps } from '#lib/contacts/batch.ts';
import { expandContacts } from '#lib/contacts/include.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { ContactInclude } from '#lib/entities/contact.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { runBatch } from '#lib/table/batch.ts';

/** Up to a hundred creations and changes in one call. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/contacts/batch',
    summary: 'Create, change and tag contacts in one call',
    scope: 'contacts:write',
    query: ContactInclude,
    expand: expandContacts,
    body: ContactBatch,
    status: 200,
    response: ContactBatchResults,
    heavyDependency: 'the rules of phone numbers of all countries',
    errors: ['bad_request'],
    timeoutSeconds: longTimeoutSeconds,
  },
  (input) => runBatch(input, 'contact', contactOps),
);

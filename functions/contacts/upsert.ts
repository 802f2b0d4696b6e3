import { expandContacts } from '#lib/contacts/include.ts';
import { upsertContact } from '#lib/contacts/upsert.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { ContactInclude, ContactWithTags, UpsertContact } from '#lib/entities/contact.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Creates a contact, or changes the one that matches. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/contacts/upsert',
    summary: 'Create or change a contact',
    scope: 'contacts:write',
    query: ContactInclude,
    expand: expandContacts,
    body: UpsertContact,
    status: 201,
    otherStatuses: [200],
    response: ContactWithTags,
    heavyDependency: 'the rules of phone numbers of all countries',
    errors: ['bad_request', 'conflict'],
    location: ({ id }) => `/v1/contacts/${id}`,
    timeoutSeconds: longTimeoutSeconds,
  },
  async ({ tx, body, reply }) => {
    const { contact, isNew } = await upsertContact(tx, body);
    if (!isNew) reply.status = 200;
    return contact;
  },
);

import { changeContact } from '#lib/contacts/change.ts';
import { expandContacts } from '#lib/contacts/include.ts';
import { getContact } from '#lib/contacts/read.ts';
import { ContactInclude, ContactWithTags, SetLeadScore } from '#lib/entities/contact.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Scores a contact by hand, or clears the score. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/contacts/{id}/lead-score',
    summary: 'Set the lead score of a contact',
    scope: 'contacts:write',
    query: ContactInclude,
    expand: expandContacts,
    body: SetLeadScore,
    status: 200,
    response: ContactWithTags,
    heavyDependency: 'the rules of phone numbers of all countries',
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getContact(tx, id),
  },
  ({ tx, params, body }) => changeContact(tx, params.id, { leadScore: body.score }),
);

import { listContactsOfCompany } from '#lib/contacts/company-list.ts';
import { expandContacts } from '#lib/contacts/include.ts';
import { requireScope } from '#lib/core/caller.ts';
import { listOf } from '#lib/core/schema.ts';
import { Contact, ContactsOfCompanyQuery } from '#lib/entities/contact.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** The contacts of a company, newest first. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/companies/{id}/contacts',
    summary: 'List the contacts of a company',
    hasNoTool: true,
    scope: 'companies:read',
    permit: ({ caller }) => requireScope({ scope: 'contacts:read' }, caller),
    query: ContactsOfCompanyQuery,
    expand: expandContacts,
    status: 200,
    response: listOf(Contact),
    heavyDependency: 'the rules of phone numbers of all countries',
    errors: ['bad_request', 'not_found'],
  },
  ({ tx, params, query }) => listContactsOfCompany(tx, params.id, query),
);

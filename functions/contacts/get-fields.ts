import { getContactFields } from '#lib/contacts/fields.ts';
import { FieldValues } from '#lib/entities/field.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** The custom values of a contact, null where none is set. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/contacts/{id}/fields',
    summary: 'Get the custom fields of a contact',
    hasNoTool: true,
    scope: 'contacts:read',
    status: 200,
    response: FieldValues,
    errors: ['not_found'],
  },
  ({ tx, params }) => getContactFields(tx, params.id),
);

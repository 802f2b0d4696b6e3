import { getContactFields, patchContactFields } from '#lib/contacts/fields.ts';
import { FieldValues, PatchFieldValues } from '#lib/entities/field.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Sets some custom values of a contact; null clears one, the others stay. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/contacts/{id}/fields',
    summary: 'Change the custom fields of a contact',
    hasNoTool: true,
    scope: 'contacts:write',
    body: PatchFieldValues,
    status: 200,
    response: FieldValues,
    heavyDependency: 'the rules of phone numbers of all countries',
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getContactFields(tx, id),
  },
  ({ tx, params, body }) => patchContactFields(tx, params.id, body.fields),
);

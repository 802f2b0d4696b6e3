import { Field, fixedInField, PatchField } from '#lib/entities/field.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { patchField } from '#lib/workspaces/field-changes.ts';
import { getAnyField } from '#lib/workspaces/fields.ts';

/** Changes how a custom field is shown and what it takes. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/fields/{id}',
    summary: 'Change a custom field',
    hasNoTool: true,
    scope: 'fields:manage',
    body: PatchField,
    readOnly: fixedInField,
    status: 200,
    response: Field,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getAnyField(tx, id),
  },
  ({ tx, params, body }) => patchField(tx, params.id, body),
);

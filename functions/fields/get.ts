import { Field } from '#lib/entities/field.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getField } from '#lib/workspaces/fields.ts';

/** One custom field. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/fields/{id}',
    summary: 'Get a custom field',
    hasNoTool: true,
    scope: 'any',
    status: 200,
    response: Field,
    errors: ['not_found'],
  },
  ({ tx, caller, params }) => getField(tx, caller, params.id),
);

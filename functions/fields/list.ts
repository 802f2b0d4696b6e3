import { listOf } from '#lib/core/schema.ts';
import { Field, FieldQuery } from '#lib/entities/field.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { listFields } from '#lib/workspaces/fields.ts';

/** The custom fields of the objects that the caller may read. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/fields',
    summary: 'List custom fields',
    scope: 'any',
    query: FieldQuery,
    status: 200,
    response: listOf(Field),
    errors: ['bad_request'],
  },
  ({ tx, caller, query }) => listFields(tx, caller, query),
);

import { FieldSchema, FieldSchemaQuery } from '#lib/entities/field.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { fieldSchema } from '#lib/workspaces/field-schema.ts';

/** JSON Schema of the custom values of an object. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/fields/schema',
    summary: 'Get the JSON Schema of custom fields',
    hasNoTool: true,
    scope: 'any',
    query: FieldSchemaQuery,
    status: 200,
    response: FieldSchema,
    errors: ['bad_request'],
  },
  ({ tx, caller, query }) => fieldSchema(tx, caller, query.object),
);

import { CreateField, Field } from '#lib/entities/field.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { createField } from '#lib/workspaces/field-changes.ts';

/** Adds a custom field to an object. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/fields',
    summary: 'Create a custom field',
    hasNoTool: true,
    scope: 'fields:manage',
    body: CreateField,
    status: 201,
    response: Field,
    errors: ['bad_request', 'conflict'],
  },
  ({ tx, body }) => createField(tx, body),
);

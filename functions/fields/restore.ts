import { Nothing } from '#lib/core/schema.ts';
import { Field } from '#lib/entities/field.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { setFieldArchived } from '#lib/workspaces/field-changes.ts';
import { getAnyField } from '#lib/workspaces/fields.ts';

/** Brings an archived field back, with its values. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/fields/{id}/restore',
    summary: 'Restore a custom field',
    hasNoTool: true,
    scope: 'fields:manage',
    body: Nothing,
    status: 200,
    response: Field,
    errors: ['not_found', 'conflict'],
    current: (tx, { id }) => getAnyField(tx, id),
  },
  ({ tx, params }) => setFieldArchived(tx, params.id, false),
);

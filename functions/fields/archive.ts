import { Nothing } from '#lib/core/schema.ts';
import { Field } from '#lib/entities/field.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { setFieldArchived } from '#lib/workspaces/field-changes.ts';
import { getAnyField } from '#lib/workspaces/fields.ts';

/** Hides a custom field; its values are kept. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/fields/{id}/archive',
    summary: 'Archive a custom field',
    hasNoTool: true,
    scope: 'fields:manage',
    body: Nothing,
    status: 200,
    response: Field,
    errors: ['not_found'],
    current: (tx, { id }) => getAnyField(tx, id),
  },
  ({ tx, params }) => setFieldArchived(tx, params.id, true),
);

import { getDealFields } from '#lib/deals/read.ts';
import { FieldValues } from '#lib/entities/field.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** The custom values of a deal, null where none is set. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/deals/{id}/fields',
    summary: 'Get the custom fields of a deal',
    hasNoTool: true,
    scope: 'deals:read',
    status: 200,
    response: FieldValues,
    errors: ['not_found'],
  },
  ({ tx, params }) => getDealFields(tx, params.id),
);

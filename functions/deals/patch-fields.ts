import { getDealFields } from '#lib/deals/read.ts';
import { patchDealFields } from '#lib/deals/store.ts';
import { FieldValues, PatchFieldValues } from '#lib/entities/field.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Sets some custom values of a deal; null clears one, the others stay. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/deals/{id}/fields',
    summary: 'Change the custom fields of a deal',
    hasNoTool: true,
    scope: 'deals:write',
    body: PatchFieldValues,
    status: 200,
    response: FieldValues,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getDealFields(tx, id),
  },
  ({ tx, params, body }) => patchDealFields(tx, params.id, body.fields),
);

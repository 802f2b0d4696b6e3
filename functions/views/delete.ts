import { Deleted } from '#lib/core/schema.ts';
import { View } from '#lib/entities/view.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { deleteView, getView, permitView, scopesTo } from '#lib/search/views.ts';

/** Deletes a view. */
export const handler = endpoint(
  {
    method: 'DELETE',
    path: '/v1/views/{id}',
    summary: 'Delete a view',
    hasNoTool: true,
    scope: scopesTo('write'),
    permit: permitView('write'),
    status: 200,
    response: Deleted,
    errors: ['not_found'],
    current: (tx, { id }, _, caller) => getView(tx, caller, id),
    representation: View,
  },
  ({ tx, caller, params }) => deleteView(tx, caller, params.id),
);

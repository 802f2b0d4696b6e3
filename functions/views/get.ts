import { View } from '#lib/entities/view.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getView, permitView, scopesTo } from '#lib/search/views.ts';

/** One view. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/views/{id}',
    summary: 'Get a view',
    hasNoTool: true,
    scope: scopesTo('read'),
    permit: permitView('read'),
    status: 200,
    response: View,
    errors: ['not_found'],
  },
  ({ tx, caller, params }) => getView(tx, caller, params.id),
);

import { fixedInView, PatchView, View } from '#lib/entities/view.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getView, patchView, permitView, scopesTo } from '#lib/search/views.ts';

/** Changes fields of a view. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/views/{id}',
    summary: 'Change a view',
    hasNoTool: true,
    scope: scopesTo('write'),
    permit: permitView('write'),
    body: PatchView,
    readOnly: fixedInView,
    status: 200,
    response: View,
    errors: ['bad_request', 'not_found'],
    current: (tx, { id }, _, caller) => getView(tx, caller, id),
  },
  ({ tx, caller, params, body }) => patchView(tx, caller, params.id, body),
);

import { requireScope } from '#lib/core/caller.ts';
import { scopeOf } from '#lib/core/scopes.ts';
import { CreateView, View } from '#lib/entities/view.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { createView, scopesTo } from '#lib/search/views.ts';

/** Saves a search of an object under a name. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/views',
    summary: 'Create a view',
    hasNoTool: true,
    scope: scopesTo('write'),
    permit: ({ caller, body }) => requireScope({ scope: scopeOf(body.object, 'write') }, caller),
    body: CreateView,
    status: 201,
    response: View,
    errors: ['bad_request', 'conflict'],
  },
  ({ tx, caller, body }) => createView(tx, caller, body),
);

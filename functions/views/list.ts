import { listOf } from '#lib/core/schema.ts';
import { View, ViewQuery } from '#lib/entities/view.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { listViews, scopesTo } from '#lib/search/views.ts';

/** The views that the caller may see, newest first. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/views',
    summary: 'List views',
    hasNoTool: true,
    scope: scopesTo('read'),
    query: ViewQuery,
    status: 200,
    response: listOf(View),
    errors: ['bad_request'],
  },
  ({ tx, caller, query }) => listViews(tx, caller, query),
);

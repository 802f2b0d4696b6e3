import { listOf } from '#lib/core/schema.ts';
import { expandDeals } from '#lib/deals/include.ts';
import { listDeals } from '#lib/deals/list.ts';
import { Deal, DealQuery } from '#lib/entities/deal.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Deals, newest first; every filter may be combined with every other. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/deals',
    summary: 'List and search deals',
    scope: 'deals:read',
    query: DealQuery,
    expand: expandDeals,
    status: 200,
    response: listOf(Deal),
    heavyDependency: 'the client of S3, and the reader of Parquet',
    needs: ['ask-copies', 'read-copies'],
    errors: ['bad_request'],
  },
  ({ tx, query }) => listDeals(tx, query),
);

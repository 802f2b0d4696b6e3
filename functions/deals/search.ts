import { foundOf, searchBody, searchMemoryMb } from '#lib/core/search-body.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { expandDeals } from '#lib/deals/include.ts';
import { Deal, DealInclude, toDealView } from '#lib/entities/deal.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { search } from '#lib/search/search.ts';

/** Deals by any filter, in any order. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/deals/search',
    summary: 'Search deals',
    isQuery: true,
    scope: 'deals:read',
    expand: expandDeals,
    body: searchBody(DealInclude.entries, 'SearchDeals'),
    status: 200,
    response: foundOf(Deal),
    heavyDependency: 'the client of S3 and the reader of Parquet',
    needs: ['read-copies'],
    errors: ['bad_request'],
    isSlow: true,
    timeoutSeconds: longTimeoutSeconds,
    memoryMb: searchMemoryMb,
  },
  async ({ tx, caller, body }) => {
    const { items, ...page } = await search(tx, caller, 'deal', body);
    return { ...page, items: items.map(toDealView) };
  },
);

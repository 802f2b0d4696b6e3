import { searchMemoryMb } from '#lib/core/search-body.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { EverywhereQuery, everyScope, Hits, searchEverywhere } from '#lib/search/everywhere.ts';

/** One search over all that the caller may read. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/search',
    summary: 'Search everything',
    hasNoTool: true,
    scope: everyScope,
    query: EverywhereQuery,
    status: 200,
    response: Hits,
    heavyDependency: 'the client of S3 and the reader of Parquet',
    needs: ['ask-copies', 'read-copies'],
    errors: ['bad_request'],
    isSlow: true,
    timeoutSeconds: longTimeoutSeconds,
    memoryMb: searchMemoryMb,
  },
  async ({ tx, caller, query, reply }) => {
    const { items, leftOut } = await searchEverywhere(tx, caller, query);
    reply.ignored.push(...leftOut);
    return { items };
  },
);

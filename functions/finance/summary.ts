import { Summary, SummaryQuery, summarise } from '#lib/finance/summary.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Income, expense and what is outstanding, per currency. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/finance/summary',
    summary: 'Summarise income and expense',
    scope: 'finance:read',
    query: SummaryQuery,
    status: 200,
    response: Summary,
    errors: ['bad_request'],
    isSlow: true,
    memoryMb: 1024,
  },
  ({ tx, query }) => summarise(tx, query),
);

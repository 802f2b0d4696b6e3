import { Summary, SummaryQuery, summarise } from '#lib/finance/summary.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Income, expense and what is outstanding, per currency. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/finance/summary',
    summary: 'Summarise income and expense',
    description:
      '`from` and `to` are inclusive. `totals` are realized transactions that occurred in the range; `outstanding` are all sent and overdue invoices and pending income, whatever the range. Expenses without a category are in `totals` only. 400 `range_too_large` where the range has more transactions and categories than one call reads in two seconds.',
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

import { RevenueSourceList } from '#lib/entities/revenue-source.ts';
import { listRevenueSources } from '#lib/finance/revenue-source-store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Every revenue source, without its credential. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/finance/revenue-sources',
    summary: 'List revenue sources',
    scope: 'finance:read',
    status: 200,
    response: RevenueSourceList,
    errors: [],
  },
  ({ tx }) => listRevenueSources(tx),
);

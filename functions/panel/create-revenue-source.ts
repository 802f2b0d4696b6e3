import { roles } from '#lib/core/choices.ts';
import { CreateRevenueSource, RevenueSource } from '#lib/entities/revenue-source.ts';
import { createRevenueSource } from '#lib/finance/revenue-source-store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Makes a revenue source. Its credential is kept encrypted and never shown. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/panel/revenue-sources',
    summary: 'Create a revenue source',
    scope: 'finance:write',
    roles,
    isUndocumented: true,
    body: CreateRevenueSource,
    status: 201,
    response: RevenueSource,
    errors: ['bad_request', 'conflict'],
    location: () => '/v1/finance/revenue-sources',
    needs: ['encrypt:revenue-source'],
  },
  ({ tx, body }) => createRevenueSource(tx, body),
);

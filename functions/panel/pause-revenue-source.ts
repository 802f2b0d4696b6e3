import { roles } from '#lib/core/choices.ts';
import { Nothing } from '#lib/core/schema.ts';
import { RevenueSource } from '#lib/entities/revenue-source.ts';
import { getRevenueSource, pauseRevenueSource } from '#lib/finance/revenue-source-store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Has a revenue source pulled no more. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/panel/revenue-sources/{id}/pause',
    summary: 'Pause a revenue source',
    scope: 'finance:write',
    roles,
    isUndocumented: true,
    body: Nothing,
    status: 200,
    response: RevenueSource,
    errors: ['not_found'],
    current: (tx, { id }) => getRevenueSource(tx, id),
  },
  ({ tx, params }) => pauseRevenueSource(tx, params.id),
);

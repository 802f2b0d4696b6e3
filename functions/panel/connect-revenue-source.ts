import { roles } from '#lib/core/choices.ts';
import { ConnectRevenueSource, RevenueSource } from '#lib/entities/revenue-source.ts';
import { connectRevenueSource, getRevenueSource } from '#lib/finance/revenue-source-store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Gives a revenue source another credential, or none, and has it pulled from now on. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/panel/revenue-sources/{id}/connect',
    summary: 'Connect a revenue source',
    scope: 'finance:write',
    roles,
    isUndocumented: true,
    body: ConnectRevenueSource,
    status: 200,
    response: RevenueSource,
    errors: ['bad_request', 'not_found'],
    current: (tx, { id }) => getRevenueSource(tx, id),
    needs: ['encrypt:revenue-source'],
  },
  ({ tx, params, body }) => connectRevenueSource(tx, params.id, body.credential),
);

import * as v from 'valibot';
import { publicEndpoint } from '#lib/http/endpoint.ts';

/** Says that the API answers and can reach its table, which counts the request. */
export const handler = publicEndpoint(
  {
    method: 'GET',
    path: '/healthz',
    summary: 'Health check',
    scope: 'public',
    status: 200,
    response: v.pipe(v.object({ status: v.literal('ok') }), v.title('Health')),
    errors: [],
  },
  async () => ({ status: 'ok' as const }),
);

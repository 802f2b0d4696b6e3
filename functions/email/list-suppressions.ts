import { listOf } from '#lib/core/schema.ts';
import { listSuppressions } from '#lib/email/suppressed.ts';
import { Suppression, SuppressionQuery } from '#lib/entities/suppression.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Lists the addresses that get no sequence mail, newest first. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/email/suppressions',
    summary: 'List suppressed addresses',
    scope: 'email:read',
    hasNoTool: true,
    query: SuppressionQuery,
    status: 200,
    response: listOf(Suppression),
    errors: ['bad_request'],
  },
  ({ tx, query }) => listSuppressions(tx, query),
);

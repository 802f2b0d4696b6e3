import { Deleted } from '#lib/core/schema.ts';
import { unsuppress } from '#lib/email/suppressed.ts';
import { DeleteSuppression } from '#lib/entities/suppression.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Lets all mail go to an address again, also one whose mail has bounced. */
export const handler = endpoint(
  {
    method: 'DELETE',
    path: '/v1/email/suppressions',
    summary: 'Remove an address from the suppressions',
    scope: 'email:send',
    hasNoTool: true,
    query: DeleteSuppression,
    status: 200,
    response: Deleted,
    errors: ['bad_request', 'not_found'],
  },
  ({ tx, query }) => unsuppress(tx, query.address),
);

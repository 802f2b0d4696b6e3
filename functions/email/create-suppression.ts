import { suppress } from '#lib/email/suppressed.ts';
import { CreateSuppression, Suppression } from '#lib/entities/suppression.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Keeps an address from getting sequence mail. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/email/suppressions',
    summary: 'Suppress an address',
    scope: 'email:send',
    hasNoTool: true,
    body: CreateSuppression,
    status: 201,
    response: Suppression,
    errors: ['bad_request'],
    location: () => '/v1/email/suppressions',
  },
  ({ tx, body }) => suppress(tx, body.address, 'manual'),
);

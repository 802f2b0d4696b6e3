import { FinanceTransaction } from '#lib/entities/transaction.ts';
import { getTransaction } from '#lib/finance/transaction-store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** One transaction. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/finance/transactions/{id}',
    summary: 'Get a transaction',
    scope: 'finance:read',
    status: 200,
    response: FinanceTransaction,
    errors: ['not_found'],
  },
  ({ tx, params }) => getTransaction(tx, params.id),
);

import { CreateTransaction, FinanceTransaction } from '#lib/entities/transaction.ts';
import { createTransaction } from '#lib/finance/transaction-store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Books an income or an expense. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/finance/transactions',
    summary: 'Create a transaction',
    scope: 'finance:write',
    body: CreateTransaction,
    status: 201,
    response: FinanceTransaction,
    errors: ['bad_request'],
  },
  ({ tx, body }) => createTransaction(tx, body),
);

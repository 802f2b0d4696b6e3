import { listOf } from '#lib/core/schema.ts';
import { FinanceTransaction, TransactionQuery } from '#lib/entities/transaction.ts';
import { listTransactions } from '#lib/finance/transaction-store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Transactions, newest first; every filter may be combined with every other. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/finance/transactions',
    summary: 'List and search transactions',
    scope: 'finance:read',
    query: TransactionQuery,
    status: 200,
    response: listOf(FinanceTransaction),
    errors: ['bad_request'],
  },
  ({ tx, query }) => listTransactions(tx, query),
);

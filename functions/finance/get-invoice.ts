import { Invoice } from '#lib/entities/invoice.ts';
import { getInvoice } from '#lib/finance/invoice-store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** One invoice. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/finance/invoices/{id}',
    summary: 'Get an invoice',
    scope: 'finance:read',
    status: 200,
    response: Invoice,
    errors: ['not_found'],
  },
  ({ tx, params }) => getInvoice(tx, params.id),
);

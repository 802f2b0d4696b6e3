import { InvoiceList, InvoiceQuery } from '#lib/entities/invoice.ts';
import { listInvoices } from '#lib/finance/invoice-store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Invoices, newest first, with what is outstanding in the whole workspace. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/finance/invoices',
    summary: 'List invoices',
    scope: 'finance:read',
    query: InvoiceQuery,
    status: 200,
    response: InvoiceList,
    errors: ['bad_request'],
  },
  ({ tx, query }) => listInvoices(tx, query),
);

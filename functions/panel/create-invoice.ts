import { roles } from '#lib/core/choices.ts';
import { CreateInvoice, Invoice } from '#lib/entities/invoice.ts';
import { createInvoice } from '#lib/finance/invoice-store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Makes an invoice, a draft unless it says that it was sent. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/panel/invoices',
    summary: 'Create an invoice',
    scope: 'finance:write',
    roles,
    isUndocumented: true,
    body: CreateInvoice,
    status: 201,
    response: Invoice,
    errors: ['bad_request'],
    location: ({ id }) => `/v1/finance/invoices/${id}`,
  },
  ({ tx, body }) => createInvoice(tx, body),
);

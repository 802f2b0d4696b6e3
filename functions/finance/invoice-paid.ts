import { Invoice, PayInvoice } from '#lib/entities/invoice.ts';
import { getInvoice, payInvoice } from '#lib/finance/invoice-store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Marks an invoice as paid and books its income. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/finance/invoices/{id}/paid',
    summary: 'Mark an invoice as paid',
    scope: 'finance:write',
    body: PayInvoice,
    status: 200,
    response: Invoice,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getInvoice(tx, id),
  },
  ({ tx, params, body }) => payInvoice(tx, params.id, body.paidAt),
);

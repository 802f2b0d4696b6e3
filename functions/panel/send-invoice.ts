import { roles } from '#lib/core/choices.ts';
import { Nothing } from '#lib/core/schema.ts';
import { Invoice } from '#lib/entities/invoice.ts';
import { getInvoice, sendInvoice } from '#lib/finance/invoice-store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Says of a draft that it was sent: from now on it is owed. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/panel/invoices/{id}/send',
    summary: 'Send an invoice',
    scope: 'finance:write',
    roles,
    isUndocumented: true,
    body: Nothing,
    status: 200,
    response: Invoice,
    errors: ['not_found', 'conflict'],
    current: (tx, { id }) => getInvoice(tx, id),
  },
  ({ tx, params }) => sendInvoice(tx, params.id),
);

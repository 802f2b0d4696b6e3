import { roles } from '#lib/core/choices.ts';
import { Nothing } from '#lib/core/schema.ts';
import { Invoice } from '#lib/entities/invoice.ts';
import { cancelInvoice, getInvoice } from '#lib/finance/invoice-store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Cancels an invoice that is not paid. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/panel/invoices/{id}/cancel',
    summary: 'Cancel an invoice',
    scope: 'finance:write',
    roles,
    isUndocumented: true,
    body: Nothing,
    status: 200,
    response: Invoice,
    errors: ['not_found', 'conflict'],
    current: (tx, { id }) => getInvoice(tx, id),
  },
  ({ tx, params }) => cancelInvoice(tx, params.id),
);

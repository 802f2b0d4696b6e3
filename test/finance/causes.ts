import * as v from 'valibot';
import { CreateInvoice } from '#lib/entities/invoice.ts';
import { CreateRevenueSource } from '#lib/entities/revenue-source.ts';
import { createInvoice } from '#lib/finance/invoice-store.ts';
import { createRevenueSource } from '#lib/finance/revenue-source-store.ts';
import type { CauseEvents } from '#test/events/causing.ts';

export const causeEvents: CauseEvents = async ({ post, asOperator, contactId }) => {
  const occurredAt = '2026-11-01T00:00:00Z';
  await post('/v1/finance/transactions', { type: 'income', amount: 5, currency: 'EUR', occurredAt });
  const bill = { contactId, status: 'sent', currency: 'EUR', total: 9, issueDate: '2026-01-01' } as const;
  const paid = await asOperator((tx) =>
    createInvoice(tx, v.parse(CreateInvoice, { ...bill, invoiceNumber: '1', dueDate: '2999-01-01' })),
  );
  await post(`/v1/finance/invoices/${paid.id}/paid`);
  await asOperator((tx) =>
    createInvoice(tx, v.parse(CreateInvoice, { ...bill, invoiceNumber: '2', dueDate: '2026-01-02' })),
  );
  const pull = { mode: 'pull', feedUrl: 'http://127.0.0.1:9/', defaultCurrency: 'EUR', pullIntervalMinutes: 60 };
  await asOperator((tx) => createRevenueSource(tx, v.parse(CreateRevenueSource, { name: 'Shop', ...pull })));
};

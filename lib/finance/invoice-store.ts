import type * as v from 'valibot';
import { requireDecimals } from '#lib/core/money.ts';
import { conflict, invalidField, notFound } from '#lib/core/problem.ts';
import {
  type CreateInvoice,
  type Invoice,
  type InvoiceList,
  type InvoiceQuery,
  Invoices,
  isOwed,
} from '#lib/entities/invoice.ts';
import { referredContact } from '#lib/entities/references/referred.ts';
import { Transactions } from '#lib/entities/transaction.ts';
import { idText } from '#lib/events/changes.ts';
import { listPage } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { outstanding } from './sums.ts';
import { book } from './transaction-store.ts';

export const getInvoice = (tx: UnitOfWork, id: number): Promise<Invoice> =>
  tx.get(Invoices, { id }, () => notFound('invoice'));

/** Invoices in descending order of id; `outstanding` covers all of the workspace, whatever the filters. */
export async function listInvoices(
  tx: UnitOfWork,
  query: v.InferOutput<typeof InvoiceQuery>,
): Promise<v.InferOutput<typeof InvoiceList>> {
  const [page, owed] = await Promise.all([
    listPage(
      tx,
      Invoices,
      listingFrom(Invoices, query, {
        contactId: (contact) => ({ where: { contact } }),
        dueBefore: (day) => ({ matches: ({ dueDate }) => dueDate < day }),
      }),
    ),
    outstanding(tx, ['invoice']),
  ]);
  return { ...page, outstanding: owed };
}

/** A new invoice, as the panel makes it. Raises 400 for an unknown contact. */
export async function createInvoice(tx: UnitOfWork, input: v.InferOutput<typeof CreateInvoice>): Promise<Invoice> {
  requireDecimals('total', input.total, input.currency);
  await Promise.all([referredContact(tx, input.contactId), tx.reserveIds({ [Invoices.name]: 1 })]);
  const invoice = tx.create(Invoices, { ...input, id: await tx.nextId(Invoices), paidAt: null });
  return invoice;
}

/** Sends a draft: from now on it is owed, and becomes overdue. Raises 404, 409 for an invoice of another status. */
export async function sendInvoice(tx: UnitOfWork, id: number): Promise<Invoice> {
  const invoice = await getInvoice(tx, id);
  const { status } = invoice;
  if (status !== 'draft')
    throw conflict(
      'invoice_not_sendable',
      `the invoice is ${status}, and only a draft can be sent: create a new invoice`,
      { status },
    );
  return tx.update(Invoices, { ...invoice, status: 'sent' });
}

/** Cancels an invoice that is not paid: it is not owed any more. Raises 404, 409 for one that is paid or canceled. */
export async function cancelInvoice(tx: UnitOfWork, id: number): Promise<Invoice> {
  const invoice = await getInvoice(tx, id);
  const { status } = invoice;
  if (status !== 'draft' && !isOwed(invoice))
    throw conflict(
      'invoice_not_cancelable',
      `the invoice is already ${status} and cannot be canceled: check its status`,
      { status },
    );
  return tx.update(Invoices, { ...invoice, status: 'canceled' });
}

/**
 * Pays a sent or overdue invoice and books its income, once. Emits invoice.paid and transaction.created. Raises 409 for
 * an invoice of another status.
 */
export async function payInvoice(tx: UnitOfWork, id: number, paidAt: string | null | undefined): Promise<Invoice> {
  const [invoice] = await Promise.all([getInvoice(tx, id), tx.reserveIds({ [Transactions.name]: 1 })]);
  const { status, currency, total, contactId, invoiceNumber } = invoice;
  if (!isOwed(invoice))
    throw conflict(
      'invoice_not_payable',
      `the invoice is ${status}, and only a sent or overdue one can be paid: check its status`,
      { status },
    );
  if (paidAt && paidAt > tx.now) throw invalidField('paidAt', 'out_of_range', 'paidAt must not be in the future');
  const occurredAt = paidAt ?? tx.now;
  const paid = tx.update(Invoices, { ...invoice, status: 'paid', paidAt: occurredAt });
  const income = await book(tx, {
    ...{ type: 'income', status: 'realized', amount: total, currency, contactId, invoiceId: id, source: 'invoice' },
    description: `Invoice ${invoiceNumber}`,
    occurredAt,
  });
  tx.emit({
    kind: 'invoice.paid',
    subject: `invoice/${id}`,
    data: {
      ...eventData(invoice),
      paid_at: occurredAt,
      transaction_id: String(income.id),
      actor: tx.eventActor,
    },
  });
  return paid;
}

/** Marks a sent invoice overdue once its due date has passed. Emits invoice.overdue. Anything else stays as it is. */
export async function markOverdue(tx: UnitOfWork, id: number): Promise<void> {
  const invoice = await tx.find(Invoices, { id });
  if (invoice?.status !== 'sent' || invoice.dueDate >= tx.now) return;
  tx.update(Invoices, { ...invoice, status: 'overdue' });
  tx.emit({
    kind: 'invoice.overdue',
    subject: `invoice/${id}`,
    data: { ...eventData(invoice), due_date: invoice.dueDate },
  });
}

const eventData = ({ id, invoiceNumber, total, currency, contactId }: Invoice) => ({
  invoice_id: String(id),
  invoice_number: invoiceNumber,
  total,
  currency,
  contact_id: idText(contactId),
});

import type * as v from 'valibot';
import { changeRowsOf } from '#lib/contacts/follow.ts';
import type { Follower } from '#lib/contacts/follower.ts';
import { referredContact } from '#lib/contacts/reference.ts';
import { conflict, invalidField, notFound } from '#lib/problem.ts';
import { matching } from '#lib/table/conditions.ts';
import { listPage } from '#lib/table/list.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { type CreateInvoice, type Invoice, type InvoiceList, type InvoiceQuery, Invoices } from './invoice.ts';
import { countOutstanding, outstanding } from './sums.ts';
import { Transactions } from './transaction.ts';
import { book } from './transaction-store.ts';

export const getInvoice = (tx: Transaction, id: number): Promise<Invoice> =>
  tx.get(Invoices, { id }, () => notFound('invoice'));

/** Invoices in descending order of id; `outstanding` covers all of the workspace, whatever the filters. */
export async function listInvoices(
  tx: Transaction,
  query: v.InferOutput<typeof InvoiceQuery>,
): Promise<v.InferOutput<typeof InvoiceList>> {
  const { dueBefore } = query;
  const [page, owed] = await Promise.all([
    listPage(tx, Invoices, {
      ...query,
      indexes: [
        query.contactId !== undefined && `contact=${query.contactId}`,
        query.currency !== undefined && `currency=${query.currency}`,
        query.status !== undefined && `status=${query.status}`,
      ].filter((name) => name !== false),
      ...matching<Invoice>(dueBefore !== undefined && (({ dueDate }) => dueDate < dueBefore)),
    }),
    outstanding(tx, ['invoice']),
  ]);
  return { ...page, outstanding: owed };
}

/** A new invoice, as the panel makes it. Raises 400 for an unknown contact. */
export async function createInvoice(tx: Transaction, input: v.InferOutput<typeof CreateInvoice>): Promise<Invoice> {
  await Promise.all([referredContact(tx, input.contactId), tx.reserveIds({ [Invoices.name]: 1 })]);
  const invoice = tx.create(Invoices, { ...input, id: await tx.nextId(Invoices), paidAt: null });
  countOwed(tx, invoice, 1);
  return invoice;
}

/**
 * Pays a sent or overdue invoice and books its income, once. Emits invoice.paid and transaction.created. Raises 409 for
 * an invoice of another status.
 */
export async function payInvoice(tx: Transaction, id: number, paidAt: string | null | undefined): Promise<Invoice> {
  const [invoice] = await Promise.all([getInvoice(tx, id), tx.reserveIds({ [Transactions.name]: 1 })]);
  const { status, currency, total, contactId, invoiceNumber } = invoice;
  if (!isOwed(invoice)) throw conflict('invoice_not_payable', `a ${status} invoice cannot be paid`, { status });
  if (paidAt && paidAt > tx.now) throw invalidField('paidAt', 'out_of_range', 'paidAt must not be in the future');
  const paid = saveInvoice(tx, invoice, { ...invoice, status: 'paid', paidAt: paidAt ?? tx.now });
  const income = await book(tx, {
    ...{ type: 'income', status: 'realized', amount: total, currency, contactId, invoiceId: id, source: 'invoice' },
    description: `Invoice ${invoiceNumber}`,
    occurredAt: paid.paidAt ?? tx.now,
  });
  tx.emit({
    kind: 'invoice.paid',
    subject: `invoice/${id}`,
    data: {
      ...eventData(invoice),
      paid_at: paid.paidAt,
      transaction_id: String(income.id),
      actor: tx.eventActor,
    },
  });
  return paid;
}

/** Marks a sent invoice overdue once its due date has passed. Emits invoice.overdue. Anything else stays as it is. */
export async function markOverdue(tx: Transaction, id: number): Promise<void> {
  const invoice = await tx.find(Invoices, { id });
  if (invoice?.status !== 'sent' || invoice.dueDate >= tx.now) return;
  saveInvoice(tx, invoice, { ...invoice, status: 'overdue' });
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
  contact_id: String(contactId),
});

function saveInvoice(tx: Transaction, before: Invoice, after: Invoice): Invoice {
  countOwed(tx, before, -1);
  countOwed(tx, after, 1);
  return tx.update(Invoices, after);
}

const isOwed = ({ status }: Invoice) => status === 'sent' || status === 'overdue';

function countOwed(tx: Transaction, invoice: Invoice, sign: 1 | -1): void {
  if (isOwed(invoice)) countOutstanding(tx, 'invoice', { ...invoice, amount: invoice.total }, sign);
}

/** An invoice follows its contact through merges. */
export const invoiceFollower: Follower = {
  move: (tx, from, to) => changeRowsOf(tx, Invoices, from, (invoice) => ({ ...invoice, contactId: to.id })),
};

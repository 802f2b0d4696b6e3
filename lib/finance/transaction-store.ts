import type * as v from 'valibot';
import { requireDecimals } from '#lib/core/money.ts';
import { notFound } from '#lib/core/problem.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { presentId } from '#lib/entities/references/merged.ts';
import { referredContact, referredDeal } from '#lib/entities/references/referred.ts';
import {
  type CreateTransaction,
  type Transaction,
  type TransactionQuery,
  Transactions,
} from '#lib/entities/transaction.ts';
import { idText } from '#lib/events/changes.ts';
import { listPage, type Page, searched } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

export const getTransaction = (tx: UnitOfWork, id: number): Promise<Transaction> =>
  tx.get(Transactions, { id }, () => notFound('transaction'));

/** Transactions in descending order of id; every filter is exact and may be combined, `from` and `to` are inclusive. */
export function listTransactions(
  tx: UnitOfWork,
  query: v.InferOutput<typeof TransactionQuery>,
): Promise<Page<Transaction>> {
  return listPage(
    tx,
    Transactions,
    listingFrom(Transactions, query, {
      contactId: (contact) => ({ where: { contact } }),
      dealId: (deal) => ({ where: { deal } }),
      from: (time) => ({ matches: ({ occurredAt }) => occurredAt >= time }),
      to: (time) => ({ matches: ({ occurredAt }) => occurredAt <= time }),
      q: (q) => ({ contains: { search: searched(q) } }),
    }),
  );
}

/** Books what a caller states (contract section 8). Emits transaction.created. */
export async function createTransaction(tx: UnitOfWork, input: CreateTransaction): Promise<Transaction> {
  const [contact, deal] = await Promise.all([
    referredContact(tx, input.contactId),
    referredDeal(tx, input.dealId),
    tx.reserveIds({ [Transactions.name]: 1 }),
  ]);
  requireDecimals('amount', input.amount, input.currency);
  const { type, status, amount, currency, category = null, description = null, occurredAt } = input;
  return book(tx, {
    ...{ type, status, amount, currency, category, description, source: tx.actor.type === 'user' ? 'panel' : 'api' },
    occurredAt: occurredAt ?? tx.now,
    contactId: contact?.id ?? null,
    dealId: deal?.id ?? null,
  });
}

/** The facts of a new transaction; references that are absent are null. */
export type Booking = Omit<Transaction, 'id' | 'createdAt' | Optional> & Partial<Pick<Transaction, Optional>>;
type Optional = 'category' | 'description' | 'contactId' | 'dealId' | 'invoiceId' | 'revenueSourceId';

/** Writes a transaction with the sums it is part of. Emits transaction.created. */
export async function book(tx: UnitOfWork, booking: Booking): Promise<Transaction> {
  const transaction = tx.create(Transactions, {
    category: null,
    description: null,
    dealId: null,
    invoiceId: null,
    revenueSourceId: null,
    ...booking,
    contactId: await presentId(tx, booking.contactId ?? null),
    id: await tx.nextId(Transactions),
    createdAt: tx.now,
  });
  if (transaction.contactId !== null) tx.requireExists(Contacts, { id: transaction.contactId });
  tx.emit({
    kind: 'transaction.created',
    subject: `transaction/${transaction.id}`,
    data: {
      transaction_id: String(transaction.id),
      type: transaction.type,
      status: transaction.status,
      amount: transaction.amount,
      currency: transaction.currency,
      category: transaction.category,
      contact_id: idText(transaction.contactId),
      deal_id: idText(transaction.dealId),
      invoice_id: idText(transaction.invoiceId),
      source: transaction.source,
      actor: tx.eventActor,
    },
  });
  return transaction;
}

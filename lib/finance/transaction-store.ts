import type * as v from 'valibot';
import { Contacts } from '#lib/contacts/contact.ts';
import { changeRowsOf } from '#lib/contacts/follow.ts';
import type { Follower } from '#lib/contacts/follower.ts';
import { referredContact } from '#lib/contacts/reference.ts';
import { referredDeal } from '#lib/deals/reference.ts';
import { idText } from '#lib/events/changes.ts';
import { notFound } from '#lib/problem.ts';
import { matching } from '#lib/table/conditions.ts';
import { listPage, type Page, searching } from '#lib/table/list.ts';
import type { Transaction as UnitOfWork } from '#lib/table/transaction.ts';
import { countOutstanding, countRealized } from './sums.ts';
import { type CreateTransaction, type Transaction, type TransactionQuery, Transactions } from './transaction.ts';

export const getTransaction = (tx: UnitOfWork, id: number): Promise<Transaction> =>
  tx.get(Transactions, { id }, () => notFound('transaction'));

/** Transactions in descending order of id; every filter is exact and may be combined, `from` and `to` are inclusive. */
export function listTransactions(
  tx: UnitOfWork,
  query: v.InferOutput<typeof TransactionQuery>,
): Promise<Page<Transaction>> {
  const { from, to } = query;
  return listPage(tx, Transactions, {
    ...query,
    indexes: [
      query.contactId !== undefined && `contact=${query.contactId}`,
      query.dealId !== undefined && `deal=${query.dealId}`,
      query.category !== undefined && `category=${query.category}`,
      query.currency !== undefined && `currency=${query.currency}`,
      query.status !== undefined && `status=${query.status}`,
      query.type !== undefined && `type=${query.type}`,
    ].filter((name) => name !== false),
    texts: searching(query.q),
    ...matching<Transaction>(
      from !== undefined && (({ occurredAt }) => occurredAt >= from),
      to !== undefined && (({ occurredAt }) => occurredAt <= to),
    ),
  });
}

/** Books what a caller states (contract section 8). Emits transaction.created. */
export async function createTransaction(tx: UnitOfWork, input: CreateTransaction): Promise<Transaction> {
  const [contact, deal] = await Promise.all([
    referredContact(tx, input.contactId),
    referredDeal(tx, input.dealId),
    tx.reserveIds({ [Transactions.name]: 1 }),
  ]);
  const { type, status, amount, currency, category = null, description = null, occurredAt } = input;
  return book(tx, {
    ...{ type, status, amount, currency, category, description, source: 'api' },
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
    contactId: null,
    dealId: null,
    invoiceId: null,
    revenueSourceId: null,
    ...booking,
    id: await tx.nextId(Transactions),
    createdAt: tx.now,
  });
  if (transaction.contactId !== null) tx.demand(Contacts, { id: transaction.contactId });
  if (transaction.status === 'realized') countRealized(tx, transaction);
  else if (transaction.type === 'income') countOutstanding(tx, 'pending', transaction, 1);
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

/** A transaction follows its contact through merges. */
export const transactionFollower: Follower = {
  move: (tx, from, to) => changeRowsOf(tx, Transactions, from, (transaction) => ({ ...transaction, contactId: to.id })),
};

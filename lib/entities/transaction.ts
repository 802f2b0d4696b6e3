import * as v from 'valibot';
import { transactionSources, transactionStatuses, transactionTypes } from '#lib/core/choices.ts';
import { dayOf, monthOf } from '#lib/core/clock.ts';
import { toCents } from '#lib/core/money.ts';
import {
  choice,
  currency,
  id,
  idInput,
  money,
  nullableLine,
  nullableText,
  nullableTimeInput,
  paging,
  queryInteger,
  queryText,
  queryTime,
  storedChoice,
  time,
} from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { searchable } from '#lib/table/list.ts';

/** The fields that the API and revenue feeds share, with their limits. */
export const amount = () => money(0.01);
export const category = () => nullableLine(64);
export const description = () => nullableText(500);
export const type = () => choice(transactionTypes);

const summed = {
  type: v.picklist(transactionTypes),
  amount: v.number(),
  currency: v.string(),
  /** Sums are kept by it, as an earlier release wrote it: of any characters. */
  category: v.nullable(v.string()),
};

/** Fields of a transaction in the index of realized transactions. */
export const TransactionCopy = v.object(summed);

/** One entry of the ledger (contract section 8). */
export const FinanceTransaction = v.pipe(
  v.object({
    id: id(),
    ...summed,
    status: storedChoice(transactionStatuses),
    description: v.nullable(v.string()),
    contactId: v.nullable(id()),
    dealId: v.nullable(id()),
    invoiceId: v.nullable(id()),
    revenueSourceId: v.nullable(id()),
    source: storedChoice(transactionSources),
    occurredAt: time(),
    createdAt: time(),
  }),
  v.title('Transaction'),
);

export const CreateTransaction = v.pipe(
  v.object({
    type: type(),
    amount: amount(),
    currency: currency(),
    status: v.optional(choice(transactionStatuses), 'realized'),
    category: v.optional(category()),
    description: v.optional(description()),
    occurredAt: v.optional(nullableTimeInput()),
    contactId: v.optional(v.nullable(idInput())),
    dealId: v.optional(v.nullable(idInput())),
  }),
  v.title('CreateTransaction'),
);
export type CreateTransaction = v.InferOutput<typeof CreateTransaction>;

export const TransactionQuery = v.object({
  ...paging,
  type: v.optional(choice(transactionTypes)),
  status: v.optional(choice(transactionStatuses)),
  currency: v.optional(currency()),
  category: v.optional(queryText(64)),
  contactId: v.optional(queryInteger()),
  dealId: v.optional(queryInteger()),
  from: v.optional(queryTime()),
  to: v.optional(queryTime()),
  q: v.optional(queryText()),
});

/** Returns the group of realized transactions that are summed together. */
export const groupName = ({
  currency,
  type,
  category,
}: Pick<v.InferOutput<typeof FinanceTransaction>, 'currency' | 'type' | 'category'>) =>
  `${currency}/${type}/${category ?? ''}`;

/** A booking of money. */
export const Transactions = entity({
  name: 'transaction',
  schema: FinanceTransaction,
  references: [
    { to: 'contact', field: 'contactId' },
    { to: 'deal', field: 'dealId' },
    { to: 'invoice', field: 'invoiceId' },
    { to: 'revenue-source', field: 'revenueSourceId' },
  ],
  indexes: {
    type: ({ type }) => type,
    status: ({ status }) => status,
    currency: ({ currency }) => currency,
    category: ({ category }) => category,
    contact: ({ contactId }) => contactId,
    deal: ({ dealId }) => dealId,
    realized: {
      of: ({ status }) => status === 'realized',
      order: ({ occurredAt }) => occurredAt,
      copy: (transaction) => v.parse(TransactionCopy, transaction),
    },
    search: { copy: ({ description, category }) => searchable(description, category) },
  },
  counters: {
    /** Index of realized transactions by day. */
    realized: {
      group: 'realized/{month}',
      of: (transaction) =>
        transaction.status === 'realized' && {
          in: { month: monthOf(transaction.occurredAt) },
          name: `${dayOf(transaction.occurredAt)}/${groupName(transaction)}`,
          add: { count: 1, cents: toCents(transaction.amount, transaction.currency) },
        },
    },
    /** Income that is pending. */
    outstanding: {
      of: ({ status, type, currency, amount }) =>
        status === 'pending' &&
        type === 'income' && { name: `pending/${currency}`, add: { count: 1, cents: toCents(amount, currency) } },
    },
  },
});

export type Transaction = v.InferOutput<typeof FinanceTransaction>;

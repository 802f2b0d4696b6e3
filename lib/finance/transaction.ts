import * as v from 'valibot';
import {
  choice,
  currency,
  id,
  money,
  nullableText,
  nullableTimeInput,
  paging,
  queryInteger,
  queryText,
  time,
  timeInput,
} from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { searchEntry } from '#lib/table/list.ts';

const types = ['income', 'expense'] as const;
const statuses = ['realized', 'pending'] as const;
const sources = ['api', 'panel', 'deal', 'invoice', 'revenue_source'] as const;

const summed = {
  type: v.picklist(types),
  amount: v.number(),
  currency: v.string(),
  category: v.nullable(v.string()),
};

/** What the index of realized transactions keeps of each. */
export const TransactionCopy = v.object(summed);

/** One entry of the ledger (contract section 8). */
export const FinanceTransaction = v.pipe(
  v.object({
    id: v.number(),
    ...summed,
    status: v.picklist(statuses),
    description: v.nullable(v.string()),
    contactId: v.nullable(v.number()),
    dealId: v.nullable(v.number()),
    invoiceId: v.nullable(v.number()),
    revenueSourceId: v.nullable(v.number()),
    source: v.picklist(sources),
    occurredAt: time(),
    createdAt: time(),
  }),
  v.title('Transaction'),
);

/** The fields that the API and revenue feeds share, with their limits. */
export const amount = () => money(0.01);
export const category = () => nullableText(64);
export const description = () => nullableText(500);
export const type = () => choice(types);

export const CreateTransaction = v.pipe(
  v.object({
    type: type(),
    amount: amount(),
    currency: currency(),
    status: v.optional(choice(statuses), 'realized'),
    category: v.optional(category()),
    description: v.optional(description()),
    occurredAt: v.optional(nullableTimeInput()),
    contactId: v.optional(v.nullable(id())),
    dealId: v.optional(v.nullable(id())),
  }),
  v.title('CreateTransaction'),
);
export type CreateTransaction = v.InferOutput<typeof CreateTransaction>;

export const TransactionQuery = v.object({
  ...paging,
  type: v.optional(choice(types)),
  status: v.optional(choice(statuses)),
  currency: v.optional(currency()),
  category: v.optional(queryText(64)),
  contactId: v.optional(queryInteger()),
  dealId: v.optional(queryInteger()),
  from: v.optional(timeInput()),
  to: v.optional(timeInput()),
  q: v.optional(queryText()),
});

/** In order of time. */
export const realizedIndex = 'realized';

export const Transactions = entity({
  name: 'transaction',
  schema: FinanceTransaction,
  indexes: (transaction) => [
    { name: `type=${transaction.type}` },
    { name: `status=${transaction.status}` },
    { name: `currency=${transaction.currency}` },
    transaction.category !== null && { name: `category=${transaction.category}` },
    transaction.contactId !== null && { name: `contact=${transaction.contactId}` },
    transaction.dealId !== null && { name: `deal=${transaction.dealId}` },
    transaction.status === 'realized' && {
      name: realizedIndex,
      order: transaction.occurredAt,
      copy: v.parse(TransactionCopy, transaction),
    },
    searchEntry([transaction.description, transaction.category]),
  ],
});

export type Transaction = v.InferOutput<typeof FinanceTransaction>;

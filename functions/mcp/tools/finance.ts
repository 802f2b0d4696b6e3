import * as v from 'valibot';
import { handler as createTransaction } from '#functions/finance/create-transaction.ts';
import { handler as getInvoice } from '#functions/finance/get-invoice.ts';
import { handler as getTransaction } from '#functions/finance/get-transaction.ts';
import { handler as markPaid } from '#functions/finance/invoice-paid.ts';
import { handler as listInvoices } from '#functions/finance/list-invoices.ts';
import { handler as listRevenueSources } from '#functions/finance/list-revenue-sources.ts';
import { handler as listTransactions } from '#functions/finance/list-transactions.ts';
import { handler as summarise } from '#functions/finance/summary.ts';
import { idInput } from '#lib/core/schema.ts';
import { fields, idempotencyKey, object, paging, withFilters } from '#lib/mcp/common.ts';
import { optional, passed, pick, type Tool } from '#lib/mcp/tool.ts';

export const financeTools: Tool[] = [
  {
    name: 'finance_get',
    title: 'Read finance',
    description: 'Sums, transactions, invoices with what is outstanding, revenue feeds.',
    effect: 'reads',
    uses: {
      by: 'report',
      description: 'What',
      values: {
        summary: [summarise],
        transactions: [listTransactions, getTransaction],
        invoices: [listInvoices, getInvoice],
        revenue_sources: [listRevenueSources],
      },
    },
    takes: {
      ...withFilters(
        {
          id: passed(idInput(), 'One transaction or invoice'),
          status: passed(v.string(), 'realized, pending, draft, sent, overdue, paid, canceled'),
        },
        { summary: summarise, transactions: listTransactions, invoices: listInvoices },
        { type: '(income, expense)', from: '(ISO time)' },
      ),
      ...paging(listTransactions),
      fields,
    },
    gives: object,
    run(ask, args) {
      const isOne = args['id'] !== undefined;
      switch (args['report']) {
        case 'summary':
          return ask(summarise, args);
        case 'transactions':
          return ask(isOne ? getTransaction : listTransactions, args);
        case 'invoices':
          return ask(isOne ? getInvoice : listInvoices, args);
        default:
          return ask(listRevenueSources, args);
      }
    },
  },
  {
    name: 'finance_record',
    title: 'Book or mark paid',
    description: 'Books an income or expense, or the income of an invoice that is paid.',
    effect: 'is final',
    uses: {
      by: 'action',
      description: 'What',
      values: { create_transaction: [createTransaction], mark_invoice_paid: [markPaid] },
    },
    takes: {
      id: passed(idInput(), 'Invoice to mark'),
      ...pick(markPaid.route.body, { paidAt: 'Default now' }),
      ...optional(
        pick(createTransaction.route.body, {
          type: 'To book',
          amount: 'To book',
          currency: 'To book, ISO 4217',
          status: 'Default realized',
          category: 'Category',
          description: 'Description',
          occurredAt: 'Default now',
          contactId: 'Contact',
          dealId: 'Deal id',
        }),
      ),
      idempotencyKey,
    },
    gives: object,
    run: (ask, args) => ask(args['action'] === 'mark_invoice_paid' ? markPaid : createTransaction, args),
  },
];

import type { Noun } from './noun.ts';

const booking = {
  type: 'Whether money comes in or goes out.',
  amount:
    'The amount, above zero; `type` says the direction. At most 1,000,000,000,000, with no more decimals than its currency has.',
  currency: 'Currency of the amount, as its three letters of ISO 4217: `EUR`.',
  category: 'Purpose of the money, at most 64 characters, for example `Consulting`. Null when it has none.',
  description: 'A line about the transaction, at most 500 characters.',
  contactId: 'Id of the contact it concerns. Null when there is none.',
  dealId: 'Id of the deal it belongs to. Null when there is none.',
};

export const finance: Noun = {
  about:
    'Income, expenses, invoices, and the feeds that book revenue. Amounts of different currencies are never added up.',
  operations: {
    financeSummary:
      'Returns income, expense, and net of a range by currency, what is outstanding, and the ten largest categories of expense. Use it for a monthly report. For a range that cannot be read within two seconds it answers 400 `range_too_large`.\n\nExpenses without a category are in the totals only. `outstanding` covers everything unpaid, whatever the range.',
    financeListTransactions:
      'Lists transactions, newest first. Use the filters to read a month, a category, or the transactions of a deal. All filters must match. Amounts are not added up; use `GET /v1/finance/summary` for sums.',
    financeCreateTransaction:
      'Books income or an expense. Use it for money that no invoice, deal, or revenue feed has booked already. Emits `transaction.created`. Transactions are never changed or deleted over the API: book the opposite to correct one.',
    financeGetTransaction:
      'Returns one transaction. Use it to follow the `transactionId` of an event. Transactions do not change, so an ETag that you have keeps its worth.',
    financeListInvoices:
      'Lists invoices, newest first, with the sum of everything unpaid. Use `status=overdue` to find the customers to remind. `outstanding` covers all sent and overdue invoices, whatever the filters and the page.',
    financeGetInvoice:
      'Returns one invoice. Use it to check whether it is paid. Invoices are created, sent, and canceled in the panel; over the API they can only be marked as paid.',
    financeInvoicePaid:
      'Marks a sent or overdue invoice as paid and books its total as income. Use it when your bank reports the payment. Emits `invoice.paid` and `transaction.created`. Drafts, canceled, and paid invoices answer 409.',
    financeListRevenueSources:
      'Lists the feeds from which the workspace books revenue, with the result of the last pull. Use it to see whether a feed works. Sources are created and changed in the panel. All sources are on one page.\n\nA source of mode `pull` is read every `pullIntervalMinutes` with `GET feedUrl`, and with `Authorization: Bearer <credential>` if it has a credential. The feed must answer 2xx within 20 seconds with at most 10 MiB of JSON: an array of rows, or `{"items": [rows]}`.\n\nA row needs `id`, unique in the feed, and `amount`, above zero with at most two decimals. It may have `type`, `currency`, `category`, `description`, and `occurredAt`. Each `id` is booked once, as a realized transaction, however often the feed repeats it.\n\nWrong rows are left out and named in `lastSyncError`. If no row is right, the pull has failed. All sources of an environment, at most 50, may read 10 million rows in a UTC day. A row that is booked counts as 25; an unchanged feed counts as none.',
  },
  parameters: {
    '*': {
      contactId: 'Only records of the contact with this id.',
    },
    financeSummary: {
      from: 'Start of the range, inclusive. Default: the start of the current month in UTC.',
      to: 'End of the range, inclusive. Default: now. A range has at most 366 days.',
    },
    financeListTransactions: {
      type: 'Only income, or only expenses; both by default.',
      status: 'Only transactions that are realized, or only those that are pending; both by default.',
      category: 'Only transactions of exactly this category, for example `Consulting`.',
      dealId: 'Only transactions of the deal with this id.',
      from: 'Only transactions that occurred at or after this time.',
      to: 'Only transactions that occurred at or before this time.',
      q: 'Only transactions whose description or category contains all words of this text, in any case and with or without accents. At most 200 characters.',
    },
    financeGetInvoice: { id: 'Id of the invoice, as in `GET /v1/finance/invoices`.' },
    financeInvoicePaid: { id: 'Id of the invoice, as in `GET /v1/finance/invoices`.' },
    financeGetTransaction: { id: 'Id of the transaction, as in `GET /v1/finance/transactions`.' },
    financeListInvoices: {
      status: 'Only invoices with this status, for example `overdue`.',
      dueBefore: 'Only invoices due before this time, exclusive.',
    },
  },
  schemas: {
    FinanceSummary: {
      from: 'Start of the range that was summed up.',
      to: 'End of the range that was summed up.',
      totals: 'Realized income and expense within the range, one entry for each currency.',
      outstanding: 'Sent and overdue invoices and pending income, one entry for each currency, whatever the range.',
      topExpenseCategories: 'The ten categories with the largest expenses of the range, largest first.',
    },
    CurrencyBalance: {
      currency: 'Currency of these sums, as its three letters of ISO 4217.',
      income: 'Realized income in this currency.',
      expense: 'Realized expenses in this currency, as a positive number.',
      net: 'Income minus expense; negative when more went out.',
    },
    Outstanding: {
      currency: 'Currency of the sum, as its three letters of ISO 4217.',
      count: 'How many invoices and pending incomes are unpaid.',
      total: 'Sum of the unpaid amounts in this currency.',
    },
    ExpenseCategory: {
      category: 'Name of the category, as the transactions have it.',
      currency: 'Currency of the sum, as its three letters of ISO 4217.',
      count: 'How many expenses of the range are in the category.',
      total: 'Sum of those expenses in this currency.',
    },
    Transaction: {
      ...booking,
      id: 'Id of the transaction, unique within its environment.',
      status: 'Whether the money has moved already.',
      invoiceId: 'Id of the invoice whose payment booked it. Null when no invoice did.',
      revenueSourceId: 'Id of the revenue source that booked it. Null when no feed did.',
      source: 'Where the booking comes from.',
      occurredAt: 'When the money moved, or is expected to move.',
    },
    CreateTransaction: {
      ...booking,
      status: 'Whether the money has moved already. Default `realized`.',
      occurredAt: 'When the money moved. Default: now.',
    },
    Invoice: {
      id: 'Id of the invoice, unique within its environment.',
      invoiceNumber: 'Number printed on the invoice, for example `INV-2026-0042`.',
      status: 'How far the invoice is on its way to being paid.',
      currency: 'Currency of the total, as its three letters of ISO 4217.',
      total: 'Amount that the customer has to pay, in `currency`.',
      contactId: 'Id of the contact the invoice is for. Null when it is for nobody in the CRM.',
      issueDate: 'Date printed on the invoice, in UTC.',
      dueDate: 'Date by which it should be paid. An hourly check makes it overdue after that.',
      paidAt: 'When it was paid. Null until then.',
    },
    InvoiceList: {
      outstanding: 'All sent and overdue invoices of the workspace, one entry for each currency, whatever the filters.',
    },
    PayInvoice: { paidAt: 'When the money arrived, not in the future. Default: now.' },
    RevenueSource: {
      id: 'Id of the revenue source, unique within its environment.',
      name: 'Name of the source, as the panel shows it.',
      mode: [
        'How rows reach the CRM.',
        { pull: 'the system reads `feedUrl` at an interval', push: 'rows arrive from outside' },
      ],
      defaultCurrency: 'Currency of rows that name none.',
      isActive: 'Whether the source is read. A paused one keeps its bookings.',
      feedUrl: 'Address of the feed that is read.',
      pullIntervalMinutes: 'How many minutes lie between two pulls.',
      lastSyncStatus: [
        'Result of the last pull.',
        {
          never: 'not pulled yet',
          running: 'a pull is under way',
          ok: 'the rows were booked; `lastSyncError` names those left out',
          failed: 'nothing was booked; see `lastSyncError`',
        },
      ],
      lastSyncAt: 'When the last pull ended. Null before the first one.',
      lastSyncError: 'Why the last pull or some of its rows failed. Null when all was well.',
      totalIngested: 'Sum of everything that the source has booked.',
      lastEventAt: 'When the source last booked something new. Null if it never did.',
      nextRunAt: 'When the source will be pulled next. Null while it is paused.',
    },
    RevenueSourceList: {
      items: 'All revenue sources of the environment, on one page.',
      count: 'How many revenue sources there are.',
      totalIngested: 'Sum of everything that all sources have booked.',
    },
  },
  enums: {
    TransactionType: 'The direction of a transaction: money in (`income`) or out (`expense`).',
    TransactionStatus: [
      'Whether the money of a transaction has moved.',
      { realized: 'it has moved; the default', pending: 'it is expected' },
    ],
    TransactionSource: [
      'The origin of a booked transaction.',
      {
        api: 'a call of this API',
        panel: 'a member in the panel',
        deal: 'a deal that was won',
        invoice: 'an invoice that was paid',
        revenue_source: 'a revenue feed',
      },
    ],
    InvoiceStatus: [
      'The status of an invoice.',
      {
        draft: 'being written in the panel',
        sent: 'the customer has it',
        overdue: 'the due date has passed',
        paid: 'the money has arrived',
        canceled: 'nothing will be paid',
      },
    ],
  },
};

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createContact } from '#lib/contacts/create.ts';
import { dayMs, now, timestamp } from '#lib/core/clock.ts';
import { Problem } from '#lib/core/problem.ts';
import { operator } from '#lib/core/tenant.ts';
import { createDeal, moveDeal, patchDeal, winDeal } from '#lib/deals/store.ts';
import { createTask, patchTask, setTaskStatus } from '#lib/deals/task-store.ts';
import { createInvoice, markOverdue, payInvoice } from '#lib/finance/invoice-store.ts';
import { createTransaction } from '#lib/finance/transaction-store.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Client, everyItem } from '#test/client.ts';
import { newWorkspace } from '#test/workspace.ts';

const instantOf = (ms: number) => timestamp(new Date(ms));
const start = now() - 45 * dayMs;

const amount = fc.integer({ min: 1, max: 10_000_000 }).map((cents) => cents / 100);
const currency = fc.constantFrom('EUR', 'USD', 'JPY');
const stage = fc.constantFrom('lead', 'qualified', 'proposal', 'negotiation', 'lost');
const status = fc.constantFrom('open', 'inprogress', 'done');
const pick = fc.nat(7);
const instant = fc.integer({ min: 0, max: 44 * 86_400 }).map((seconds) => instantOf(start + seconds * 1000));

/** What may happen, each with which of the things there are. */
const step = fc.oneof(
  fc.record({ does: fc.constant('createDeal'), value: amount, currency, stage: fc.constantFrom('lead', 'proposal') }),
  fc.record({ does: fc.constant('patchDeal'), pick, value: amount, currency }),
  fc.record({ does: fc.constant('moveDeal'), pick, stage }),
  fc.record({ does: fc.constant('winDeal'), pick }),
  fc.record({ does: fc.constant('createTask'), pick: fc.option(pick), status }),
  fc.record({ does: fc.constant('patchTask'), pick, deal: fc.option(pick) }),
  fc.record({ does: fc.constant('setTaskStatus'), pick, status }),
  fc.record({
    does: fc.constant('createTransaction'),
    type: fc.constantFrom('income', 'expense'),
    status: fc.constantFrom('realized', 'pending'),
    category: fc.option(fc.constantFrom('Rent', 'a/b', '#1')),
    occurredAt: instant,
    amount,
    currency,
  }),
  fc.record({
    does: fc.constant('createInvoice'),
    status: fc.constantFrom('draft', 'sent'),
    total: amount,
    currency,
    dueDate: instant,
  }),
  fc.record({ does: fc.constant('payInvoice'), pick, paidAt: instant }),
  fc.record({ does: fc.constant('markOverdue'), pick }),
);

interface Ids {
  contactId: number;
  deals: number[];
  tasks: number[];
  invoices: number[];
}

const one = (ids: readonly number[], index: number) => ids[index % Math.max(1, ids.length)] ?? 0;

// biome-ignore lint/suspicious/noExplicitAny: a test asserts what it is.
type Row = Record<string, any>;

const does: Record<string, (tx: UnitOfWork, ids: Ids, step: Row[string]) => Promise<unknown>> = {
  createDeal: (tx, _, { value, currency, stage }) => createDeal(tx, { title: 'Deal', value, currency, stage }),
  patchDeal: (tx, { deals }, { pick, value, currency }) => patchDeal(tx, one(deals, pick), { value, currency }),
  moveDeal: (tx, { deals }, { pick, stage }) => moveDeal(tx, one(deals, pick), { stage }),
  winDeal: (tx, { deals }, { pick }) => winDeal(tx, one(deals, pick)),
  createTask: (tx, { deals }, { pick, status }) =>
    createTask(tx, { title: 'Task', status, dealId: pick === null ? null : one(deals, pick) }),
  patchTask: (tx, { tasks, deals }, { pick, deal }) =>
    patchTask(tx, one(tasks, pick), { dealId: deal === null ? null : one(deals, deal) }),
  setTaskStatus: (tx, { tasks }, { pick, status }) => setTaskStatus(tx, one(tasks, pick), status),
  createTransaction: (tx, _, { does: __, ...input }) => createTransaction(tx, input),
  createInvoice: (tx, { contactId }, { does: _, ...input }) =>
    createInvoice(tx, { ...input, contactId, invoiceNumber: 'INV', issueDate: input.dueDate }),
  payInvoice: (tx, { invoices }, { pick, paidAt }) => payInvoice(tx, one(invoices, pick), paidAt),
  markOverdue: (tx, { invoices }, { pick }) => markOverdue(tx, one(invoices, pick)),
};

interface Priced {
  currency: string;
  amount: number;
}
interface DealRow extends Priced {
  id: number;
  stage: string;
  openTaskCount: number;
}
interface TransactionRow extends Priced {
  type: string;
  status: string;
  source: string;
  category: string | null;
  dealId: number;
  invoiceId: number;
  occurredAt: string;
}
interface InvoiceRow extends Priced {
  id: number;
  status: string;
}

/** All rows of a list; `amount` is what they are worth. */
const rowsOf = async <T>(client: Client, path: string): Promise<T[]> =>
  (await everyItem(client, path, { limit: 100 })).map((row) => ({ amount: row.value ?? row.total, ...row }));

const cents = (rows: readonly { amount: number }[]) => rows.reduce((sum, row) => sum + Math.round(row.amount * 100), 0);
const perCurrency = <T extends Priced>(rows: readonly T[]) =>
  [...Map.groupBy(rows, (row) => row.currency)].sort(([a], [b]) => (a < b ? -1 : 1));

/** Everything there is, counted one by one. */
async function naive(client: Client) {
  const [deals, tasks, transactions, invoices] = await Promise.all([
    rowsOf<DealRow>(client, '/v1/deals'),
    rowsOf<{ dealId: number; status: string }>(client, '/v1/tasks'),
    rowsOf<TransactionRow>(client, '/v1/finance/transactions'),
    rowsOf<InvoiceRow>(client, '/v1/finance/invoices'),
  ]);
  const owed = invoices.filter(({ status }) => status === 'sent' || status === 'overdue');
  const pending = transactions.filter((row) => row.status === 'pending' && row.type === 'income');
  const outstanding = (rows: readonly Priced[]) =>
    perCurrency(rows).map(([currency, of]) => ({ currency, count: of.length, total: cents(of) / 100 }));
  return {
    openTaskCounts: deals.map(({ id }) => tasks.filter((task) => task.dealId === id && task.status !== 'Done').length),
    shownOpenTaskCounts: deals.map(({ openTaskCount }) => openTaskCount),
    columns: ['Lead', 'Qualified', 'Proposal', 'Negotiation', 'Won', 'Lost'].map((name) => {
      const there = deals.filter((deal) => deal.stage === name);
      const totals = perCurrency(there).map(([currency, of]) => ({ currency, total: cents(of) / 100 }));
      return { name, count: there.length, totals };
    }),
    owed: outstanding(owed),
    outstanding: outstanding([...owed, ...pending]),
    bookedDeals: transactions.filter(({ source }) => source === 'deal').map(({ dealId }) => dealId),
    bookedInvoices: transactions.filter(({ source }) => source === 'invoice').map(({ invoiceId }) => invoiceId),
    wonDeals: deals.filter((deal) => deal.stage === 'Won').map(({ id }) => id),
    paidInvoices: invoices.filter((invoice) => invoice.status === 'paid').map(({ id }) => id),
    summary: (from: string, to: string) => {
      const rows = transactions.filter(
        (row) => row.status === 'realized' && row.occurredAt >= from && row.occurredAt <= to,
      );
      const spent = rows.filter((row) => row.type === 'expense' && row.category !== null);
      return {
        totals: perCurrency(rows).map(([currency, of]) => {
          const income = cents(of.filter((row) => row.type === 'income'));
          const expense = cents(of.filter((row) => row.type === 'expense'));
          return { currency, income: income / 100, expense: expense / 100, net: (income - expense) / 100 };
        }),
        topExpenseCategories: [...Map.groupBy(spent, ({ category }) => category)]
          .flatMap(([category, within]) =>
            perCurrency(within).map(([currency, of]) => {
              return { category, currency, count: of.length, total: cents(of) / 100 };
            }),
          )
          .sort((a, b) => b.total - a.total),
      };
    },
  };
}

const sorted = (ids: readonly number[]) => [...ids].sort((a, b) => a - b);

test('every shown number equals a count of the rows under five concurrent changes', async () => {
  const ranges = fc.array(fc.tuple(instant, instant), { minLength: 4, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 60 }), ranges, async (steps, spans) => {
      const { id: workspaceId, live } = await newWorkspace();
      const run = <Result>(work: (tx: UnitOfWork) => Promise<Result>) =>
        transact({ workspaceId, env: 'live' }, operator, work);
      const contact = await run((tx) => createContact(tx, { platform: 'telegram', name: 'Ada' }));
      const ids: Ids = { contactId: contact.id, deals: [], tasks: [], invoices: [] };
      const kept: Record<string, number[]> = {
        ...{ createDeal: ids.deals, createTask: ids.tasks, createInvoice: ids.invoices },
      };
      for (let at = 0; at < steps.length; at += 5) {
        await Promise.all(
          steps.slice(at, at + 5).map(async (one) => {
            try {
              const made = await run(async (tx) => does[one.does]?.(tx, ids, one));
              if (made) kept[one.does]?.push((made as { id: number }).id);
            } catch (error) {
              // What is refused must change nothing.
              if (!(error instanceof Problem) || error.status >= 500) throw error;
            }
          }),
        );
      }
      const counted = await naive(live);
      expect(counted.shownOpenTaskCounts).toEqual(counted.openTaskCounts);
      const pipeline = (await live.get('/v1/pipelines', { kind: 'deal' })).body.items[0];
      const { columns } = (await live.get(`/v1/pipelines/${pipeline.id}`)).body;
      expect(columns.map(({ name, count, totals }: Row) => ({ name, count, totals }))).toEqual(counted.columns);
      expect((await live.get('/v1/finance/invoices', { limit: 1 })).body.outstanding).toEqual(counted.owed);
      expect(sorted(counted.bookedInvoices)).toEqual(sorted(counted.paidInvoices));
      expect(new Set(counted.bookedDeals).size).toBe(counted.bookedDeals.length);
      expect(counted.bookedDeals).toEqual(expect.arrayContaining(counted.wonDeals));
      const at = timestamp();
      for (const span of [...spans, [instantOf(start), at]]) {
        const [from, to] = [...span].sort() as [string, string];
        const { body } = await live.get('/v1/finance/summary', { from, to });
        expect(body).toEqual({ from, to, outstanding: counted.outstanding, ...counted.summary(from, to) });
      }
    }),
    { numRuns: 4, endOnFailure: true },
  );
});

test('sums of the largest amounts are shown when they exceed exact doubles', async () => {
  const { live } = await newWorkspace();
  const largest = { op: 'create', title: 'Largest', value: 1e12, probability: 100, currency: 'EUR' };
  const { body: batch } = await live.post('/v1/deals/batch', { items: Array(100).fill(largest) });
  expect(batch.succeeded).toBe(100);
  const { status, body } = await live.get('/v1/analytics/dashboard');
  expect(status).toBe(200);
  const total = [{ currency: 'EUR', total: 1e14 }];
  expect(body.deals).toMatchObject({ openValue: total, weightedValue: total });
  await live.patch('/v1/deals/1', { value: 1 }, 200);
});

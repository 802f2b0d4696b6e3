import * as v from 'valibot';
import { dayMs } from '#lib/core/clock.ts';
import { fromCents } from '#lib/core/money.ts';
import { invalidField } from '#lib/core/problem.ts';
import { count, currency, queryTime, time } from '#lib/core/schema.ts';
import { Outstanding } from '#lib/entities/invoice.ts';
import { summing } from '#lib/table/summing.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { outstanding, sumRealized } from './sums.ts';

const maxDays = 366;
const maxCategories = 10;

export const SummaryQuery = v.object({
  from: v.optional(queryTime()),
  to: v.optional(queryTime()),
  currency: v.optional(currency()),
});

/** Contract section 8. */
export const Summary = v.pipe(
  v.object({
    from: time(),
    to: time(),
    totals: v.array(
      v.pipe(
        v.object({ currency: v.string(), income: v.number(), expense: v.number(), net: v.number() }),
        v.title('CurrencyBalance'),
      ),
    ),
    outstanding: v.array(Outstanding),
    topExpenseCategories: v.array(
      v.pipe(
        v.object({ category: v.string(), currency: v.string(), count: count(), total: v.number() }),
        v.title('ExpenseCategory'),
      ),
    ),
  }),
  v.title('FinanceSummary'),
);

/** Realized totals and expense categories of a range, and all that is outstanding. One round trip. Raises 400 for a bad range, or one with too much in it. */
export async function summarise(
  tx: UnitOfWork,
  query: v.InferOutput<typeof SummaryQuery>,
): Promise<v.InferOutput<typeof Summary>> {
  const { from = `${tx.now.slice(0, 7)}-01T00:00:00Z`, to = tx.now } = query;
  requireRange(from, to);
  const [realized, owed] = await summing((meter) =>
    Promise.all([sumRealized(tx, from, to, meter), outstanding(tx, ['invoice', 'pending'])]),
  );
  const asked = (row: { currency: string }) => query.currency === undefined || row.currency === query.currency;
  const sums = realized.filter(asked);
  return {
    from,
    to,
    totals: totalsOf(sums),
    outstanding: owed.filter(asked),
    topExpenseCategories: topExpenseCategories(sums),
  };
}

function requireRange(from: string, to: string): void {
  if (from > to) throw invalidField('query.from', 'out_of_range', 'query.from must not be after query.to');
  if (new Date(to).getTime() - new Date(from).getTime() > maxDays * dayMs)
    throw invalidField('query.from', 'out_of_range', `the range must be at most ${maxDays} days`);
}

type Sum = Awaited<ReturnType<typeof sumRealized>>[number];

function totalsOf(sums: readonly Sum[]) {
  const centsOf = (rows: readonly Sum[], type: Sum['type']) =>
    rows.filter((row) => row.type === type).reduce((total, { cents }) => total + cents, 0);
  return [...Map.groupBy(sums, ({ currency }) => currency)].map(([code, rows]) => {
    const [income, expense] = [centsOf(rows, 'income'), centsOf(rows, 'expense')];
    return {
      currency: code,
      income: fromCents(income, code),
      expense: fromCents(expense, code),
      net: fromCents(income - expense, code),
    };
  });
}

/** The largest first; expenses without a category are none. */
const topExpenseCategories = (sums: readonly Sum[]) =>
  sums
    .flatMap(({ type, category, currency, count, cents }) =>
      type === 'expense' && category !== null ? [{ category, currency, count, total: fromCents(cents, currency) }] : [],
    )
    .sort((a, b) => b.total - a.total)
    .slice(0, maxCategories);

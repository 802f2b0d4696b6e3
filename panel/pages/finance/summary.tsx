import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { written as writtenTime } from '../../app/locale.ts';
import { linkTo } from '../../app/route.ts';
import { current } from '../../app/session.ts';
import { count, money } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Bars } from '../../parts/bars.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { filled } from '../../parts/filled.tsx';
import { Choice, Filters, filter } from '../../parts/filters.tsx';

const monthName = (month: Date) => writtenTime(month, { month: 'short', year: 'numeric', timeZone: 'UTC' });

/** The first instants of the last months in UTC, as bookings are summed, the oldest first; the next month's is the last. */
function months(number: number): Date[] {
  const now = new Date();
  return Array.from(
    { length: number + 1 },
    (_, at) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - number + 1 + at)),
  );
}

async function loadMonths(signal: AbortSignal, number: number) {
  const starts = months(number);
  return Promise.all(
    starts.slice(0, -1).map(async (from, at) => {
      const to = new Date(Math.min((starts[at + 1] as Date).getTime(), Date.now()));
      const query = { from: from.toISOString(), to: to.toISOString() };
      const { totals, outstanding, topExpenseCategories } = await api.get('/v1/finance/summary', {
        signal,
        params: { query },
      });
      return { label: monthName(from), totals, outstanding, topExpenseCategories };
    }),
  );
}

export function Summary() {
  const number = Number(filter('months') ?? 6);
  const asked = useLoaded(
    (signal) => loadMonths(signal, number === 12 ? 12 : 6),
    [number],
    touching('transaction', 'invoice'),
  );
  const { data, error, reload } = asked;
  if (error !== undefined && !data) return <Failure error={error} again={reload} />;
  const found = (data ?? []).flatMap(({ totals, outstanding }) => [...totals, ...outstanding]);
  const own = current.value?.workspace.currency ?? 'EUR';
  const currencies = [...new Set(found.map(({ currency }) => currency))].sort();
  const usual = currencies.includes(own) ? own : (currencies[0] ?? own);
  const chosen = filter('currency') ?? usual;
  const written = (value: number) => money(value, chosen);
  const of = (totals: readonly { currency: string; income: number; expense: number }[]) =>
    totals.find(({ currency }) => currency === chosen);
  const bars = data?.map(({ label, totals }) => ({
    label,
    values: [of(totals)?.income ?? 0, of(totals)?.expense ?? 0],
  }));
  const sum = (at: number) => (bars ?? []).reduce((total, { values }) => total + (values[at] ?? 0), 0);
  const newest = data?.at(-1);
  const owed = newest?.outstanding.find(({ currency }) => currency === chosen);
  const spent = (newest?.topExpenseCategories ?? []).filter(({ currency }) => currency === chosen);
  if (data && found.length === 0)
    return (
      <Empty title={t.finance.noMoneyHasMovedYet}>
        <p>
          {filled(t.finance.wonDealsAndPaidInvoices, {
            a: <a href={linkTo('/finance/transactions')}>{t.finance.transactions}</a>,
          })}
        </p>
      </Empty>
    );
  const known = (value: number) => (newest === undefined ? undefined : written(value));
  const figures: readonly [string, string | undefined][] = [
    [t.finance.income, known(sum(0))],
    [t.finance.expenses, known(sum(1))],
    [t.finance.net, known(sum(0) - sum(1))],
    [t.finance.outstanding(count(owed?.count ?? 0)), known(owed?.total ?? 0)],
  ];
  return (
    <>
      <Filters>
        <Choice
          label={t.common.currency}
          name="currency"
          all={t.finance.default(usual)}
          options={currencies.filter((currency) => currency !== usual).map((currency) => [currency, currency])}
        />
        <Choice label={t.finance.range} name="months" all={t.finance.n6Months} options={[['12', '12 months']]} />
      </Filters>
      <div class="cards" aria-busy={asked.isLoading}>
        {figures.map(([title, value]) => (
          <div key={title} class="card figure">
            <p class="muted">{title}</p>
            <p class="value">{value ?? <span class="skeleton">&nbsp;</span>}</p>
          </div>
        ))}
      </div>
      <section class="card" aria-label={t.finance.byMonth}>
        <Bars
          title={t.finance.incomeAndExpensesIn(chosen)}
          series={[
            { title: t.finance.income, name: 'second' },
            { title: t.finance.expenses, name: 'first' },
          ]}
          bars={bars}
          of={t.finance.month}
          written={written}
        />
      </section>
      {spent.length > 0 && (
        <section class="card" aria-labelledby="spent">
          <h2 id="spent">{t.finance.largestExpensesOfThisMonth}</h2>
          <dl class="facts">
            {spent.map(({ category, total }) => (
              <div key={category}>
                <dt>{category}</dt>
                <dd>{written(total)}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
    </>
  );
}

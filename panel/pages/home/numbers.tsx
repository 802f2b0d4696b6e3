import type { ComponentChildren } from 'preact';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { number, timeZone } from '../../app/locale.ts';
import { linkTo } from '../../app/route.ts';
import { current } from '../../app/session.ts';
import { count, dayDate, money, percent } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Bars } from '../../parts/bars.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Choice, filter } from '../../parts/filters.tsx';
import { dayStart, localDate } from '../../parts/local-time.ts';

const periods = () => [['1', t.common.today] as const, ['30', t.home.theLast30Days] as const];

/** Reads the figures of so many days, today's included, and of as long a time before, both in the member's zone. */
async function load(signal: AbortSignal, days: number) {
  const zone = { timeZone: timeZone.value };
  const dashboard = (from: Date, to: Date) =>
    api.get('/v1/analytics/dashboard', {
      signal,
      params: { query: { from: from.toISOString(), to: to.toISOString(), ...zone } },
    });
  // The day is not over: the time before ends as early as this one does.
  const then = new Date(Date.now() - days * 86_400_000);
  const [now, before, messaging] = await Promise.all([
    dashboard(dayStart(1 - days), new Date()),
    dashboard(dayStart(1 - 2 * days), then),
    api.get('/v1/analytics/messaging', {
      signal,
      params: { query: { groupBy: 'day', from: localDate(dayStart(1 - Math.max(days, 7))), ...zone } },
    }),
  ]);
  return { now, before, bars: messaging.items };
}

type Dashboard = Awaited<ReturnType<typeof load>>['now'];

/** The numbers of the workspace, compared with the period before. */
export function Numbers() {
  const days = Number(filter('days')) || 7;
  const { data, error, reload } = useLoaded(
    (signal) => load(signal, days),
    [days, timeZone.value],
    touching('contact', 'message', 'deal', 'task', 'email', 'job'),
  );
  if (error !== undefined && !data) return <Failure error={error} again={reload} />;
  const figures: readonly [title: string, link: string, of: (dashboard: Dashboard) => number][] = [
    [t.home.messagesReceived, linkTo('/inbox'), ({ messages }) => messages.received],
    [t.home.messagesSent, linkTo('/developers/jobs'), ({ messages }) => messages.sent],
    [t.home.newContacts, linkTo('/contacts'), ({ contacts }) => contacts.new],
    [t.home.tasksDone, linkTo('/tasks', { assignee: 'all' }), ({ tasks }) => tasks.completed],
    [t.home.dealsWon, linkTo('/deals'), ({ deals }) => deals.won],
  ];
  return (
    <section aria-labelledby="numbers">
      <div class="row">
        <h2 id="numbers" class="section">
          {t.home.numbers}
        </h2>
        <Choice label={t.home.period} name="days" all={t.home.theLast7Days} options={periods()} />
      </div>
      <div class="cards">
        {figures.map(([title, link, of]) => (
          <div key={title} class="card figure">
            <a href={link}>{title}</a>
            <p class="value">{data ? count(of(data.now)) : <span class="skeleton">&nbsp;</span>}</p>
            <p class="hint">{data ? compared(of(data.now), of(data.before)) : '…'}</p>
          </div>
        ))}
      </div>
      <div class="card">
        <Bars
          title={t.home.messagesADay}
          series={[
            { title: t.common.received, name: 'first' },
            { title: t.home.sent, name: 'second' },
          ]}
          bars={data?.bars.map(({ key, received, sent }) => ({
            label: dayDate(`${key}T00:00:00Z`),
            values: [received, sent],
          }))}
        />
      </div>
      {data && <Outcomes {...data} />}
    </section>
  );
}

/** `+50 % · 8 before that`; without a percentage where nothing was before. */
function compared(now: number, before: number): string {
  const said = t.home.beforeThat(count(before));
  if (before === 0) return said;
  return `${number(now / before - 1, { style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits: 0 })} · ${said}`;
}

function Outcomes({ now, before }: { now: Dashboard; before: Dashboard }) {
  const rates = (of: (dashboard: Dashboard) => number | null, shown: (value: number) => string) => {
    const [value, earlier] = [of(now), of(before)];
    return `${value === null ? '–' : shown(value)}${earlier === null ? '' : ` (${t.home.beforeThat(shown(earlier))})`}`;
  };
  const rows: readonly [string, ComponentChildren][] = [
    [t.home.openDeals, <Totals key="open" of={now.deals.openValue} />],
    [t.home.weightedByProbability, <Totals key="weighted" of={now.deals.weightedValue} />],
    [t.common.won, <Totals key="won" of={now.deals.wonValue} />],
    [t.home.winRate, rates(({ deals }) => deals.winRate, percent)],
    [t.home.replyRate, rates(({ messages }) => messages.replyRate, percent)],
    [t.home.medianTimeToTheFirst, rates(({ medianFirstReplySeconds }) => medianFirstReplySeconds, duration)],
  ];
  return (
    <dl class="card facts">
      {rows.map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Sums, each in its currency: that of the workspace first. There is no sum of all, because nobody has said at which rate. */
function Totals({ of }: { of: readonly { currency: string; total: number }[] }) {
  const own = current.value?.workspace.currency;
  const sorted = of.toSorted((one, other) => Number(other.currency === own) - Number(one.currency === own));
  if (sorted.length === 0) return '–';
  return (
    <>
      {sorted.map(({ total, currency }) => (
        <span key={currency} class="line">
          {money(total, currency)}
        </span>
      ))}
      {sorted.length > 1 && <span class="line hint">{t.home.eachInItsCurrency}</span>}
    </>
  );
}

function duration(seconds: number): string {
  if (seconds < 90) return `${count(seconds)} s`;
  if (seconds < 5400) return t.home.min(count(Math.round(seconds / 60)));
  return seconds < 172_800
    ? `${count(Math.round(seconds / 3600))} h`
    : t.home.days(count(Math.round(seconds / 86_400)));
}

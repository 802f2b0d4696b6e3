import { api } from '../app/api.ts';
import { touching } from '../app/live.ts';
import { useLoaded } from '../app/load.ts';
import type { Forms } from '../app/locale.ts';
import { may } from '../app/session.ts';
import { count, counted, money, percent, shortDate } from '../app/show.ts';
import { t } from '../app/texts.ts';
import { Bars } from '../parts/bars.tsx';
import { Failure } from '../parts/failure.tsx';
import { Head } from '../parts/head.tsx';
import { SetUp, useStepsLeft } from './home/set-up.tsx';

export default function Home() {
  const { steps, isPending } = useStepsLeft();
  return (
    <>
      <Head title={t.common.home} />
      <SetUp steps={steps} />
      {/* Asked for meanwhile, but not shown where the steps would push it down. */}
      <div hidden={isPending}>
        {may('analytics:read') ? (
          <>
            <Today />
            <Month />
          </>
        ) : (
          <p>{t.home.yourRoleMayNotSee}</p>
        )}
      </div>
    </>
  );
}

const noun = touching('contact', 'message', 'deal', 'task', 'email', 'job');

function midnight(): string {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate()).toISOString();
}

function Today() {
  const { data, error, reload } = useLoaded(
    (signal) => api.get('/v1/analytics/dashboard', { signal, params: { query: { from: midnight() } } }),
    [],
    noun,
  );
  if (error !== undefined && !data) return <Failure error={error} again={reload} />;
  const figures: readonly [title: string, value: string | undefined, link: string, hint: string][] = [
    [
      t.home.messagesReceived,
      data && count(data.messages.received),
      '#/inbox',
      hintOf(data?.contacts.withUnread, t.units.unreadConversation),
    ],
    [
      t.home.messagesSent,
      data && count(data.messages.sent),
      '#/developers/jobs',
      hintOf(data?.messages.failed, t.units.failed),
    ],
    [
      t.home.newContacts,
      data && count(data.contacts.new),
      '#/contacts',
      t.home.of(data ? count(data.contacts.total) : '…'),
    ],
    [t.home.tasksDone, data && count(data.tasks.completed), '#/tasks', hintOf(data?.tasks.overdue, t.units.overdue)],
    [t.home.dealsWon, data && count(data.deals.won), '#/deals', hintOf(data?.deals.open, t.units.open)],
  ];
  return (
    <section aria-labelledby="today">
      <h2 id="today" class="section">
        {t.common.today}
      </h2>
      <div class="cards">
        {figures.map(([title, value, link, hint]) => (
          <div key={title} class="card figure">
            <a href={link}>{title}</a>
            <p class="value">{value ?? <span class="skeleton">&nbsp;</span>}</p>
            <p class="hint">{hint}</p>
          </div>
        ))}
      </div>
    </section>
  );
}

const hintOf = (number: number | undefined, forms: Forms) => (number === undefined ? '…' : counted(number, forms));

function Month() {
  const asked = useLoaded(
    async (signal) => {
      const [messaging, dashboard] = await Promise.all([
        api.get('/v1/analytics/messaging', { signal, params: { query: { groupBy: 'day' } } }),
        api.get('/v1/analytics/dashboard', { signal }),
      ]);
      return { messaging, dashboard };
    },
    [],
    noun,
  );
  const { data, error, reload } = asked;
  if (error !== undefined && !data) return <Failure error={error} again={reload} />;
  const bars = (data?.messaging.items ?? []).map(({ key, received, sent }) => ({
    label: shortDate(`${key}T12:00:00Z`),
    values: [received, sent],
  }));
  return (
    <section aria-labelledby="month">
      <h2 id="month" class="section">
        {t.home.theLast30Days}
      </h2>
      <div class="card">
        <Bars
          title={t.home.messagesADay}
          series={[
            { title: t.common.received, name: 'first' },
            { title: t.home.sent, name: 'second' },
          ]}
          bars={bars}
        />
      </div>
      {data && <Outcomes {...data} />}
    </section>
  );
}

type Dashboard = Awaited<ReturnType<typeof api.get<'/v1/analytics/dashboard'>>>;

function Outcomes({ dashboard: { deals, messages, medianFirstReplySeconds } }: { dashboard: Dashboard }) {
  const rows: readonly [string, string][] = [
    [t.home.openDeals, totals(deals.openValue)],
    [t.home.weightedByProbability, totals(deals.weightedValue)],
    [t.common.won, totals(deals.wonValue)],
    [t.home.winRate, deals.winRate === null ? '–' : percent(deals.winRate)],
    [t.home.replyRate, messages.replyRate === null ? '–' : percent(messages.replyRate)],
    [t.home.medianTimeToTheFirst, medianFirstReplySeconds === null ? '–' : duration(medianFirstReplySeconds)],
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

const totals = (of: readonly { currency: string; total: number }[]) =>
  of.length === 0 ? '–' : of.map(({ total, currency }) => money(total, currency)).join(' · ');

function duration(seconds: number): string {
  if (seconds < 90) return `${count(seconds)} s`;
  if (seconds < 5400) return t.home.min(count(Math.round(seconds / 60)));
  return seconds < 172_800
    ? `${count(Math.round(seconds / 3600))} h`
    : t.home.days(count(Math.round(seconds / 86_400)));
}

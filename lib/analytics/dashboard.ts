import * as v from 'valibot';
import { dayMs, firstCountedMonth, monthOf } from '#lib/core/clock.ts';
import { fromCents, toCents } from '#lib/core/money.ts';
import { CurrencyTotal, count, queryInteger, time } from '#lib/core/schema.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { countedDeals, Deals } from '#lib/entities/deal.ts';
import { Threads } from '#lib/entities/email-thread.ts';
import { Jobs } from '#lib/entities/job.ts';
import { Tasks } from '#lib/entities/task.ts';
import { type Sums as Counted, readCounters } from '#lib/table/counters.ts';
import type { By, Entity } from '#lib/table/entity.ts';
import { type EntryRow, entries } from '#lib/table/entries.ts';
import type { Meter } from '#lib/table/pages.ts';
import { summing } from '#lib/table/summing.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Range, rangeOf, rangeQuery } from './range.ts';
import { ratio } from './replies.ts';
import { eachMessage, Traffic } from './traffic.ts';

export const DashboardQuery = v.object({ ...rangeQuery, pipelineId: v.optional(queryInteger()) });

const rate = v.nullable(v.number());
const totals = v.array(CurrencyTotal);

/** Contract section 11. */
export const Dashboard = v.pipe(
  v.object({
    from: time(),
    to: time(),
    contacts: v.object({ total: count(), new: count(), withUnread: count() }),
    messages: v.object({ sent: count(), received: count(), failed: count(), replyRate: rate }),
    deals: v.object({
      open: count(),
      won: count(),
      lost: count(),
      winRate: rate,
      openValue: totals,
      weightedValue: totals,
      wonValue: totals,
    }),
    tasks: v.object({ open: count(), overdue: count(), completed: count() }),
    email: v.object({ openThreads: count(), unread: count() }),
    medianFirstReplySeconds: v.nullable(v.number()),
  }),
  v.title('Dashboard'),
);
type Dashboard = v.InferOutput<typeof Dashboard>;

/**
 * The figures of a range. What is open, overdue or unread is as of now; new, won, lost, completed and all messages are of the
 * range. Raises 400 for a bad range, or one with more than one call may read.
 */
export const analyseDashboard = (tx: UnitOfWork, query: v.InferOutput<typeof DashboardQuery>): Promise<Dashboard> => {
  const { from, to } = rangeOf(tx, query);
  return summing((meter) => analyseRange(tx, { from, to }, query.pipelineId, meter));
};

async function analyseRange(
  tx: UnitOfWork,
  range: Range,
  pipelineId: number | undefined,
  meter: Meter,
): Promise<Dashboard> {
  const traffic = new Traffic();
  const [contacts, deals, tasks, email, failed] = await Promise.all([
    contactFigures(tx, range, meter),
    dealFigures(tx, range, pipelineId, meter),
    taskFigures(tx, range, meter),
    readCounters(tx, Threads, 'email'),
    countOf(entriesWithin(tx, Jobs, { failed: true }, range, meter)),
    eachMessage(tx, range, meter, (message) => traffic.addMessage(message)),
  ]);
  const { open: openThreads = 0, unread = 0 } = email.get('threads') ?? {};
  return {
    ...range,
    contacts,
    messages: { ...traffic.sums, failed },
    deals,
    tasks,
    email: { openThreads, unread },
    medianFirstReplySeconds: traffic.conversations.medianFirstReplySeconds,
  };
}

async function contactFigures(tx: UnitOfWork, range: Range, meter: Meter): Promise<Dashboard['contacts']> {
  const stages = readCounters(tx, Contacts, 'contacts').then((sums) => [...sums.values()]);
  const [counted, created, withUnread] = await Promise.all([
    stages,
    countCreated(tx, range, stages, meter),
    stages.then((sums) => sum(sums, 'unread')),
  ]);
  return { total: sum(counted, 'count'), new: created, withUnread };
}

/** A range that is shorter is looked through. */
const halfMonthMs = 15 * dayMs;

/** Returns the number of contacts created in a range. Months have counters; at each end the shorter part of a month is read. */
async function countCreated(tx: UnitOfWork, range: Range, stages: Promise<Sums[]>, meter: Meter): Promise<number> {
  if (Date.parse(range.to) - Date.parse(range.from) < halfMonthMs)
    return countOf(entriesWithin(tx, Contacts, { created: true }, range, meter));
  const within = (above: string, below: string) =>
    countOf(entries(tx, Contacts, { created: true }, { above, below, meter }));
  const countBefore = async (key: string) => {
    const month = monthOf(key);
    if (month <= firstCountedMonth) return within('', key);
    // Nobody is made after now.
    const isPast = key <= tx.now;
    const isLate = !isPast || key > `${month}-15`;
    const [sums, others] = await Promise.all([
      stages,
      isPast ? (isLate ? within(key, `${month}~`) : within(month, key)) : 0,
    ]);
    const months = sums.flatMap((one) => Object.entries(one).filter(([name]) => isMonth.test(name)));
    const counted = months.reduce(
      (total, [name, count]) => total + (name < month || (isLate && name === month) ? Number(count) : 0),
      0,
    );
    return isLate ? counted - others : counted + others;
  };
  const [before, after] = await Promise.all([countBefore(range.from), countBefore(`${range.to}~`)]);
  return after - before;
}

const isMonth = /^\d{4}-\d\d$/;

/** Returns the figures of the deals of one board, or of all. */
async function dealFigures(
  tx: UnitOfWork,
  range: Range,
  pipelineId: number | undefined,
  meter: Meter,
): Promise<Dashboard['deals']> {
  const isMeant = (of: Readonly<Record<string, unknown>>) =>
    pipelineId === undefined || of['pipelineId'] === pipelineId;
  const [counters, closed] = await Promise.all([
    readCounters(tx, Deals, 'deals'),
    closedDeals(entriesWithin(tx, Deals, { closed: true }, range, meter), isMeant),
  ]);
  const open = [...counters]
    .map(([name, sums]) => ({ ...sums, ...countedDeals(name) }))
    .filter((counted) => counted.stage !== 'won' && counted.stage !== 'lost' && isMeant(counted));
  const won = sum([...closed.won.values()], 'count');
  return {
    open: sum(open, 'count'),
    won,
    lost: closed.lost,
    winRate: ratio(won, won + closed.lost),
    openValue: perCurrency(open, 'cents', 1),
    weightedValue: perCurrency(open, 'weighted', 100),
    wonValue: perCurrency([...closed.won.values()], 'cents', 1),
  };
}

async function closedDeals(pages: AsyncIterable<readonly EntryRow[]>, isMeant: (copy: EntryRow) => boolean) {
  const won = new Map<string, { currency: string; count: number; cents: number }>();
  let lost = 0;
  for await (const page of pages) {
    for (const copy of page.filter(isMeant)) {
      if (copy['stage'] !== 'won') {
        lost += 1;
        continue;
      }
      const currency = copy['currency'] as string;
      const { count, cents } = won.get(currency) ?? { count: 0, cents: 0 };
      won.set(currency, { currency, count: count + 1, cents: cents + toCents(copy['value'] as number, currency) });
    }
  }
  return { won, lost };
}

async function taskFigures(tx: UnitOfWork, range: Range, meter: Meter): Promise<Dashboard['tasks']> {
  const counters = readCounters(tx, Tasks, 'tasks', {}, meter);
  const [counted, overdue, completed] = await Promise.all([
    counters,
    countOverdue(tx, counters, meter),
    countOf(entriesWithin(tx, Tasks, { completed: true }, range, meter)),
  ]);
  return { open: counted.get('open')?.['count'] ?? 0, overdue, completed };
}

/** The months before this one are counted; what is due in this one is looked through. */
async function countOverdue(tx: UnitOfWork, counters: Promise<Counted>, meter: Meter): Promise<number> {
  const month = monthOf(tx.now);
  const [counted, others] = await Promise.all([
    counters,
    countOf(entries(tx, Tasks, { due: true }, { above: month, below: tx.now, meter })),
  ]);
  const isOver = (name: string) => name.startsWith('due/') && name < `due/${month}`;
  const over = [...counted].filter(([name]) => isOver(name)).map(([, sums]) => sums);
  return sum(over, 'count') + others;
}

/** The entries of an ordered index whose time is in the range. */
const entriesWithin = <E extends Entity>(
  tx: UnitOfWork,
  of: E,
  by: By<E>,
  { from, to }: Range,
  meter: Meter,
): AsyncGenerator<EntryRow[]> =>
  // Keys are `<time>#<id>`: `~` is behind every id of that time, and the bare time before.
  entries(tx, of, by, { above: from, below: `${to}~`, meter });

/** Page by page: nobody keeps them all. */
async function countOf(pages: AsyncIterable<readonly EntryRow[]>): Promise<number> {
  let count = 0;
  for await (const page of pages) count += page.length;
  return count;
}

type Sums = Record<string, unknown>;

const sum = (rows: readonly Sums[], attribute: string): number =>
  rows.reduce((total, row) => total + ((row[attribute] as number | undefined) ?? 0), 0);

/** Totals of the currencies in which there is something. */
function perCurrency(rows: readonly (Sums & { currency: string })[], attribute: string, divisor: number) {
  return [...Map.groupBy(rows, ({ currency }) => currency)]
    .filter(([, of]) => sum(of, 'count') > 0)
    .map(([currency, of]) => ({ currency, total: fromCents(Math.round(sum(of, attribute) / divisor), currency) }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

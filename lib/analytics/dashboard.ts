import * as v from 'valibot';
import { Contacts } from '#lib/entities/contact.ts';
import { Deals } from '#lib/entities/deal.ts';
import { Threads } from '#lib/entities/email-thread.ts';
import { Tasks } from '#lib/entities/task.ts';
import { fromCents, toCents } from '#lib/money.ts';
import { time } from '#lib/schema.ts';
import { readCounters } from '#lib/table/counters.ts';
import type { By, Entity } from '#lib/table/entity.ts';
import { type EntryRow, entries } from '#lib/table/entries.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { sumsOf } from './messaging.ts';
import { type Range, rangeOf, rangeQuery } from './range.ts';
import { medianFirstReplySeconds, ratio } from './replies.ts';
import { readTraffic } from './traffic.ts';

export const DashboardQuery = v.object(rangeQuery);

const count = v.number();
const rate = v.nullable(v.number());
const totals = v.array(v.object({ currency: v.string(), total: v.number() }));

/** Contract section 11. */
export const Dashboard = v.pipe(
  v.object({
    from: time(),
    to: time(),
    contacts: v.object({ total: count, new: count, withUnread: count }),
    messages: v.object({ sent: count, received: count, failed: count, replyRate: rate }),
    deals: v.object({
      open: count,
      won: count,
      lost: count,
      winRate: rate,
      openValue: totals,
      weightedValue: totals,
      wonValue: totals,
    }),
    tasks: v.object({ open: count, overdue: count, completed: count }),
    email: v.object({ openThreads: count, unread: count }),
    medianFirstReplySeconds: v.nullable(v.number()),
  }),
  v.title('Dashboard'),
);
type Dashboard = v.InferOutput<typeof Dashboard>;

/**
 * The figures of a range. What is open, overdue or unread is as of now; new, won, lost, completed and all messages are of the
 * range. Raises 400 for a bad range.
 */
export async function analyseDashboard(
  tx: UnitOfWork,
  query: v.InferOutput<typeof DashboardQuery>,
): Promise<Dashboard> {
  const range = rangeOf(tx, query);
  const [contacts, traffic, deals, tasks, email] = await Promise.all([
    contactFigures(tx, range),
    readTraffic(tx, range),
    dealFigures(tx, range),
    taskFigures(tx, range),
    readCounters(tx, [Threads], 'email'),
  ]);
  const { open: openThreads = 0, unread = 0 } = email.get('threads') ?? {};
  return {
    ...range,
    contacts,
    messages: sumsOf(traffic),
    deals,
    tasks,
    email: { openThreads, unread },
    medianFirstReplySeconds: medianFirstReplySeconds(traffic.messages),
  };
}

async function contactFigures(tx: UnitOfWork, range: Range): Promise<Dashboard['contacts']> {
  const [stages, created, unread] = await Promise.all([
    readCounters(tx, [Contacts], 'contacts'),
    countOf(entriesBetween(tx, Contacts, { created: true }, range)),
    countOf(entries(tx, Contacts, { unread: true })),
  ]);
  return { total: sum([...stages.values()], 'count'), new: created, withUnread: unread };
}

async function dealFigures(tx: UnitOfWork, range: Range): Promise<Dashboard['deals']> {
  const [counters, closed] = await Promise.all([
    readCounters(tx, [Deals], 'deals'),
    allOf(entriesBetween(tx, Deals, { closed: true }, range)),
  ]);
  const open = [...counters]
    .map(([name, sums]) => ({ ...sums, stage: name.split('/')[0], currency: name.split('/')[1] as string }))
    .filter(({ stage }) => stage !== 'won' && stage !== 'lost');
  const won = closed
    .filter((copy) => copy['stage'] === 'won')
    .map((copy) => ({ currency: copy['currency'] as string, count: 1, cents: toCents(copy['value'] as number) }));
  const lost = closed.length - won.length;
  return {
    open: sum(open, 'count'),
    won: won.length,
    lost,
    winRate: ratio(won.length, closed.length),
    openValue: perCurrency(open, 'cents', 1),
    weightedValue: perCurrency(open, 'weighted', 100),
    wonValue: perCurrency(won, 'cents', 1),
  };
}

async function taskFigures(tx: UnitOfWork, range: Range): Promise<Dashboard['tasks']> {
  const [counters, overdue, completed] = await Promise.all([
    readCounters(tx, [Tasks], 'tasks'),
    countOf(entriesBetween(tx, Tasks, { due: true }, { from: '', to: tx.now }, 'before')),
    countOf(entriesBetween(tx, Tasks, { completed: true }, range)),
  ]);
  return { open: counters.get('open')?.['count'] ?? 0, overdue, completed };
}

/** The entries of an ordered index whose time is in the range, or before its end. */
function entriesBetween<E extends Entity>(
  tx: UnitOfWork,
  of: E,
  by: By<E>,
  { from, to }: Range,
  end: 'within' | 'before' = 'within',
): AsyncGenerator<EntryRow[]> {
  // Keys are `<time>#<id>`: `~` is behind every id of that time, and the bare time before.
  const below = end === 'within' ? `${to}~` : to;
  return entries(tx, of, by, { ...(from && { above: from }), below });
}

async function allOf(pages: AsyncIterable<readonly EntryRow[]>): Promise<EntryRow[]> {
  const found: EntryRow[] = [];
  for await (const page of pages) found.push(...page);
  return found;
}

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
    .map(([currency, of]) => ({ currency, total: fromCents(Math.round(sum(of, attribute) / divisor)) }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

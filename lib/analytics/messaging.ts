import * as v from 'valibot';
import { channels } from '#lib/core/channel.ts';
import { dayMs, daysBetween, shifted } from '#lib/core/clock.ts';
import { choice, count, id, queryInteger, time } from '#lib/core/schema.ts';
import type { Zone } from '#lib/core/zone.ts';
import { Accounts } from '#lib/entities/account.ts';
import { listAll } from '#lib/table/list.ts';
import type { Meter } from '#lib/table/pages.ts';
import { summing } from '#lib/table/summing.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Range, rangeOf, rangeQuery } from './range.ts';
import { eachOfTraffic, type SeenMessage, Traffic } from './traffic.ts';

const groupings = ['day', 'week', 'month', 'account'] as const;

export const MessagingQuery = v.object({
  ...rangeQuery,
  groupBy: v.optional(choice(groupings), 'day'),
  channel: v.optional(choice(channels)),
  accountId: v.optional(queryInteger()),
});

const sums = {
  sent: count(),
  failed: count(),
  received: count(),
  replyRate: v.nullable(v.number()),
};

/** Contract section 11. */
export const Messaging = v.pipe(
  v.object({
    from: time(),
    to: time(),
    groupBy: v.picklist(groupings),
    totals: v.object({ queued: count(), ...sums, uniqueContacts: count() }),
    items: v.array(
      v.pipe(
        v.object({ key: v.pipe(v.string(), v.examples(['2026-11-20'])), accountId: v.nullable(id()), ...sums }),
        v.title('MessagingAnalyticsItem'),
      ),
    ),
  }),
  v.title('MessagingAnalytics'),
);

type Query = v.InferOutput<typeof MessagingQuery>;
type Place = Pick<SeenMessage, 'channel' | 'accountId' | 'at'>;

/**
 * Messages sent, failed and received in a range, in all and per period or account. Raises 400 for a bad range, or one with more than
 * one call may read.
 */
export const analyseMessaging = (tx: UnitOfWork, query: Query): Promise<v.InferOutput<typeof Messaging>> => {
  const { zone, ...range } = rangeOf(tx, query);
  return summing((meter) => analyseRange(tx, query, range, zone, meter));
};

async function analyseRange(
  tx: UnitOfWork,
  { groupBy, channel, accountId }: Query,
  range: Range,
  zone: Zone,
  meter: Meter,
) {
  const totals = new Traffic();
  const groups = new Map<string, Traffic>();
  const sumsOf = (place: Place): Traffic[] => {
    if (channel !== undefined && place.channel !== channel) return [];
    if (accountId !== undefined && place.accountId !== accountId) return [];
    const key = groupBy === 'account' ? String(place.accountId) : periodOf(zone.day(place.at), groupBy);
    const group = groups.get(key) ?? new Traffic();
    groups.set(key, group);
    return [totals, group];
  };
  const [accounts] = await Promise.all([
    groupBy === 'account' ? listAll(tx, Accounts) : [],
    eachOfTraffic(tx, range, meter, {
      addMessage: (message) => sumsOf(message).forEach((sums) => void sums.addMessage(message)),
      addJob: (job) => sumsOf(job).forEach((sums) => void sums.addJob(job)),
    }),
  ]);
  const isAsked = (account: (typeof accounts)[number]) =>
    (channel === undefined || account.channel === channel) && (accountId === undefined || account.id === accountId);
  const keys =
    groupBy === 'account' ? accounts.filter(isAsked).map(({ id }) => String(id)) : periodsOf(range, zone, groupBy);
  return {
    ...range,
    groupBy,
    totals: { ...totals.sums, queued: totals.queued, uniqueContacts: totals.conversations.uniqueContacts },
    items: keys.map((key) => ({
      key,
      accountId: groupBy === 'account' ? Number(key) : null,
      ...(groups.get(key) ?? new Traffic()).sums,
    })),
  };
}

/** Returns the date on which the period of a day begins; weeks begin on Monday. */
function periodOf(day: string, groupBy: 'day' | 'week' | 'month'): string {
  if (groupBy === 'day') return day;
  if (groupBy === 'month') return `${day.slice(0, 7)}-01`;
  const daysSinceMonday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  return shifted(`${day}T00:00:00Z`, -daysSinceMonday * dayMs).slice(0, 10);
}

const periodsOf = ({ from, to }: Range, zone: Zone, groupBy: 'day' | 'week' | 'month') => [
  ...new Set(daysBetween(zone.day(from), zone.day(to)).map((day) => periodOf(day, groupBy))),
];

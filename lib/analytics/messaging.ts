import * as v from 'valibot';
import { channels } from '#lib/channels/channel.ts';
import { dayMs, shifted } from '#lib/clock.ts';
import { Accounts } from '#lib/entities/account.ts';
import { choice, id, queryInteger, time } from '#lib/schema.ts';
import { listAll } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { daysOf, type Range, rangeOf, rangeQuery } from './range.ts';
import { replyRate, uniqueContacts } from './replies.ts';
import { readTraffic, type Traffic } from './traffic.ts';

const groupings = ['day', 'week', 'month', 'account'] as const;
type Grouping = (typeof groupings)[number];

export const MessagingQuery = v.object({
  ...rangeQuery,
  groupBy: v.optional(choice(groupings), 'day'),
  channel: v.optional(choice(channels)),
  accountId: v.optional(queryInteger()),
});

const sums = {
  sent: v.number(),
  failed: v.number(),
  received: v.number(),
  replyRate: v.nullable(v.number()),
};

/** Contract section 11. */
export const Messaging = v.pipe(
  v.object({
    from: time(),
    to: time(),
    groupBy: v.picklist(groupings),
    totals: v.object({ queued: v.number(), ...sums, uniqueContacts: v.number() }),
    items: v.array(v.object({ key: v.string(), accountId: v.nullable(id()), ...sums })),
  }),
  v.title('MessagingAnalytics'),
);

type Query = v.InferOutput<typeof MessagingQuery>;
type Place = Pick<Traffic['jobs'][number], 'channel' | 'accountId'>;

/** Messages sent, failed and received in a range, in all and per period or account. Raises 400 for a bad range. */
export async function analyseMessaging(tx: UnitOfWork, query: Query): Promise<v.InferOutput<typeof Messaging>> {
  const range = rangeOf(tx, query);
  const { groupBy, channel, accountId } = query;
  const isAsked = (place: Place) =>
    (channel === undefined || place.channel === channel) && (accountId === undefined || place.accountId === accountId);
  const [all, accounts] = await Promise.all([
    readTraffic(tx, range),
    groupBy === 'account' ? listAll(tx, Accounts) : [],
  ]);
  const traffic = { messages: all.messages.filter(isAsked), jobs: all.jobs.filter(isAsked) };
  const keys =
    groupBy === 'account'
      ? accounts.flatMap(({ id, channel: of }) => (isAsked({ accountId: id, channel: of }) ? [String(id)] : []))
      : periodsOf(range, groupBy);
  return {
    ...range,
    groupBy,
    totals: {
      ...sumsOf(traffic),
      queued: traffic.jobs.filter(({ status }) => status === 'queued').length,
      uniqueContacts: uniqueContacts(traffic.messages),
    },
    items: grouped(traffic, keys, groupBy),
  };
}

function grouped({ messages, jobs }: Traffic, keys: readonly string[], groupBy: Grouping) {
  const keyOf = ({ at, accountId }: { at: string; accountId: number | null }) =>
    groupBy === 'account' ? String(accountId) : periodOf(at, groupBy);
  const messagesOf = Map.groupBy(messages, keyOf);
  const jobsOf = Map.groupBy(jobs, keyOf);
  return keys.map((key) => ({
    key,
    accountId: groupBy === 'account' ? Number(key) : null,
    ...sumsOf({ messages: messagesOf.get(key) ?? [], jobs: jobsOf.get(key) ?? [] }),
  }));
}

/** What both analyses say of messages. */
export const sumsOf = ({ messages, jobs }: Traffic) => ({
  sent: messages.filter(({ direction }) => direction === 'outbound').length,
  failed: jobs.filter(({ status }) => status === 'failed').length,
  received: messages.filter(({ direction }) => direction === 'inbound').length,
  replyRate: replyRate(messages),
});

/** The date on which the period of a time begins; weeks begin on Monday. */
function periodOf(at: string, groupBy: 'day' | 'week' | 'month'): string {
  const day = at.slice(0, 10);
  if (groupBy === 'day') return day;
  if (groupBy === 'month') return `${day.slice(0, 7)}-01`;
  const daysSinceMonday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  return shifted(`${day}T00:00:00Z`, -daysSinceMonday * dayMs).slice(0, 10);
}

const periodsOf = (range: Range, groupBy: 'day' | 'week' | 'month') => [
  ...new Set(daysOf(range).map((day) => periodOf(day, groupBy))),
];

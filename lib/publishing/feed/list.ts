import * as v from 'valibot';
import type { Caller } from '#lib/core/caller.ts';
import { conflict, invalidField } from '#lib/core/problem.ts';
import { choice, cursor, openChoice, paging, queryChoices, queryInteger, time } from '#lib/core/schema.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { eventKindNames } from '#lib/events/names.ts';
import { type Meter, newMeter } from '#lib/table/pages.ts';
import { readRow } from '#lib/table/rows.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { mayLearn } from './audience.ts';
import { type FeedPage, oldestSequence, readFeed } from './feed.ts';
import { Numbers, numbersKey } from './numbers.ts';
import { untilPublished } from './published.ts';

/** An event as webhooks deliver it (contract section 15). */
export const AnyEvent = v.pipe(
  v.object({
    event: openChoice(eventKindNames),
    id: v.string(),
    timestamp: time(),
    sequence: cursor(),
    livemode: v.boolean(),
    data: v.record(v.string(), v.unknown()),
    /** The contact that it is about was erased, and its data with them. */
    erased: v.exactOptional(v.literal(true)),
    /** Paths of the fields that were too long for an event and were cut (`data.body`). Read them whole by id. */
    truncated: v.exactOptional(v.pipe(v.array(v.string()), v.examples([['data.body']]))),
  }),
  v.title('AnyEvent'),
);

export const EventQuery = v.object({
  since: v.optional(v.union([queryInteger(0), choice(['latest'])], 'must be an integer from 0 on, or latest')),
  limit: paging.limit,
  eventKind: v.optional(queryChoices(eventKindNames)),
});

/**
 * The events after a sequence that the caller may learn of, ascending, with all that was committed before; from the oldest one that is kept without it. With a
 * filter a page may be short, or empty, while there is more: `nextCursor` leads on. `latest` is the newest position without items. Raises 409 when events after `since` are no longer kept, 400 for a position that is yet to come.
 */
export async function listEvents(
  tx: UnitOfWork,
  caller: Caller,
  { since, limit, eventKind }: v.InferOutput<typeof EventQuery>,
) {
  const learns = eventKindNames.filter((kind) => mayLearn(caller, kind) && (eventKind?.includes(kind) ?? true));
  const isAll = learns.length === eventKindNames.length;
  const matches: Matches = isAll ? undefined : ({ event }) => learns.some((kind) => kind === event);
  const meter = newMeter();
  await untilPublished(tx.tenant, meter);
  if (since === 'latest') return { items: [], nextCursor: await newestPosition(tx.tenant), hasMore: false };
  const [found, newest] = await Promise.all([
    readFeed(tx, since ?? 0, limit, matches, meter),
    since ? newestPosition(tx.tenant) : 0,
  ]);
  if (since !== undefined && since > newest && found.items.length === 0 && !found.isExpired)
    throw invalidField('query.since', 'out_of_range', 'query.since must not be after the newest event');
  const { items, hasMore, through } = found.isExpired ? await readKept(tx, since, limit, matches, meter) : found;
  const last = items.at(-1)?.sequence ?? (hasMore ? through : null);
  return { items: items.map(({ body }) => v.parse(AnyEvent, JSON.parse(body))), nextCursor: last, hasMore };
}

/** The sequence that was given last. */
async function newestPosition(tenant: Tenant): Promise<number> {
  const { last = 0 } = v.parse(Numbers, await readRow(numbersKey(tenant)));
  return last;
}

type Matches = Parameters<typeof readFeed>[3];

/** The same where what would have followed is no longer kept: without `since` the feed begins with what is. Raises 409 with it. */
async function readKept(
  tx: UnitOfWork,
  since: number | undefined,
  ...asked: [limit: number, matches: Matches, meter: Meter]
): Promise<FeedPage> {
  const oldest = await oldestSequence(tx);
  if (oldest === undefined) return { items: [], hasMore: false, through: since ?? 0 };
  if (since !== undefined && since < oldest - 1)
    throw conflict(
      'cursor_expired',
      `events before ${oldest} are no longer kept: read the resources, then go on with since=${oldest - 1}`,
      { oldestSequence: oldest },
    );
  return readFeed(tx, Math.max(since ?? 0, oldest - 1), ...asked);
}

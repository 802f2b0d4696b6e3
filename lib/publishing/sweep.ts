import { inParallel } from '#lib/core/async.ts';
import { minuteMs, now, secondMs, sleep, timestamp } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { sweepTimeoutSeconds } from '#lib/core/timeouts.ts';
import { publish } from '#lib/publishing/publish.ts';
import { dispatchTimers } from '#lib/queues/send.ts';
import { TimerRow } from '#lib/queues/timer.ts';
import {
  bury,
  countFailure,
  countTry,
  isDead,
  isPermanent,
  maxTries,
  requireReadable,
} from '#lib/table/dead-letter.ts';
import { identity, type Key, rowKey, type ShardedQueue, shardsOf } from '#lib/table/keys.ts';
import { pages } from '#lib/table/pages.ts';
import { type Row, readRows, writeRows } from '#lib/table/rows.ts';

const graceMs = 5 * secondMs;
/** How long pages are begun, and after how long what was found is reported, whatever is still under way. */
const limits = { budgetMs: (sweepTimeoutSeconds - 25) * secondMs, giveUpMs: (sweepTimeoutSeconds - 10) * secondMs };
/** About a day of sending again, at first every minute. */
const maxDispatches = 150;
const longestWaitMs = 10 * minuteMs;
/** Minutes are not exact. */
const jitterMs = 10 * secondMs;
const maxCalls = 25;

/** Counts of a sweep; undefined if it did not look into every shard. The metric is then missing, which raises its alarm. */
export interface Swept {
  /** Rows past their time although their message was sent before. A group counts as one. */
  overdueRows: number | undefined;
  unpublishedRows: number | undefined;
  deadRows: number | undefined;
  failures: unknown[];
}

/**
 * Repairs what a crash interrupted: outbox rows that nobody published are published, rows past their time are sent again; both side
 * by side, all shards in turn, for 45 seconds at most. What fails keeps nothing else waiting. Never throws.
 */
export async function sweep({ budgetMs, giveUpMs } = limits): Promise<Swept> {
  const swept: Swept = { overdueRows: undefined, unpublishedRows: undefined, deadRows: undefined, failures: [] };
  const dead: Dead = new Map();
  const deadlineMs = now() + budgetMs;
  const before = new Date(now() - graceMs);
  const parts = [sweepOutbox(swept, dead, before, deadlineMs), sweepDue(swept, dead, before, deadlineMs)];
  const work = parts.map((part) => part.catch((error: unknown) => swept.failures.push(error)));
  const late = new AbortController();
  await Promise.race([Promise.all(work), sleep(giveUpMs, late.signal).catch(() => {})]);
  late.abort();
  const [outbox, due] = [dead.get('outbox'), dead.get('due')];
  return { ...swept, deadRows: outbox === undefined || due === undefined ? undefined : outbox + due };
}

/** How many dead letters each queue has, once all of its shards were looked into. */
type Dead = Map<ShardedQueue, number>;

async function sweepOutbox(swept: Swept, dead: Dead, before: Date, deadlineMs: number): Promise<void> {
  let found = 0;
  let deadFound = 0;
  // Later rows of a tenant wait for its earlier ones, to keep their order.
  const waiting = new Set<unknown>();
  const contending = new Set<string>();
  const work = async (page: Row[]) => {
    const living = page.filter((row) => !isDead(row));
    found += living.length;
    deadFound += page.length - living.length;
    const left = await publish(
      living.filter(({ tenant }) => !waiting.has(tenant)),
      contending,
    );
    if (left.length > 0) swept.failures.push(new Error(`${left.length} changes are not published yet`));
    for (const { tenant } of left) waiting.add(tenant);
    return left;
  };
  for await (const _ of rounds('outbox', before.toISOString(), deadlineMs, work)) {
    swept.unpublishedRows = found;
    dead.set('outbox', deadFound);
  }
  if (contending.size > 0) swept.failures.push(new Error(`${contending.size} tenants meet nothing but conflicts`));
}

async function sweepDue(swept: Swept, dead: Dead, before: Date, deadlineMs: number): Promise<void> {
  let deadFound = 0;
  const overdue = new Set<string>();
  const groups = new Set<string>();
  const work = async (page: Row[]) => {
    const rows = new Map<TimerRow, Row>();
    const living = page.filter((row) => !isDead(row));
    deadFound += page.length - living.length;
    await inParallel(living, maxCalls, async (stored) => {
      try {
        const row = requireReadable(TimerRow, stored);
        if (row.isForGroup) {
          // The first of them will do, and that there are others is no fault: they wait for their account's pace.
          const group = `${row.queue} ${row.group}`;
          if (groups.has(group)) return;
          groups.add(group);
        }
        if (row.tries > 0) overdue.add(overdueOf(row));
        if (!isBackingOff(row)) rows.set(row, stored);
      } catch (error) {
        await countFailure(stored, error);
      }
    });
    const undispatched = new Map((await dispatchTimers([...rows.keys()])).map(({ row, error }) => [row, error]));
    await inParallel([...rows], maxCalls, async ([row, stored]) => {
      const error = undispatched.get(row);
      if (error !== undefined && !isPermanent(error)) {
        overdue.add(overdueOf(row));
        swept.failures.push(error);
        return;
      }
      const tries = await countTry(stored);
      if (tries === undefined) return;
      if (error !== undefined) {
        if (tries >= maxTries) await bury(stored, error);
      } else if (tries >= maxDispatches && !row.isForGroup && !row.isPaced)
        await bury(stored, new Error('sent in vain'));
    });
    return [];
  };
  for await (const _ of rounds('due', timestamp(before), deadlineMs, work)) {
    swept.overdueRows = overdue.size;
    dead.set('due', deadFound);
  }
}

/** Under which name it counts once. */
const overdueOf = ({ sk, queue, tenant, isPaced }: TimerRow) => (isPaced ? `${queue} ${tenant}` : sk);

/** Sent a moment ago: its worker has the message, or is at it. */
function isBackingOff({ tries, triedAt }: TimerRow): boolean {
  if (tries === 0 || triedAt === undefined) return false;
  const waitMs = Math.min(longestWaitMs, minuteMs * 2 ** (tries - 1)) - jitterMs;
  return now() < new Date(triedAt).getTime() + waitMs;
}

interface Shard {
  pk: string;
  pages: AsyncGenerator<Row[]>;
  /** Where it was begun; undefined is its oldest row. */
  from: string | undefined;
  /** Where to go on. */
  place: string | undefined;
  /** The first row that was left to be worked on in its order. */
  left?: string;
}

/**
 * One page of each shard in turn, from any of them on, so that a long one keeps no other waiting; until the deadline. Each shard is
 * begun where the last sweep stopped in it, or where the work has left a row, so that however much of it stays where it is, the rest has its turn. Yields after each
 * round in which every shard could be read. What fails is logged, and the others go on; throws at the end.
 */
async function* rounds(
  queue: ShardedQueue,
  below: string,
  deadlineMs: number,
  work: (page: Row[]) => Promise<readonly Row[]>,
): AsyncGenerator<void> {
  const shards = await shardsFrom(queue, below);
  const first = Math.floor(Math.random() * shards.length);
  let open = [...shards.slice(first), ...shards.slice(0, first)];
  const failures: unknown[] = [];
  while (open.length > 0 && now() < deadlineMs) {
    const further: Shard[] = [];
    let begun = 0;
    for (const shard of open) {
      if (now() >= deadlineMs) break;
      begun += 1;
      try {
        const { value, done } = await shard.pages.next();
        shard.place = done ? shard.left : (shard.left ?? (value as Row[]).at(-1)?.sk);
        if (done) continue;
        further.push(shard);
        const [left] = await work(value as Row[]);
        if (left) {
          shard.left ??= left.sk;
          shard.place = shard.left;
        }
      } catch (error) {
        log().error(`a part of ${queue} could not be swept`, error as Error);
        failures.push(error);
      }
    }
    if (begun === open.length && failures.length === 0) yield;
    open = further;
  }
  await keepPlaces(shards);
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} parts of ${queue} could not be swept`);
}

/** Where the last sweep stopped in a shard; there is none when it came to its end. */
const placeKey = (partition: string): Key => rowKey('sweep', { partition });

async function shardsFrom(queue: ShardedQueue, below: string): Promise<Shard[]> {
  const names = shardsOf(queue);
  const places = await readRows(names.map(placeKey));
  return names.map((pk) => {
    const from = places.get(identity(placeKey(pk)))?.['place'] as string | undefined;
    return { pk, pages: around(pk, from, below), from, place: from };
  });
}

/** The pages of a shard from a place on, and then those before it. */
async function* around(pk: string, from: string | undefined, below: string): AsyncGenerator<Row[]> {
  // A place lies beyond what is due when the clock goes back.
  if (from === undefined || from < below)
    yield* pages({ pk, ascending: true, above: from, below }) as AsyncGenerator<Row[]>;
  if (from !== undefined) yield* pages({ pk, ascending: true, below: from }) as AsyncGenerator<Row[]>;
}

const keepPlaces = (shards: readonly Shard[]): Promise<void> =>
  writeRows(
    shards
      .filter(({ from, place }) => from !== place)
      .map(({ pk, place }) =>
        place === undefined
          ? { DeleteRequest: { Key: placeKey(pk) } }
          : { PutRequest: { Item: { ...placeKey(pk), place } } },
      ),
  );

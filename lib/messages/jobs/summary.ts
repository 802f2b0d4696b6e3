import * as v from 'valibot';
import { channels } from '#lib/core/channel.ts';
import { dayMs, shifted } from '#lib/core/clock.ts';
import { count, id, queryTime, storedChoice, time } from '#lib/core/schema.ts';
import { Jobs, type StoredJob } from '#lib/entities/job.ts';
import { countedQueues } from '#lib/messages/accounts/store.ts';
import { entityPartition } from '#lib/table/entity.ts';
import { entries } from '#lib/table/entries.ts';
import { type Meter, pages } from '#lib/table/pages.ts';
import { eachInRange, summing } from '#lib/table/summing.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

const counts = { queued: count(), sent: count(), failed: count() };

/** Contract section 5. */
export const JobSummary = v.pipe(
  v.object({
    ...counts,
    oldestQueuedAt: v.nullable(time()),
    byAccount: v.array(
      v.pipe(
        v.object({ channel: storedChoice(channels), accountId: v.nullable(id()), ...counts }),
        v.title('AccountJobSummary'),
      ),
    ),
  }),
  v.title('JobSummary'),
);

export const JobSummaryQuery = v.object({ since: v.optional(queryTime()) });

type Row = v.InferOutput<typeof JobSummary>['byAccount'][number];

/**
 * Returns the counts of waiting jobs, and of those sent and failed since a time (by default a day ago), by channel and account. Raises
 * 400 if that is more than one call may read.
 */
export const summariseJobs = (
  tx: UnitOfWork,
  since: string = shifted(tx.now, -dayMs),
): Promise<v.InferOutput<typeof JobSummary>> => summing((meter) => summariseSince(tx, since, meter));

async function summariseSince(tx: UnitOfWork, since: string, meter: Meter): Promise<v.InferOutput<typeof JobSummary>> {
  const rows = new Map<string, Row>();
  const rowOf = (channel: Row['channel'], accountId: number | null): Row => {
    const name = `${channel}/${accountId}`;
    const row = rows.get(name) ?? { channel, accountId, queued: 0, sent: 0, failed: 0 };
    rows.set(name, row);
    return row;
  };
  const [queued, oldestQueuedAt] = await Promise.all([
    countedQueues(tx),
    oldestQueued(tx),
    eachSince(tx, since, meter, ({ channel, accountId, status }) => {
      if (status !== 'queued') rowOf(channel, accountId)[status] += 1;
    }),
  ]);
  for (const { channel, accountId, queued: count } of queued) rowOf(channel, accountId).queued = count;
  const byAccount = [...rows.values()].sort(
    (a, b) => a.channel.localeCompare(b.channel) || (a.accountId ?? 0) - (b.accountId ?? 0),
  );
  const total = (count: keyof typeof counts) => byAccount.reduce((sum, row) => sum + row[count], 0);
  return { queued: total('queued'), sent: total('sent'), failed: total('failed'), oldestQueuedAt, byAccount };
}

type Counted = Pick<StoredJob, 'channel' | 'accountId' | 'status'>;

/** Tells of what was completed since a time, and what was made since then and waits: nobody keeps them all. */
async function eachSince(tx: UnitOfWork, since: string, meter: Meter, count: (job: Counted) => void): Promise<void> {
  const range = { from: await startOf(tx, since), to: tx.now };
  await eachInRange(tx, Jobs, range, meter, (entry) => count(entry as unknown as Counted));
}

/** So far back no first job is looked for. */
const fewDays = 16;

/** No job was completed before the first one was made. */
async function startOf(tx: UnitOfWork, since: string): Promise<string> {
  if (since >= shifted(tx.now, -fewDays * dayMs)) return since;
  const pk = entityPartition(tx.tenant, Jobs);
  for await (const [first] of pages({ pk, ascending: true, limit: 1 })) {
    const createdAt = first?.['createdAt'] as string;
    return createdAt > since ? createdAt : since;
  }
  return tx.now;
}

/** Ids rise with `createdAt`. */
async function oldestQueued(tx: UnitOfWork): Promise<string | null> {
  for await (const [first] of entries(tx, Jobs, { status: 'queued' }, { ascending: true, limit: 1 }))
    return first?.['createdAt'] as string;
  return null;
}

import type * as v from 'valibot';
import type { Channel } from '#lib/core/channel.ts';
import { type JobQuery, Jobs, type MessageJob, type MessageJobQuery, type StoredJob } from '#lib/entities/job.ts';
import { entries } from '#lib/table/entries.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import { belowId } from '#lib/table/pages.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

type Query = v.InferOutput<typeof JobQuery>;
type Detail = v.InferOutput<typeof MessageJob>;

/** Jobs of every channel in descending order of id. */
export const listJobs = (tx: UnitOfWork, query: Query): Promise<Page<StoredJob>> =>
  listPage(
    tx,
    Jobs,
    listingFrom(Jobs, query, {
      contactId: (contact) => ({ where: { contact } }),
      sequenceId: (sequence) => ({ where: { sequence } }),
      accountId: (account) => ({ where: { account } }),
      apiKeyId: (key) => ({ where: { key } }),
      since: (time) => ({ matches: ({ runAt }) => runAt >= time }),
      until: (time) => ({ matches: ({ runAt }) => runAt <= time }),
    }),
  );

/** The messages of one channel in descending order of id; without filters one query of the index that keeps what is shown. */
export async function listMessageJobs(
  tx: UnitOfWork,
  channel: Channel,
  query: v.InferOutput<typeof MessageJobQuery>,
): Promise<Page<Detail>> {
  const { after, limit, ...filters } = query;
  if (Object.values(filters).some((value) => value !== undefined)) {
    const page = await listJobs(tx, { ...query, channel });
    return { ...page, items: page.items.map((job) => ({ ...job, accountId: job.accountId as number })) };
  }
  const items: Detail[] = [];
  for await (const page of entries(tx, Jobs, { channel }, { limit: limit + 1, below: belowId(after) })) {
    items.push(...page.map((entry) => entry['job'] as Detail));
    if (items.length > limit) break;
  }
  const shown = items.slice(0, limit);
  const hasMore = items.length > limit;
  return { items: shown, hasMore, nextCursor: hasMore ? (shown.at(-1)?.id ?? null) : null };
}

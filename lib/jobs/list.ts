import type * as v from 'valibot';
import { maxId } from '#lib/schema.ts';
import { matching } from '#lib/table/conditions.ts';
import { indexPartition } from '#lib/table/entity.ts';
import { sortableId } from '#lib/table/keys.ts';
import { listPage, type Page, pages } from '#lib/table/list.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { type Channel, type JobQuery, Jobs, type MessageJob, type MessageJobQuery, type StoredJob } from './job.ts';

type Query = v.InferOutput<typeof JobQuery>;
type Detail = v.InferOutput<typeof MessageJob>;

/** Jobs of every channel in descending order of id. */
export const listJobs = (
  tx: Transaction,
  { channel, status, accountId, contactId, sequenceId, source, since, until, ...paging }: Query,
): Promise<Page<StoredJob>> => {
  const indexes = Object.entries({ contact: contactId, sequence: sequenceId, account: accountId, status, channel })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`);
  return listPage(tx, Jobs, {
    ...paging,
    indexes,
    ...matching<StoredJob>(
      source !== undefined && ((job) => job.source === source),
      since !== undefined && (({ runAt }) => runAt >= since),
      until !== undefined && (({ runAt }) => runAt <= until),
    ),
  });
};

/** The messages of one channel in descending order of id; without filters one query of the index that keeps what is shown. */
export async function listMessageJobs(
  tx: Transaction,
  channel: Channel,
  query: v.InferOutput<typeof MessageJobQuery>,
): Promise<Page<Detail>> {
  const { after, limit, ...filters } = query;
  if (Object.values(filters).some((value) => value !== undefined)) {
    const page = await listJobs(tx, { ...query, channel });
    return { ...page, items: page.items.map((job) => ({ ...job, accountId: job.accountId as number })) };
  }
  const items: Detail[] = [];
  const range = {
    pk: indexPartition(tx.tenant, Jobs, `channel=${channel}`),
    limit: limit + 1,
    below: after === undefined ? undefined : sortableId(Math.max(0, Math.min(after, maxId + 1))),
  };
  for await (const page of pages(range)) {
    items.push(...page.map((entry) => entry.job as Detail));
    if (items.length > limit) break;
  }
  const shown = items.slice(0, limit);
  const hasMore = items.length > limit;
  return { items: shown, hasMore, nextCursor: hasMore ? (shown.at(-1)?.id ?? null) : null };
}

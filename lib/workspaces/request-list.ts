import * as v from 'valibot';
import { dayMs, now, secondMs } from '#lib/core/clock.ts';
import { choice, paging, pattern, queryText, queryTime } from '#lib/core/schema.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import type { Page } from '#lib/table/list.ts';
import { flatten, newMeter, pages } from '#lib/table/pages.ts';
import type { Row } from '#lib/table/rows.ts';
import { readable } from '#lib/table/stored.ts';
import { firstIdAt, oldestMs, partitionAt, RequestLog, sortKeyOf, timeOf } from './request-row.ts';

const methods = ['get', 'post', 'patch', 'put', 'delete', 'head', 'options'] as const;

export const RequestLogQuery = v.object({
  ...paging,
  keyId: v.optional(queryText()),
  requestId: v.optional(queryText()),
  method: v.optional(choice(methods)),
  route: v.optional(queryText()),
  status: v.optional(
    pattern(/^[1-5](\d\d|xx)$/, 3, 'a status, as 429, or a class of them, as 4xx', (status) => status.toLowerCase()),
  ),
  since: v.optional(queryTime()),
  until: v.optional(queryTime()),
});

/** Stored request as a list reads it. */
const stored = { name: 'request-log', schema: RequestLog };

type Query = v.InferOutput<typeof RequestLogQuery>;
type Shown = v.InferOutput<typeof RequestLog>;

/**
 * The requests of a tenant's keys, newest first, of the last seven days; `since` and `until` are inclusive. A page that would take
 * too much reading ends early, with a cursor.
 */
export async function listRequests(tenant: Tenant, query: Query): Promise<Page<Shown>> {
  const meter = newMeter();
  const { after, limit } = query;
  const lowest = firstIdAt(Math.max(oldestMs(), query.since === undefined ? 0 : Date.parse(query.since)));
  // Clocks differ, by less than a day.
  const latestMs = now() + dayMs;
  const newestMs = query.until === undefined ? latestMs : Math.min(latestMs, Date.parse(query.until) + secondMs);
  const highest = Math.min(firstIdAt(newestMs) - 1, (after ?? Number.POSITIVE_INFINITY) - 1);
  const items: Shown[] = [];
  const isSearch = query.keyId ?? query.requestId ?? query.method ?? query.route ?? query.status;
  // Keys have digits alone, so that these lie right behind the ids.
  const range = { above: `${sortKeyOf(Math.max(0, lowest - 1))}~`, below: `${sortKeyOf(Math.max(0, highest))}~` };
  if (highest < lowest) return { items, nextCursor: null, hasMore: false };
  for (const pk of partitionsBetween(tenant, lowest, highest)) {
    const rows = pages({ pk, ...range, limit: limit + 1, grows: isSearch !== undefined, meter });
    for await (const row of flatten(rows)) {
      // Before it is read, which for thousands of rows would be most of the work.
      const request = matches(row, query) && readable(stored, row);
      if (!request) continue;
      if (items.length === limit) return { items, nextCursor: items.at(-1)?.id ?? null, hasMore: true };
      items.push(request);
    }
    if (meter.stoppedAt !== undefined) return { items, nextCursor: Number(meter.stoppedAt), hasMore: true };
  }
  return { items, nextCursor: null, hasMore: false };
}

/** The newest day first. */
function partitionsBetween(tenant: Tenant, lowest: number, highest: number): string[] {
  const [firstMs, lastMs] = [timeOf(lowest), timeOf(highest)];
  const partitions = new Set<string>();
  for (let ms = lastMs; ms > firstMs; ms -= dayMs) partitions.add(partitionAt(tenant, ms));
  return [...partitions.add(partitionAt(tenant, firstMs))];
}

function matches(row: Row, { keyId, requestId, method, route, status }: Query): boolean {
  return (
    (keyId === undefined || row['keyId'] === keyId) &&
    (requestId === undefined || row['requestId'] === requestId) &&
    (method === undefined || `${row['method']}`.toLowerCase() === method) &&
    (route === undefined || row['route'] === route) &&
    (status === undefined || `${row['status']}`.startsWith(status.replace('xx', '')))
  );
}

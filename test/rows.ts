import { gunzipSync } from 'node:zlib';
import { expect, vi } from 'vitest';
import { isOnMap } from '#infra/table-map.ts';
import { secondMs } from '#lib/core/clock.ts';
import { identity } from '#lib/table/keys.ts';
import type { Row } from '#lib/table/rows.ts';
import { scanned } from '#lib/table/scan.ts';
import { between } from '#test/between.ts';

/** For each page the local engine reads as many rows as it may hold, large ones too: few of them do not hold up other tests. */
const Limit = 200;

/** What every row of the table holds in which the workspace's number is, zipped parts unzipped. */
export async function everyByteOf(workspaceId: number): Promise<string> {
  const found: string[] = [];
  // What the table leaves out need not be read here: late in a run it is large.
  const query = {
    Limit,
    FilterExpression: 'contains(pk, :id) OR contains(sk, :id) OR contains(#tenant, :id) OR workspaceId = :number',
    ExpressionAttributeNames: { '#tenant': 'tenant' },
    ExpressionAttributeValues: { ':id': String(workspaceId), ':number': workspaceId },
  };
  for await (const item of scanned(query)) found.push(...Object.values(item).map(textOf));
  return found.join('\n');
}

function textOf(value: unknown): string {
  if (!(value instanceof Uint8Array)) return JSON.stringify(value);
  const isZipped = value[0] === 0x1f && value[1] === 0x8b;
  return isZipped ? gunzipSync(value).toString() : Buffer.from(value).toString();
}

/** Does something while every page that is read takes some seconds, by the clock of this process. */
export async function slowly<Result>(work: () => Promise<Result>, seconds = 6): Promise<Result> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  try {
    return await between(async ({ operation }, next) => {
      const answer = await next();
      if (operation === 'Query') vi.setSystemTime(Date.now() + seconds * secondMs);
      return answer;
    }, work);
  } finally {
    vi.useRealTimers();
  }
}

/** The keys of a workspace, and of what all share, that docs/table.md does not name. */
export async function rowsOffMap(workspaceId: number): Promise<string[]> {
  const found: Row[] = [];
  for await (const row of scanned({ Limit, ConsistentRead: true, ProjectionExpression: 'pk, sk' })) found.push(row);
  const ours = found.filter(({ pk }) => new RegExp(`^(${workspaceId}[:#]|\\D)`).test(pk));
  expect(ours.length).toBeGreaterThan(50);
  return ours.filter((key) => !isOnMap(key)).map(identity);
}

/** How many rows the table looks at for the work. */
export async function rowsRead(work: () => Promise<unknown>): Promise<number> {
  let rows = 0;
  await between(async (_, next) => {
    const answer = (await next()) as { ScannedCount?: number; Responses?: Record<string, unknown[]> };
    rows += answer.ScannedCount ?? Object.values(answer.Responses ?? {}).flat().length;
    return answer;
  }, work);
  return rows;
}

/** How many rows the work asks the table for side by side, at most. */
export async function rowsAtOnce(work: () => Promise<unknown>): Promise<number> {
  let asked = 0;
  let most = 0;
  await between(async ({ input }, next) => {
    const { RequestItems = {}, ExpressionAttributeValues: { ':first': first, ':last': last } = {} } = input as {
      RequestItems?: Record<string, { Keys?: unknown[] }>;
      ExpressionAttributeValues?: Record<string, unknown>;
    };
    const inRange = first === undefined ? 0 : Number(last) - Number(first) + 1;
    const rows = Object.values(RequestItems).flatMap(({ Keys = [] }) => Keys).length + inRange;
    asked += rows;
    most = Math.max(most, asked);
    try {
      return await next();
    } finally {
      asked -= rows;
    }
  }, work);
  return most;
}

/** What the table bills for what the work reads, in units. */
export async function unitsRead(work: () => Promise<unknown>): Promise<number> {
  let units = 0;
  await between(async (_, next) => {
    const answer = await next();
    for (const { CapacityUnits = 0 } of [answer['ConsumedCapacity'] ?? []].flat() as { CapacityUnits?: number }[])
      units += CapacityUnits;
    return answer;
  }, work);
  return units;
}

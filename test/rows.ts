import { gunzipSync } from 'node:zlib';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { expect } from 'vitest';
import { isOnMap } from '#infra/table-map.ts';
import { env } from '#lib/env.ts';
import { documentClient } from '#lib/table/client.ts';
import { identity, type Key } from '#lib/table/keys.ts';

/** What every row of the table holds in which the workspace's number is, zipped parts unzipped. */
export async function everyByteOf(workspaceId: number): Promise<string> {
  const found: string[] = [];
  for await (const { Items = [] } of paginateScan({ client: documentClient() }, { TableName: env('TABLE_NAME') })) {
    for (const item of Items) {
      const isOurs = JSON.stringify([item['pk'], item['sk'], item['tenant'], item['workspaceId']]).includes(
        String(workspaceId),
      );
      if (isOurs) found.push(...Object.values(item).map(textOf));
    }
  }
  return found.join('\n');
}

function textOf(value: unknown): string {
  if (!(value instanceof Uint8Array)) return JSON.stringify(value);
  const isZipped = value[0] === 0x1f && value[1] === 0x8b;
  return isZipped ? gunzipSync(value).toString() : Buffer.from(value).toString();
}

/** The keys of a workspace, and of what all share, that docs/table.md does not name. */
export async function rowsOffMap(workspaceId: number): Promise<string[]> {
  const found: Key[] = [];
  const query = { TableName: env('TABLE_NAME'), ConsistentRead: true, ProjectionExpression: 'pk, sk' };
  for await (const { Items = [] } of paginateScan({ client: documentClient() }, query)) found.push(...(Items as Key[]));
  const ours = found.filter(({ pk }) => new RegExp(`^(${workspaceId}[:#]|\\D)`).test(pk));
  expect(ours.length).toBeGreaterThan(50);
  return ours.filter((key) => !isOnMap(key)).map(identity);
}

/** How many rows the table looks at for the work. */
export async function rowsRead(work: () => Promise<unknown>): Promise<number> {
  let rows = 0;
  documentClient().middlewareStack.add(
    (next) => async (args) => {
      const answer = await next(args);
      const { ScannedCount, Responses } = answer.output as {
        ScannedCount?: number;
        Responses?: Record<string, unknown[]>;
      };
      rows += ScannedCount ?? Object.values(Responses ?? {}).flat().length;
      return answer;
    },
    { step: 'deserialize', priority: 'high', name: 'counting' },
  );
  try {
    await work();
  } finally {
    documentClient().middlewareStack.remove('counting');
  }
  return rows;
}

/** How many rows the work asks the table for side by side, at most. */
export async function rowsAtOnce(work: () => Promise<unknown>): Promise<number> {
  let asked = 0;
  let most = 0;
  documentClient().middlewareStack.add(
    (next) => async (args) => {
      const { RequestItems = {} } = args.input as { RequestItems?: Record<string, { Keys?: unknown[] }> };
      const rows = Object.values(RequestItems).flatMap(({ Keys = [] }) => Keys).length;
      asked += rows;
      most = Math.max(most, asked);
      try {
        return await next(args);
      } finally {
        asked -= rows;
      }
    },
    { step: 'initialize', name: 'asking' },
  );
  try {
    await work();
  } finally {
    documentClient().middlewareStack.remove('asking');
  }
  return most;
}

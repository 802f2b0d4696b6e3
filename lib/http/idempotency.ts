import { createHash, randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { epochSeconds } from '#lib/clock.ts';
import { env } from '#lib/env.ts';
import { conflict, invalidField, Problem } from '#lib/problem.ts';
import { documentClient } from '#lib/table/client.ts';
import { type Key, partition } from '#lib/table/keys.ts';
import { pages } from '#lib/table/list.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import type { Tenant } from '#lib/tenant.ts';

/** An answer as it is sent and, under an idempotency key, kept. */
export interface Reply {
  status: number;
  body: string;
  headers: Record<string, string>;
}

const keptSeconds = 24 * 3600;
/** DynamoDB items end at 400 KB. */
const pieceBytes = 350_000;

/** A request under an `Idempotency-Key` (contract 0.3), claimed for this call. */
export interface Claim {
  key: Key;
  owner: string;
}

export type Claimed = { claim: Claim } | { replay: Reply };

/**
 * Claims the key for this call, or finds the answer that it already has. One conditional write. Raises 400 for a bad key,
 * 409 for another body or while the first call still runs (a call that died gives the key free after its time-out).
 */
export async function claim(
  tenant: Tenant,
  header: string,
  request: { method: string; path: string; body: unknown; timeoutSeconds: number },
): Promise<Claimed> {
  if (!/^[\x20-\x7e]{1,255}$/.test(header)) {
    throw invalidField(
      'Idempotency-Key',
      'invalid_format',
      'Idempotency-Key must be 1 to 255 printable ASCII characters',
    );
  }
  const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
  const key = {
    pk: partition(tenant, `idempotency/${digest(`${request.method} ${request.path} ${header}`)}`),
    sk: '0',
  };
  const fingerprint = digest(canonical(request.body));
  const held = { key, owner: randomUUID() };
  const now = epochSeconds();
  try {
    await documentClient().send(
      new PutCommand({
        TableName: env('TABLE_NAME'),
        Item: {
          ...key,
          fingerprint,
          owner: held.owner,
          lockedUntil: now + request.timeoutSeconds + 1,
          expiresAtSeconds: now + keptSeconds,
        },
        ConditionExpression:
          'attribute_not_exists(pk) OR expiresAtSeconds <= :now OR (attribute_not_exists(#status) AND lockedUntil < :now AND fingerprint = :same)',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':now': now, ':same': fingerprint },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { claim: held };
  } catch (error) {
    const item = refusedItem(error);
    if (item === undefined) throw error;
    // The answer to the claim was lost, and the SDK repeated it.
    if (item['owner'] === held.owner) return { claim: held };
    if (item['fingerprint'] !== fingerprint)
      throw conflict('idempotency_key_reused', 'this Idempotency-Key was used with another body');
    if (item['status'] === undefined) {
      throw inProgress();
    }
    return { replay: await stored(key, item) };
  }
}

/** The same text for the same JSON, however it was written. */
const canonical = (body: unknown) =>
  JSON.stringify(body, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );

const inProgress = () =>
  new Problem(
    'conflict',
    'the first call with this Idempotency-Key is still running',
    { reason: 'idempotency_in_progress' },
    {
      headers: { 'Retry-After': '1' },
    },
  );

/** Adds the answer to the transaction that does the work, so that both happen or neither. */
export function keepWith(tx: Transaction, held: Claim, reply: Reply): void {
  const [first, ...rest] = pieces(reply);
  // The claim is gone only when another call took it over after the lock of this one ran out.
  tx.write(
    {
      Update: { TableName: env('TABLE_NAME'), Key: held.key, ...settlement(held, reply, first as Buffer, rest.length) },
    },
    inProgress,
  );
  const expiresAtSeconds = epochSeconds() + keptSeconds;
  for (const [index, piece] of rest.entries()) {
    tx.write({
      Put: { TableName: env('TABLE_NAME'), Item: { pk: held.key.pk, sk: String(index + 1), piece, expiresAtSeconds } },
    });
  }
}

/** Keeps a refusal (404, 409, 412), which changed nothing. */
export async function keepRefusal(held: Claim, reply: Reply): Promise<void> {
  const [first] = pieces(reply);
  await documentClient().send(
    new UpdateCommand({ TableName: env('TABLE_NAME'), Key: held.key, ...settlement(held, reply, first as Buffer, 0) }),
  );
}

/** Gives the key free: the answer is one that is not kept. */
export async function release(held: Claim): Promise<void> {
  await documentClient()
    .send(
      new DeleteCommand({
        TableName: env('TABLE_NAME'),
        Key: held.key,
        ConditionExpression: '#owner = :owner AND attribute_not_exists(#status)',
        ExpressionAttributeNames: { '#owner': 'owner', '#status': 'status' },
        ExpressionAttributeValues: { ':owner': held.owner },
      }),
    )
    .catch((error: unknown) => {
      // Somebody took the key over after its lock ran out: it is theirs now.
      if ((error as { name?: string }).name !== 'ConditionalCheckFailedException') throw error;
    });
}

function settlement(held: Claim, reply: Reply, piece: Buffer, more: number) {
  return {
    UpdateExpression: 'SET #status = :status, headers = :headers, piece = :piece, more = :more',
    ConditionExpression: '#owner = :owner AND attribute_not_exists(#status)',
    ExpressionAttributeNames: { '#owner': 'owner', '#status': 'status' },
    ExpressionAttributeValues: {
      ':status': reply.status,
      ':headers': reply.headers,
      ':piece': piece,
      ':more': more,
      ':owner': held.owner,
    },
  };
}

function pieces(reply: Reply): Buffer[] {
  const packed = gzipSync(reply.body);
  const all: Buffer[] = [];
  for (let start = 0; start < packed.length; start += pieceBytes) all.push(packed.subarray(start, start + pieceBytes));
  return all;
}

async function stored(key: Key, item: Record<string, unknown>): Promise<Reply> {
  const packed = [item['piece'] as Uint8Array];
  if ((item['more'] as number) > 0) {
    for await (const page of pages({ pk: key.pk, ascending: true })) {
      for (const { sk, piece } of page) if (sk !== key.sk) packed.push(piece as Uint8Array);
    }
  }
  return {
    status: item['status'] as number,
    headers: { ...(item['headers'] as Record<string, string>), 'Idempotency-Replayed': 'true' },
    body: gunzipSync(Buffer.concat(packed)).toString(),
  };
}

function refusedItem(error: unknown): Record<string, unknown> | undefined {
  const { name, Item } = error as { name?: string; Item?: Parameters<typeof unmarshall>[0] };
  return name === 'ConditionalCheckFailedException' && Item ? unmarshall(Item) : undefined;
}

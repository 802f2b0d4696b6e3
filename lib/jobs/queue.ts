import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { timestamp } from '#lib/clock.ts';
import { env } from '#lib/env.ts';
import { documentClient } from '#lib/table/client.ts';
import { indexPartition, keyOf } from '#lib/table/entity.ts';
import type { Key } from '#lib/table/keys.ts';
import { pages } from '#lib/table/list.ts';
import { parseStored, Transaction } from '#lib/table/transaction.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import { Jobs, type StoredJob } from './job.ts';

/** The first jobs of an account's queue that are due by a time, in the order in which they are to be sent. */
export async function dueJobs(tenant: Tenant, accountId: number, by: string, limit: number): Promise<StoredJob[]> {
  const range = { pk: indexPartition(tenant, Jobs, `queue=${accountId}`), below: `${by}~`, ascending: true, limit };
  for await (const page of pages(range)) {
    const keys = page.map((entry) => entry.of as Key);
    return new Transaction(tenant, system).findAllByKey(Jobs, keys);
  }
  return [];
}

export interface Claimed {
  job: StoredJob;
  /** An earlier sender died with it in hand: whether the message left is unknown. */
  wasInterrupted: boolean;
}

/**
 * Takes a due job in hand until a time: it can no longer be canceled. One conditional write; undefined when the job is not (or no
 * longer) queued and due, or another sender has it.
 */
export async function claimJob(tenant: Tenant, id: number, untilMs: number): Promise<Claimed | undefined> {
  const now = timestamp();
  const claimedUntil = timestamp(new Date(untilMs));
  const claimedBy = randomUUID();
  try {
    const { Attributes = {} } = await documentClient().send(
      new UpdateCommand({
        TableName: env('TABLE_NAME'),
        Key: keyOf(tenant, Jobs, { id } as StoredJob),
        UpdateExpression: 'SET claimedBefore = claimedUntil, claimedUntil = :until, claimedBy = :claimedBy ADD #v :one',
        ConditionExpression:
          '#status = :queued AND isHeld = :false AND queuedFor <= :now AND (claimedUntil = :null OR claimedUntil <= :now) AND attribute_not_exists(#plan)',
        ExpressionAttributeNames: { '#status': 'status', '#v': 'v', '#plan': 'plan' },
        ExpressionAttributeValues: {
          ':until': claimedUntil,
          ':claimedBy': claimedBy,
          ':queued': 'queued',
          ':false': false,
          ':now': now,
          ':null': null,
          ':one': 1,
        },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return claimed(Attributes);
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const item = error.Item && unmarshall(error.Item);
    // The answer to the claim was lost, and the SDK repeated it.
    return item?.['claimedBy'] === claimedBy ? claimed(item) : undefined;
  }
}

const claimed = (item: Record<string, unknown>): Claimed => ({
  job: parseStored(Jobs, item),
  wasInterrupted: item['claimedBefore'] !== null,
});

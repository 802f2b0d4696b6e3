import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as v from 'valibot';
import { secondMs, timestamp } from '#lib/clock.ts';
import { env } from '#lib/env.ts';
import { documentClient } from '#lib/table/client.ts';
import { entity, keyOf } from '#lib/table/entity.ts';
import { parseStored, type Transaction, transact } from '#lib/table/transaction.ts';
import { operator, system, type Tenant, tenantKey } from '#lib/tenant.ts';

const changeMs = 10 * secondMs;
/** Longer than any sender holds an account. */
const patienceMs = 60 * secondMs;
const pauseMs = 500;

/** What was sent lately, so that the next sender keeps the pace: times in epoch milliseconds, by recipient and of the last minute. */
const Pace = v.object({ peers: v.record(v.string(), v.number()), sends: v.array(v.number()) });
export type Pace = v.InferOutput<typeof Pace>;

/** The one live sender of an account: two connections at once would end a Telegram session for ever. */
const Senders = entity({
  name: 'sender',
  schema: v.object({
    /** Of the account. */
    id: v.number(),
    channel: v.picklist(['telegram', 'twitter']),
    owner: v.string(),
    leaseUntilMs: v.number(),
    pace: v.optional(Pace, { peers: {}, sends: [] }),
    /** When the queue must be looked at again although no job says so. */
    resumeAt: v.optional(v.nullable(v.string()), null),
  }),
  wakeUp: ({ id, channel, resumeAt }, tenant) =>
    resumeAt === null
      ? null
      : { at: resumeAt, queue: channel, message: { accountId: id }, group: `${tenantKey(tenant)}/${channel}/${id}` },
});

type Sender = v.InferOutput<(typeof Senders)['schema']>;

export interface Lease {
  tenant: Tenant;
  accountId: number;
  owner: string;
  untilMs: number;
  pace: Pace;
}

export interface AccountPlace {
  tenant: Tenant;
  channel: Sender['channel'];
  accountId: number;
}

/**
 * Makes this process the account's only sender for so long; one conditional write. Undefined when another one is: should that
 * one die, the queue is looked at when its lease ends.
 */
export async function acquire(place: AccountPlace, leaseMs: number): Promise<Lease | undefined> {
  const { tenant, channel, accountId } = place;
  const now = Date.now();
  const owner = randomUUID();
  try {
    const { Attributes } = await documentClient().send(
      new UpdateCommand({
        TableName: env('TABLE_NAME'),
        Key: keyOf(tenant, Senders, { id: accountId } as Sender),
        UpdateExpression: 'SET #id = :id, channel = :channel, #owner = :owner, leaseUntilMs = :until ADD #v :one',
        ConditionExpression: 'attribute_not_exists(pk) OR leaseUntilMs < :now',
        ExpressionAttributeNames: { '#id': 'id', '#owner': 'owner', '#v': 'v' },
        ExpressionAttributeValues: {
          ':id': accountId,
          ':channel': channel,
          ':owner': owner,
          ':until': now + leaseMs,
          ':now': now,
          ':one': 1,
        },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return leased(place, parseStored(Senders, Attributes ?? {}));
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException) || !error.Item) throw error;
    const held = parseStored(Senders, unmarshall(error.Item));
    // The answer to the claim was lost, and the SDK repeated it.
    if (held.owner === owner) return leased(place, held);
    if (held.resumeAt === null) await resumeAfter(place, held);
    return undefined;
  }
}

const leased = ({ tenant, accountId }: AccountPlace, { owner, leaseUntilMs, pace }: Sender): Lease => ({
  tenant,
  accountId,
  owner,
  untilMs: leaseUntilMs,
  pace,
});

const resumeAfter = ({ tenant, accountId }: AccountPlace, { owner, leaseUntilMs }: Sender) =>
  transact(tenant, system, async (tx) => {
    const sender = await tx.find(Senders, { id: accountId });
    if (sender?.owner === owner && sender.leaseUntilMs === leaseUntilMs && sender.resumeAt === null)
      tx.update(Senders, { ...sender, resumeAt: timestamp(new Date(leaseUntilMs + 1000)) });
  });

/** Gives the account free, with the pace kept and the time at which its queue must be looked at again. */
export const release = (lease: Lease, resumeAt: string | null): Promise<void> =>
  transact(lease.tenant, system, async (tx) => {
    const sender = await tx.find(Senders, { id: lease.accountId });
    if (sender?.owner !== lease.owner) return;
    tx.update(Senders, { ...sender, leaseUntilMs: 0, pace: lease.pace, resumeAt });
  });

/**
 * Does what an operator wants while nobody sends on the account, then lets its queue go on at once. Throws when the account is in use
 * for a minute.
 */
export async function betweenSenders<Result>(
  place: AccountPlace,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const deadline = Date.now() + patienceMs;
  let lease: Lease | undefined;
  while (!lease) {
    lease = await acquire(place, changeMs);
    if (!lease && Date.now() > deadline) throw new Error('the account is in use all the while: try again');
    if (!lease) await sleep(pauseMs);
  }
  try {
    return await transact(place.tenant, operator, work);
  } finally {
    await release(lease, timestamp());
  }
}

import { createHash, randomUUID } from 'node:crypto';
import { ConflictException, CreateScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { shortCalls } from '#lib/aws/short-calls.ts';
import { chunks, inParallel } from '#lib/core/async.ts';
import { minuteMs, now } from '#lib/core/clock.ts';
import { env, queueUrl } from '#lib/core/env.ts';
import { unavailable } from '#lib/core/problem.ts';
import type { QueueName } from '#lib/core/queues.ts';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { isPermanent } from '#lib/table/dead-letter.ts';
import type { TimerRow } from './timer.ts';

let clients: { sqs: SQSClient; scheduler: SchedulerClient } | undefined;
const aws = () => {
  clients ??= { sqs: new SQSClient(shortCalls()), scheduler: new SchedulerClient(shortCalls()) };
  return clients;
};

const maxDelaySeconds = 900;

/** Calls to one queue side by side. */
const maxCalls = 10;

/** A row whose message could not be sent, and why. */
export interface Undispatched {
  row: TimerRow;
  error: unknown;
  /** Its time is so far ahead that only the Scheduler could wait for it. */
  isFar?: boolean;
}

/**
 * Sends the rows' messages for their time: up to 15 minutes ahead by SQS's own delay, beyond that by a one-time schedule. Sending
 * twice does no harm: the row is the truth. Returns those that a queue or the scheduler did not take; the others are sent.
 */
export async function dispatchTimers(rows: readonly TimerRow[]): Promise<Undispatched[]> {
  const nowMs = now();
  const delayed = rows.map((row) => ({
    row,
    delaySeconds: Math.max(0, Math.ceil((new Date(row.at).getTime() - nowMs) / 1000)),
  }));
  const isSoon = ({ delaySeconds }: Delayed) => delaySeconds <= maxDelaySeconds;
  const soon = Map.groupBy(delayed.filter(isSoon), ({ row }) => row.queue);
  const later = delayed.filter((message) => !isSoon(message));
  const undispatched = await Promise.all([
    ...[...soon].map(([queue, messages]) => sendAll(queue, messages)),
    dispatchAll(later, 1, ([{ row }]) => schedule(row)).then((rows) => rows.map((one) => ({ ...one, isFar: true }))),
  ]);
  return undispatched.flat();
}

interface Delayed {
  row: TimerRow;
  delaySeconds: number;
}

const sendAll = (queue: QueueName, messages: readonly Delayed[]): Promise<Undispatched[]> =>
  dispatchAll(messages, 10, (batch) => sendBatch(queue, batch));

/** Does the work for so many messages at a time. Messages that fail together for a reason of their own are tried one by one. */
async function dispatchAll(
  messages: readonly Delayed[],
  size: number,
  work: (batch: [Delayed, ...Delayed[]]) => Promise<Undispatched[] | undefined>,
): Promise<Undispatched[]> {
  const undispatched: Undispatched[] = [];
  const dispatch = async (batch: readonly Delayed[]): Promise<void> => {
    try {
      undispatched.push(...((await work(batch as [Delayed, ...Delayed[]])) ?? []));
    } catch (error) {
      if (batch.length > 1 && isPermanent(error)) for (const message of batch) await dispatch([message]);
      else undispatched.push(...batch.map(({ row }) => ({ row, error })));
    }
  };
  await inParallel(chunks(messages, size), maxCalls, dispatch);
  return undispatched;
}

async function sendBatch(queue: QueueName, batch: readonly Delayed[]): Promise<Undispatched[]> {
  const refused = await send(
    queue,
    batch.map(({ row: { tenant, message }, delaySeconds }) => ({ tenant, message, delaySeconds })),
  );
  return refused.map(({ index, error }) => ({ row: (batch[index] as Delayed).row, error }));
}

/** Message to a tenant's queue that is no timer: no row keeps it. */
interface Message {
  tenant: Tenant;
  message: Record<string, unknown>;
  /** With what it shares its turns, where that is not the tenant. */
  group?: string | undefined;
}

/** Sends messages at once. Throws unless it takes all of them; some may have been taken then. */
export async function sendMessages(queue: QueueName, messages: readonly Message[]): Promise<void> {
  for (const batch of chunks(messages, 10)) {
    const [refused] = await send(
      queue,
      batch.map(({ tenant, message, group }) => ({ tenant: tenantKey(tenant), message, group, delaySeconds: 0 })),
    );
    if (refused) throw refused.error;
  }
}

interface Sent {
  tenant: string;
  message: Record<string, unknown>;
  group?: string | undefined;
  delaySeconds: number;
}

/** Ten messages at most. Returns those that the queue refuses, by their place. */
async function send(queue: QueueName, batch: readonly Sent[]): Promise<{ index: number; error: Error }[]> {
  const command = new SendMessageBatchCommand({
    QueueUrl: queueUrl(queue),
    Entries: batch.map(({ tenant, message, group = tenant, delaySeconds }, index) => ({
      Id: String(index),
      MessageBody: JSON.stringify({ ...message, tenant }),
      DelaySeconds: delaySeconds,
      // Fair queues: one tenant's backlog does not delay the others.
      MessageGroupId: group.replace(':', '-'),
    })),
  });
  const { Failed = [] } = await aws().sqs.send(command);
  return Failed.map(({ Id, Code, SenderFault }) => {
    const refusal = new Error(`the queue ${queue} refuses a message: ${Code}`);
    return { index: Number(Id), error: SenderFault ? refusal : unavailable(1, refusal) };
  });
}

/** Schedules are precise to a minute, so this one fires up to a minute early and the rest is SQS's delay. */
async function schedule(row: TimerRow): Promise<undefined> {
  const at = new Date(new Date(row.at).getTime() - minuteMs).toISOString().slice(0, 19);
  const command = new CreateScheduleCommand({
    // It derives from the row: a second schedule of the same is refused.
    Name: createHash('sha256').update(row.sk).digest('hex'),
    ClientToken: randomUUID(),
    GroupName: env('SCHEDULE_GROUP'),
    ScheduleExpression: `at(${at})`,
    FlexibleTimeWindow: { Mode: 'OFF' },
    ActionAfterCompletion: 'DELETE',
    Target: {
      Arn: queueArn('timers'),
      RoleArn: env('SCHEDULE_ROLE_ARN'),
      DeadLetterConfig: { Arn: env('SCHEDULE_DLQ_ARN') },
      Input: JSON.stringify(row),
    },
  });
  await aws()
    .scheduler.send(command)
    .catch((error: unknown) => {
      if (!(error instanceof ConflictException)) throw error;
    });
  return undefined;
}

/** A queue lies beside that of dead schedules. */
function queueArn(queue: QueueName): string {
  const [name, place] = [queueUrl(queue).split('/').at(-1), env('SCHEDULE_DLQ_ARN').split(':').slice(0, -1)];
  return [...place, name].join(':');
}

import { createHash } from 'node:crypto';
import { ConflictException, CreateScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { minuteMs } from '#lib/clock.ts';
import { env, queueArnVariable, queueUrlVariable } from '#lib/env.ts';
import type { QueueName } from '#lib/queues.ts';
import type { WakeUpRow } from './wake-up.ts';

let sqs: SQSClient | undefined;
let scheduler: SchedulerClient | undefined;

const maxDelaySeconds = 900;

/**
 * Tells the rows' queues at their time: up to 15 minutes ahead by SQS's own delay, beyond that by a one-time schedule. Telling
 * twice does no harm: the row is the truth. Throws when a queue or the scheduler refuses.
 */
export async function sendWakeUps(rows: readonly WakeUpRow[]): Promise<void> {
  const now = Date.now();
  const delayed = rows.map((row) => ({
    row,
    delaySeconds: Math.max(0, Math.ceil((new Date(row.at).getTime() - now) / 1000)),
  }));
  const soon = Map.groupBy(
    delayed.filter(({ delaySeconds }) => delaySeconds <= maxDelaySeconds),
    ({ row }) => row.queue,
  );
  const later = delayed.filter(({ delaySeconds }) => delaySeconds > maxDelaySeconds);
  await Promise.all([
    ...[...soon].map(([queue, messages]) => sendAll(queue, messages)),
    ...later.map(({ row }) => schedule(row)),
  ]);
}

async function sendAll(queue: QueueName, messages: readonly { row: WakeUpRow; delaySeconds: number }[]): Promise<void> {
  sqs ??= new SQSClient({});
  for (let start = 0; start < messages.length; start += 10) {
    const batch = messages.slice(start, start + 10);
    const { Failed = [] } = await sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: queueUrl(queue),
        Entries: batch.map(({ row, delaySeconds }, index) => ({
          Id: String(index),
          MessageBody: JSON.stringify({ ...row.message, tenant: row.tenant }),
          DelaySeconds: delaySeconds,
          // Fair queues: one tenant's backlog does not delay the others.
          MessageGroupId: row.tenant.replace(':', '-'),
        })),
      }),
    );
    if (Failed.length > 0) throw new Error(`${Failed.length} wake-ups for ${queue} were refused: ${Failed[0]?.Code}`);
  }
}

/** Schedules are precise to a minute, so this one fires up to a minute early and the rest is SQS's delay. */
async function schedule(row: WakeUpRow): Promise<void> {
  scheduler ??= new SchedulerClient({});
  const at = new Date(new Date(row.at).getTime() - minuteMs).toISOString().slice(0, 19);
  try {
    await scheduler.send(
      new CreateScheduleCommand({
        Name: createHash('sha256').update(row.sk).digest('hex'),
        GroupName: env('SCHEDULE_GROUP'),
        ScheduleExpression: `at(${at})`,
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        Target: {
          Arn: queueArn('wake-ups'),
          RoleArn: env('SCHEDULE_ROLE_ARN'),
          DeadLetterConfig: { Arn: env('SCHEDULE_DLQ_ARN') },
          Input: JSON.stringify(row),
        },
      }),
    );
  } catch (error) {
    // The name derives from the row: it is already there.
    if (!(error instanceof ConflictException)) throw error;
  }
}

function variable(name: string): string {
  const value = process.env[name];
  if (!value)
    throw new Error(
      `environment variable ${name} is absent: the function does not declare that it sends to this queue`,
    );
  return value;
}

const queueUrl = (queue: QueueName) => variable(queueUrlVariable(queue));
const queueArn = (queue: QueueName) => variable(queueArnVariable(queue));

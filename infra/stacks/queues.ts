import { CfnOutput, Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { WorkerFunction } from '#infra/functions.ts';
import { queues as names, type QueueName } from '#lib/core/queues.ts';
import type { WorkerSettings } from '#lib/queues/worker.ts';
import { pascalCase } from '../names.ts';
import type { Alarms } from './alarms.ts';
import { acknowledge } from './role.ts';

export type Queues = Readonly<Record<QueueName, Queue>>;

/** Every queue, each with its dead-letter queue, its alarms and a visibility that follows its consumer's time-out. */
export function createQueues(scope: Construct, workers: readonly WorkerFunction[], alarms: Alarms): Queues {
  const consumers = consumersOf(workers);
  const entries = names.map((name) => [
    name,
    createQueue(scope, name, consumers.get(name)?.timeoutSeconds ?? 30, alarms),
  ]);
  return Object.fromEntries(entries) as Record<QueueName, Queue>;
}

function consumersOf(workers: readonly WorkerFunction[]): Map<QueueName, WorkerSettings> {
  const consumers = new Map<QueueName, WorkerSettings>();
  for (const { file, worker } of workers) {
    if (!('queue' in worker.trigger)) continue;
    const { queue } = worker.trigger;
    if (consumers.has(queue)) throw new Error(`${file}: the queue ${queue} has another consumer already`);
    consumers.set(queue, worker);
  }
  return consumers;
}

function createQueue(scope: Construct, name: QueueName, consumerTimeoutSeconds: number, alarms: Alarms): Queue {
  const id = `${pascalCase(name)}Queue`;
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
    visibilityTimeout: Duration.seconds(6 * consumerTimeoutSeconds),
    deadLetterQueue: { maxReceiveCount: 5, queue: createDeadLetterQueue(scope, `${pascalCase(name)}Dead`, alarms) },
  });
  alarms.add(queue, 'Old', {
    metric: queue.metricApproximateAgeOfOldestMessage(),
    threshold: 15 * 60,
    description: `The queue ${name} has not kept up for 15 minutes`,
  });
  // Named so that `npm run admin -- … --stack` finds the environment variable QUEUE_URL_… in it.
  new CfnOutput(scope, `QueueUrl${pascalCase(name)}`, { value: queue.queueUrl });
  return queue;
}

/** A queue whose every message means a fault of ours, so it rings at the first. */
export function createDeadLetterQueue(scope: Construct, id: string, alarms: Alarms): Queue {
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  acknowledge(queue, 'SQS3', 'It is a dead-letter queue itself, of a queue, a stream, a rule or the schedules');
  alarms.add(queue, 'NotEmpty', {
    metric: queue.metricApproximateNumberOfMessagesVisible(),
    threshold: 0,
    description: `${id} holds a message that could not be handled`,
  });
  return queue;
}

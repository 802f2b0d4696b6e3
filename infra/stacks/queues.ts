import { CfnOutput, Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { WorkerFunction } from '#infra/functions.ts';
import type { QueueName } from '#lib/queues.ts';
import { pascalCase } from '../names.ts';
import type { Alarms } from './alarms.ts';

export type Queues = ReadonlyMap<QueueName, Queue>;

/** One queue for each worker that consumes one, with its dead-letter queue and alarms. */
export function createQueues(scope: Construct, workers: readonly WorkerFunction[], alarms: Alarms): Queues {
  const queues = new Map<QueueName, Queue>();
  for (const { file, worker } of workers) {
    if (!('queue' in worker.trigger)) continue;
    const { queue: name } = worker.trigger;
    if (queues.has(name)) throw new Error(`${file}: the queue ${name} has another consumer already`);
    queues.set(name, createQueue(scope, name, worker.timeoutSeconds, alarms));
  }
  return queues;
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
  new CfnOutput(scope, `${id}Url`, { value: queue.queueUrl });
  return queue;
}

/** A queue whose every message means a fault of ours, so it rings at the first. */
export function createDeadLetterQueue(scope: Construct, id: string, alarms: Alarms): Queue {
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  alarms.add(queue, 'NotEmpty', {
    metric: queue.metricApproximateNumberOfMessagesVisible(),
    threshold: 0,
    description: `${id} holds a message that could not be handled`,
  });
  return queue;
}

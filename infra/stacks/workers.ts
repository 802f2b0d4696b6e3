import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { EventSourceMapping, FilterCriteria, type Function as Lambda, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { FilterPattern, SubscriptionFilter } from 'aws-cdk-lib/aws-logs';
import { LambdaDestination as LogsToLambda } from 'aws-cdk-lib/aws-logs-destinations';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { WorkerFunction } from '#infra/functions.ts';
import type { Trigger } from '#lib/queues/worker.ts';
import { pascalCase } from '../names.ts';
import { shareOf } from './concurrency.ts';
import { createFunctions, type Deployment } from './functions.ts';
import { watchMetrics } from './metrics.ts';
import { withoutKeys } from './needs.ts';
import { createDeadLetterQueue } from './queues.ts';
import type { Permission } from './role.ts';

type TriggerOf<Kind extends string> = Extract<Trigger, Record<Kind, unknown>>;

/** How a trigger becomes resources: what the function must be allowed, and what starts it. */
interface Source {
  permissions: Permission[];
  connect(lambda: Lambda): void;
}

/** By the name of its function. */
export type Workers = ReadonlyMap<string, Lambda>;

/** The functions that queues, the stream, a log and rules start, each with a role of its own. */
export function createWorkers(deployment: Deployment, workers: readonly WorkerFunction[]): Workers {
  const { stack, alarms } = deployment;
  const created = new Map<string, Lambda>();
  const rulesDead = createDeadLetterQueue(stack, 'RulesDead', alarms);
  for (const { worker, ...file } of workers) {
    const source = sourceOf(worker.trigger, deployment, pascalCase(file.name), rulesDead);
    const { summary, timeoutSeconds, memoryMb = 512, diskMb, readsUntrusted = false } = worker;
    const settings = { ...file, summary, timeoutSeconds, memoryMb, ...(diskMb && { diskMb }) };
    const permissions = [...source.permissions, ...(readsUntrusted ? [withoutKeys(deployment.resources)] : [])];
    const [lambda] = createFunctions(deployment, file.name, [settings], {
      kind: 'worker',
      more: permissions,
    }) as [Lambda];
    source.connect(lambda);
    watchMetrics(lambda, file.name, alarms);
    created.set(file.name, lambda);
  }
  return created;
}

function sourceOf(trigger: Trigger, deployment: Deployment, id: string, deadLetters: Queue): Source {
  if ('queue' in trigger) return fromQueue(trigger, deployment);
  if ('stream' in trigger) return fromStream(trigger, deployment, id);
  if ('log' in trigger) return fromLog(trigger, deployment, id);
  return fromRule(id, Schedule.expression(trigger.rate), deadLetters);
}

function fromQueue(trigger: TriggerOf<'queue'>, { resources, accountConcurrency }: Deployment): Source {
  const { queueArn } = resources.queues[trigger.queue];
  const actions = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'];
  const { batchSize, batchingWindowSeconds, maxConcurrency } = trigger;
  return {
    permissions: [{ actions: actions.map((action) => `sqs:${action}`), resources: [queueArn] }],
    connect: (target) =>
      new EventSourceMapping(target, 'Source', {
        target,
        eventSourceArn: queueArn,
        batchSize,
        reportBatchItemFailures: true,
        ...(batchingWindowSeconds === undefined ? {} : { maxBatchingWindow: Duration.seconds(batchingWindowSeconds) }),
        maxConcurrency: shareOf(maxConcurrency, accountConcurrency),
      }),
  };
}

function fromStream(trigger: TriggerOf<'stream'>, { stack, resources, alarms }: Deployment, id: string): Source {
  const streamArn = resources.table.tableStreamArn as string;
  const deadLetters = createDeadLetterQueue(stack, `${id}Dead`, alarms);
  const actions = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'];
  return {
    permissions: [
      { actions: actions.map((action) => `dynamodb:${action}`), resources: [streamArn] },
      { actions: ['sqs:SendMessage'], resources: [deadLetters.queueArn] },
    ],
    connect(target) {
      new EventSourceMapping(target, 'Source', {
        target,
        eventSourceArn: streamArn,
        startingPosition: StartingPosition.TRIM_HORIZON,
        batchSize: trigger.batchSize,
        // One batch of a shard at a time. With more Lambda keeps the order of a single item alone (developer guide, "Using
        // Lambda with DynamoDB", parallelization factor), and each row of the outbox is an item of its own.
        parallelizationFactor: 1,
        filters: trigger.filters.map((filter) => FilterCriteria.filter(filter)),
        reportBatchItemFailures: true,
        bisectBatchOnError: true,
        retryAttempts: 3,
        onFailure: new SqsDlq(deadLetters),
      });
      alarms.add(target, 'Late', {
        metric: target.metric('IteratorAge', { statistic: Stats.MAXIMUM }),
        threshold: Duration.minutes(5).toMilliseconds(),
        description: `${id} is more than 5 minutes behind the table`,
      });
    },
  };
}

/** Nothing waits for what CloudWatch Logs hands over: Lambda repeats what failed, after one minute and after two. */
function fromLog(trigger: TriggerOf<'log'>, { stack, logs, alarms }: Deployment, id: string): Source {
  const deadLetters = createDeadLetterQueue(stack, `${id}Dead`, alarms);
  return {
    permissions: [{ actions: ['sqs:SendMessage'], resources: [deadLetters.queueArn] }],
    connect(lambda) {
      new SubscriptionFilter(lambda, 'Source', {
        logGroup: logs.endpoint,
        destination: new LogsToLambda(lambda),
        filterPattern: FilterPattern.literal(trigger.pattern),
      });
      lambda.configureAsyncInvoke({ retryAttempts: 2, onFailure: new SqsDestination(deadLetters) });
    },
  };
}

const fromRule = (id: string, schedule: Schedule, deadLetters: Queue): Source => ({
  permissions: [],
  connect(lambda) {
    new Rule(lambda, 'Rule', {
      schedule,
      description: `Starts ${id}`,
      targets: [new LambdaFunction(lambda, { deadLetterQueue: deadLetters })],
    });
    // The next schedule retries a failed run, so Lambda must not: it would retry twice, and keep throttled runs for
    // six hours.
    lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
  },
});

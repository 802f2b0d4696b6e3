import { beforeAll, describe, expect, test } from 'vitest';
import type { FindResources } from '#infra/local/template.ts';
import { minuteMs } from '#lib/core/clock.ts';
import { assemblyFolder } from '#test/infra/assembly.ts';
import {
  type AlarmProperties,
  type DataPoint,
  readAlarms,
  setOff,
  statesOf,
  type Watched,
  watchedBy,
} from '#test/infra/cloudwatch.ts';

let of: FindResources;
let alarms: ReadonlyMap<string, AlarmProperties>;

beforeAll(async () => {
  ({ of, alarms } = readAlarms(await assemblyFolder('full')));
});

/** What AWS measures by itself: what each dimension names, and which statistics mean something, by https://docs.aws.amazon.com/<source>. */
const ofAws: Record<string, { dimensions: Record<string, string>; statistics: string[]; source: string }> = {
  'AWS/SQS ApproximateNumberOfMessagesVisible': {
    dimensions: { QueueName: 'AWS::SQS::Queue' },
    statistics: ['Maximum', 'Average', 'Minimum', 'Sum'],
    source: 'AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html',
  },
  'AWS/SQS ApproximateAgeOfOldestMessage': {
    dimensions: { QueueName: 'AWS::SQS::Queue' },
    statistics: ['Maximum', 'Average', 'Minimum'],
    source: 'AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html',
  },
  'AWS/Lambda IteratorAge': {
    dimensions: { FunctionName: 'AWS::Lambda::Function' },
    statistics: ['Maximum', 'Average'],
    source: 'lambda/latest/dg/monitoring-metrics-types.html',
  },
  'AWS/Lambda Throttles': {
    dimensions: {},
    statistics: ['Sum'],
    source: 'lambda/latest/dg/monitoring-metrics-types.html',
  },
  'AWS/Lambda ConcurrentExecutions': {
    dimensions: {},
    statistics: ['Maximum'],
    source: 'lambda/latest/dg/monitoring-metrics-types.html',
  },
  'AWS/Lambda Invocations': {
    dimensions: {},
    statistics: ['Sum'],
    source: 'lambda/latest/dg/monitoring-metrics-types.html',
  },
  'AWS/DynamoDB ConsumedWriteCapacityUnits': {
    dimensions: { TableName: 'AWS::DynamoDB::Table' },
    statistics: ['Sum'],
    source: 'amazondynamodb/latest/developerguide/metrics-dimensions.html',
  },
  'AWS/DynamoDB ConsumedReadCapacityUnits': {
    dimensions: { TableName: 'AWS::DynamoDB::Table' },
    statistics: ['Sum'],
    source: 'amazondynamodb/latest/developerguide/metrics-dimensions.html',
  },
  'AWS/SES Reputation.BounceRate': {
    dimensions: {},
    statistics: ['Average', 'Maximum'],
    source: 'ses/latest/dg/reputationdashboard-cloudwatch-alarm.html',
  },
  'AWS/SES Reputation.ComplaintRate': {
    dimensions: {},
    statistics: ['Average', 'Maximum'],
    source: 'ses/latest/dg/reputationdashboard-cloudwatch-alarm.html',
  },
  'AWS/ApiGateway 5xx': {
    dimensions: { ApiId: 'AWS::ApiGatewayV2::Api' },
    statistics: ['Sum'],
    source: 'apigateway/latest/developerguide/http-api-metrics.html',
  },
};

const pointOf = ({ Namespace, MetricName, Dimensions = [] }: Watched, value: number, atMs: number): DataPoint => ({
  namespace: Namespace,
  name: MetricName,
  dimensions: Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value])),
  unit: 'None',
  value,
  atMs,
});

describe('every alarm', () => {
  test('is set off by a test, or looks at what AWS measures under that name of a resource that is there', () => {
    expect(alarms.size).toBeGreaterThan(40);
    expect(setOff.filter((name) => !alarms.has(name))).toEqual([]);
    const used = new Set<string>();
    for (const [name, alarm] of alarms) {
      if (setOff.includes(name)) continue;
      for (const [, { Namespace, MetricName, Dimensions = [], statistic }] of watchedBy(alarm)) {
        const key = `${Namespace} ${MetricName}`;
        const known = ofAws[key];
        expect(known, `${name}: ${key}`).toBeDefined();
        if (!known) continue;
        used.add(key);
        expect(Dimensions.map((dimension) => dimension.Name).sort(), `${name}, ${known.source}`).toEqual(
          Object.keys(known.dimensions).sort(),
        );
        expect(known.statistics, `${name}, ${known.source}`).toContain(statistic);
        for (const { Name, Value } of Dimensions)
          expect(
            of(known.dimensions[Name] as string).flatMap(({ ref, name: named }) => [ref, named]),
            `${name}: ${Name}`,
          ).toContain(Value);
      }
    }
    expect(Object.keys(ofAws).filter((key) => !used.has(key))).toEqual([]);
  });

  test('goes off just above its threshold, not at it, and notifies the topic', () => {
    const topics = of('AWS::SNS::Topic').flatMap(({ id, ref }) => (id.startsWith('Alarms') ? [ref] : []));
    expect(topics).toHaveLength(1);
    for (const [name, alarm] of alarms) {
      expect(alarm.ActionsEnabled ?? true, name).toBe(true);
      expect(alarm.AlarmActions, name).toEqual(topics);
      const [watched] = watchedBy(alarm);
      if (alarm.Metrics || !watched) continue;
      const periodMs = watched[1].periodSeconds * 1000;
      const times = Array.from({ length: alarm.EvaluationPeriods }, (_, index) => index * periodMs);
      const at = (value: number) => times.map((atMs) => pointOf(watched[1], value, atMs));
      const endMs = (alarm.EvaluationPeriods - 1) * periodMs;
      expect(statesOf(alarm, at(alarm.Threshold), endMs, endMs), name).toEqual(['OK']);
      expect(statesOf(alarm, at(alarm.Threshold + 1), endMs, endMs), name).toEqual(['ALARM']);
    }
  });
});

test('the sweeper’s alarms go off after three minutes of silence, not after two', () => {
  for (const name of ['WorkersSweepOverdue', 'WorkersSweepUnpublished', 'WorkersSweepDeadLetters']) {
    const alarm = alarms.get(name) as AlarmProperties;
    // From the third minute on, the first of which the three periods are there.
    const states = (points: DataPoint[]) => statesOf(alarm, points, 3 * minuteMs, 5 * minuteMs);
    const quiet = watchedBy(alarm).flatMap(([, metric]) =>
      [1, 2].map((minute) => pointOf(metric, 0, minute * minuteMs)),
    );
    const rings = name !== 'WorkersSweepDeadLetters';
    expect(states([]), name).toEqual(rings ? ['ALARM', 'ALARM', 'ALARM'] : ['OK', 'OK', 'OK']);
    expect(states(quiet), name).toEqual(rings ? ['OK', 'OK', 'ALARM'] : ['OK', 'OK', 'OK']);
  }
});

import { App, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { beforeAll, expect, test, vi } from 'vitest';
import { loadWorkers, type WorkerFunction } from '#infra/functions.ts';
import { Alarms } from '#infra/stacks/alarms.ts';
import { reservedOf, shareOf, watchConcurrency } from '#infra/stacks/concurrency.ts';
import { createHttpApi } from '#infra/stacks/http-api.ts';
import { watchSpending } from '#infra/stacks/spending.ts';
import { assemblyFolder, readAssembly } from '#test/infra/assembly.ts';

// A stack that is one part of it is not for CloudFormation to take.
vi.stubEnv('CDK_VALIDATION', 'false');

let workers: WorkerFunction[];
beforeAll(async () => {
  workers = await loadWorkers();
});

const stackWith = (add: (stack: Stack, alarms: Alarms) => void) => {
  const stack = new Stack(new App(), 'Stack');
  add(stack, new Alarms(stack, undefined));
  return stack;
};

test('a share shrinks with a smaller account, down to the minimum of AWS', () => {
  expect([1_000, 500, 100, 10, 5_000].map((account) => shareOf(150, account))).toEqual([150, 75, 15, 2, 150]);
});

test('slow functions reserve their concurrency where it is set and the account keeps 100', () => {
  const reserve = (slowConcurrency: number | undefined, accountConcurrency: number) =>
    reservedOf({ slowConcurrency, accountConcurrency }, 4);
  expect([reserve(undefined, 10), reserve(undefined, 1_000), reserve(20, 180)]).toEqual([undefined, undefined, 20]);
  expect(() => reserve(20, 179)).toThrow('4 functions reserve it, and 100 of 179 must be left');
});

test('an account whose workers may take more than half of it is warned of', () => {
  const warnings = (accountConcurrency: number) => {
    const stack = stackWith((of, alarms) => watchConcurrency(of, alarms, workers, accountConcurrency));
    return Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('little-concurrency')).length;
  };
  const declared = workers.flatMap(({ worker: { trigger } }) => ('queue' in trigger ? [trigger.maxConcurrency] : []));
  const isTooMuch = (account: number) => declared.reduce((sum, one) => sum + shareOf(one, account), 0) > account / 2;
  // The smallest account that is not warned of depends on how many workers there are.
  const smallest = Array.from({ length: 1_000 }, (_, account) => account).findLast(isTooMuch) ?? 0;
  expect([1_000, smallest + 1, smallest, 10].map(warnings)).toEqual([0, 0, 1, 1]);
});

test('API Gateway lets through what the operator says', async () => {
  const stack = stackWith((of, alarms) => createHttpApi(of, [], alarms, { requestsPerSecond: 20_001 }));
  Template.fromStack(stack).hasResourceProperties('AWS::ApiGatewayV2::Stage', {
    DefaultRouteSettings: { ThrottlingRateLimit: 20_001, ThrottlingBurstLimit: 10_001 },
  });
  const { ofType } = await readAssembly(await assemblyFolder('prod'));
  const settings = ofType('AWS::ApiGatewayV2::Stage').map(([, { Properties }]) => Properties.DefaultRouteSettings);
  expect(settings).toMatchObject([{ ThrottlingRateLimit: 30_000 }]);
});

test('alarms without a subscriber cause a warning', () => {
  const warnings = (email: string | undefined) => {
    const stack = new Stack(new App(), 'Stack');
    new Alarms(stack, email);
    return Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('alarms-not-heard')).length;
  };
  expect([undefined, 'ops@example.com'].map(warnings)).toEqual([1, 0]);
});

test('a budget notifies the topic, and is created after the topic’s policy', () => {
  const limits = { alarmWriteUnits: 7, alarmReadUnits: 8, alarmInvocations: 9 };
  const stackOf = (monthlyBudget: number | undefined) =>
    stackWith((stack, alarms) => {
      const table = new Table(stack, 'Table', { partitionKey: { name: 'pk', type: AttributeType.STRING } });
      watchSpending(stack, alarms, table, { ...limits, monthlyBudget });
    });
  Template.fromStack(stackOf(undefined)).resourceCountIs('AWS::Budgets::Budget', 0);
  const stack = stackOf(500);
  const template = Template.fromStack(stack);
  const [policy] = Object.keys(template.findResources('AWS::SNS::TopicPolicy'));
  template.hasResource('AWS::Budgets::Budget', {
    DependsOn: Match.arrayWith([policy]),
    Properties: { Budget: { BudgetLimit: { Amount: 500, Unit: 'USD' }, TimeUnit: 'MONTHLY' } },
  });
  const monitoring = Template.fromStack(stack.node.findChild('Monitoring') as Stack);
  const alarms = Object.values(monitoring.findResources('AWS::CloudWatch::Alarm'));
  expect(alarms.map(({ Properties: { Threshold, Period } }) => [Threshold, Period])).toEqual([
    [7, 900],
    [8, 900],
    [9, 900],
  ]);
});

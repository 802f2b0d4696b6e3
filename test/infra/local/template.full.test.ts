import { writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { readDeployment } from '#infra/local/template.ts';
import { temporaryFolder, writeAssembly } from '#test/infra/local/cloud-assembly.ts';

const servers = {
  accountId: '111111111111',
  region: 'eu-west-1',
  sqsUrl: 'http://127.0.0.1:9324',
  apiUrl: 'http://127.0.0.1:3000',
  keyId: 'the-key',
};
const folder = temporaryFolder();
afterAll(folder.remove);
let count = 0;

const read = (Resources: Record<string, unknown>, data: Parameters<typeof writeAssembly>[1] = {}) => {
  count += 1;
  return readDeployment(writeAssembly(`${folder.path}/${count}`, { Api: { Resources }, ...data }), servers);
};

const writeTemplate = (template: object) => {
  count += 1;
  const path = `${folder.path}/${count}.nested.template.json`;
  writeFileSync(path, JSON.stringify(template));
  return path;
};

const nested = (template: object, Parameters = {}) => ({
  Type: 'AWS::CloudFormation::Stack',
  Properties: { Parameters },
  Metadata: { 'aws:asset:path': writeTemplate(template) },
});

const lambda = (Variables: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => ({
  Type: 'AWS::Lambda::Function',
  Properties: { Handler: 'index.handler', Environment: { Variables }, ...more },
  Metadata: { 'aws:asset:path': 'asset.1' },
});

test('a function gets exactly the variables of its template, resolved across stacks', () => {
  const { functions } = read(
    {
      Work: lambda({
        TABLE_NAME: { 'Fn::GetStackOutput': { StackName: 'Data', OutputName: 'A' } },
        QUEUE_URL: { Ref: 'Jobs' },
        QUEUE_ARN: { 'Fn::GetAtt': ['Jobs', 'Arn'] },
        KEY: { 'Fn::GetStackOutput': { StackName: 'Data', OutputName: 'B' } },
        WHERE: { 'Fn::Sub': `\${AWS::Region}/\${AWS::AccountId}/\${Jobs.QueueName}/\${!Literal}` },
        JOINED: { 'Fn::Join': ['-', ['a', { 'Fn::Select': [1, { 'Fn::Split': ['.', 'x.b'] }] }]] },
        API: { 'Fn::GetAtt': ['Http', 'ApiEndpoint'] },
        ABSENT: { Ref: 'AWS::NoValue' },
      }),
      Jobs: { Type: 'AWS::SQS::Queue' },
      Http: { Type: 'AWS::ApiGatewayV2::Api' },
    },
    {
      Data: {
        Resources: { Table: { Type: 'AWS::DynamoDB::Table' }, Key: { Type: 'AWS::KMS::Key' } },
        Outputs: {
          A: { Value: { Ref: 'Table' } },
          B: { Value: { Ref: 'Key' } },
        },
      },
    },
  );
  expect(functions[0]?.environment).toEqual({
    TABLE_NAME: 'Data-Table',
    QUEUE_URL: 'http://127.0.0.1:9324/111111111111/Api-Jobs',
    QUEUE_ARN: 'arn:aws:sqs:eu-west-1:111111111111:Api-Jobs',
    KEY: 'the-key',
    WHERE: `eu-west-1/111111111111/Api-Jobs/\${Literal}`,
    JOINED: 'a-b',
    API: 'http://127.0.0.1:3000',
  });
});

test('the parameters of a nested stack are resolved in it', () => {
  const Queue = { Type: 'AWS::SQS::Queue', Properties: { RedrivePolicy: { deadLetterTargetArn: { Ref: 'Arn' } } } };
  const { queues } = read({
    Dead: { Type: 'AWS::SQS::Queue' },
    Nested: nested(
      { Resources: { Queue }, Parameters: { Arn: { Type: 'String' } } },
      { Arn: { 'Fn::GetAtt': ['Dead', 'Arn'] } },
    ),
  });
  const [dead, inner] = queues;
  expect([dead?.name, inner?.name]).toEqual(['Api-Dead', 'Api-Queue']);
  expect(inner?.attributes['RedrivePolicy']).toEqual({
    deadLetterTargetArn: 'arn:aws:sqs:eu-west-1:111111111111:Api-Dead',
  });
});

test('an output of a nested stack is resolved in its parent and in another nested stack', () => {
  const first = { Resources: { Jobs: { Type: 'AWS::SQS::Queue' } }, Outputs: { Url: { Value: { Ref: 'Jobs' } } } };
  const second = { Resources: { Inner: lambda({ URL: { Ref: 'Given' } }) }, Parameters: { Given: { Type: 'String' } } };
  const output = { 'Fn::GetAtt': ['First', 'Outputs.Url'] };
  const { functions } = read({
    Outer: lambda({ URL: output }),
    First: nested(first),
    Second: nested(second, { Given: output }),
  });
  const URL = 'http://127.0.0.1:9324/111111111111/Api-Jobs';
  expect(functions).toMatchObject([
    { name: 'Api-Outer', environment: { URL } },
    { name: 'Api-Inner', environment: { URL } },
  ]);
});

test('a name that a nested stack and its parent both have is refused', () => {
  const Jobs = { Type: 'AWS::SQS::Queue' };
  expect(() => read({ Jobs, Nested: nested({ Resources: { Jobs } }) })).toThrow('both have Jobs');
});

test('a reference to what is not in the template is refused by name', () => {
  expect(() => read({ Work: lambda({ URL: { Ref: 'Forgotten' } }) })).toThrow('Api has no resource Forgotten');
  const nobody = { 'Fn::GetStackOutput': { StackName: 'Data', OutputName: 'Nobody' } };
  expect(() => read({ Work: lambda({ URL: nobody }) })).toThrow('Data has no output Nobody');
});

test('a function has the time, memory and reserved concurrency of its template, or the defaults of Lambda', () => {
  const { functions } = read({
    Big: lambda({}, { Timeout: 60, MemorySize: 1024, ReservedConcurrentExecutions: 2 }),
    Plain: lambda(),
  });
  expect(functions).toMatchObject([
    { name: 'Api-Big', timeoutSeconds: 60, memoryMb: 1024, reservedConcurrency: 2 },
    { name: 'Api-Plain', timeoutSeconds: 3, memoryMb: 128, reservedConcurrency: undefined },
  ]);
});

test('a dead-letter queue comes before the queues that send to it', () => {
  const redrive = { deadLetterTargetArn: { 'Fn::GetAtt': ['Dead', 'Arn'] }, maxReceiveCount: 5 };
  const { queues } = read({
    Jobs: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 60, RedrivePolicy: redrive } },
    Dead: { Type: 'AWS::SQS::Queue' },
  });
  expect(queues).toEqual([
    { name: 'Api-Dead', attributes: {} },
    {
      name: 'Api-Jobs',
      attributes: {
        VisibilityTimeout: 60,
        RedrivePolicy: { deadLetterTargetArn: 'arn:aws:sqs:eu-west-1:111111111111:Api-Dead', maxReceiveCount: 5 },
      },
    },
  ]);
});

test('mappings of queues and streams carry batches, filters, failures and retries', () => {
  const { queueMappings, streamMappings } = read({
    Work: lambda(),
    Jobs: { Type: 'AWS::SQS::Queue' },
    Table: { Type: 'AWS::DynamoDB::Table' },
    FromQueue: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: { 'Fn::GetAtt': ['Jobs', 'Arn'] },
        FunctionName: { Ref: 'Work' },
        BatchSize: 7,
        MaximumBatchingWindowInSeconds: 2,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 3 },
      },
    },
    FromStream: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: { 'Fn::GetAtt': ['Table', 'StreamArn'] },
        FunctionName: { 'Fn::GetAtt': ['Work', 'Arn'] },
        FilterCriteria: { Filters: [{ Pattern: '{"eventName":["INSERT"]}' }] },
        BisectBatchOnFunctionError: true,
        MaximumRetryAttempts: 3,
        DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': ['Jobs', 'Arn'] } } },
      },
    },
  });
  expect(queueMappings).toEqual([
    {
      id: 'FromQueue',
      functionName: 'Api-Work',
      queueArn: 'arn:aws:sqs:eu-west-1:111111111111:Api-Jobs',
      batchSize: 7,
      windowSeconds: 2,
      filters: [],
      reportsItemFailures: true,
      maxConcurrency: 3,
    },
  ]);
  expect(streamMappings).toEqual([
    {
      id: 'FromStream',
      functionName: 'Api-Work',
      streamArn: 'arn:aws:dynamodb:eu-west-1:111111111111:table/Api-Table/stream/local',
      tableName: 'Api-Table',
      batchSize: 100,
      windowSeconds: 0,
      filters: [{ eventName: ['INSERT'] }],
      reportsItemFailures: false,
      bisects: true,
      maxRetries: 3,
      maxAgeSeconds: Number.POSITIVE_INFINITY,
      onFailureQueueArn: 'arn:aws:sqs:eu-west-1:111111111111:Api-Jobs',
    },
  ]);
});

test('routes come from the OpenAPI body, rules from their rate, groups by name', () => {
  const integration = (id: string) => ({
    'x-amazon-apigateway-integration': {
      uri: { 'Fn::Sub': `arn:aws:apigateway:x:lambda:path/2015-03-31/functions/\${${id}.Arn}/invocations` },
    },
  });
  const { routes, rules, scheduleGroups } = read({
    Work: lambda(),
    Fallback: lambda(),
    Group: { Type: 'AWS::Scheduler::ScheduleGroup', Properties: { Name: 'later' } },
    Rule: {
      Type: 'AWS::Events::Rule',
      Properties: { ScheduleExpression: 'rate(2 hours)', Targets: [{ Arn: { 'Fn::GetAtt': ['Work', 'Arn'] } }] },
    },
    Pattern: { Type: 'AWS::Events::Rule', Properties: { EventPattern: { source: ['aws.s3'] } } },
    Http: {
      Type: 'AWS::ApiGatewayV2::Api',
      Properties: {
        Body: {
          paths: {
            '/v1/things/{id}': { parameters: [], get: integration('Work') },
            $default: { 'x-amazon-apigateway-any-method': integration('Fallback') },
          },
        },
      },
    },
  });
  expect(routes).toEqual([
    { method: 'GET', path: '/v1/things/{id}', functionName: 'Api-Work' },
    { method: 'ANY', path: '$default', functionName: 'Api-Fallback' },
  ]);
  expect(rules).toMatchObject([{ functionName: 'Api-Work', intervalMs: 7_200_000 }]);
  expect(scheduleGroups).toEqual(['later']);
});

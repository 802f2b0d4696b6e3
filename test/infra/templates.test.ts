import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { environmentOfOutputs } from '#infra/admin/stack.ts';
import { loadRoutes, loadWorkers, type RouteFunction, type WorkerFunction } from '#infra/functions.ts';
import { logMatcher } from '#infra/local/mappings/log-pattern.ts';
import { pascalCase } from '#infra/names.ts';
import { queueUrlVariable, settings } from '#lib/core/env.ts';
import type { Need } from '#lib/core/needs.ts';
import type { QueueName } from '#lib/core/queues.ts';
import { queues } from '#lib/core/queues.ts';
import { assemblyFolder, readAssembly } from '#test/infra/assembly.ts';

let assembly: Awaited<ReturnType<typeof readAssembly>>;
let routes: RouteFunction[];
let workers: WorkerFunction[];

beforeAll(async () => {
  assembly = await readAssembly(await assemblyFolder('full'));
  [routes, workers] = await Promise.all([loadRoutes(), loadWorkers()]);
});

/** Routes share the integration of their function. */
const integrationsIn = (body: { components: Record<string, object> }) =>
  Object.keys(body.components['x-amazon-apigateway-integrations'] ?? {}).length;

/** Returns the number of methods of all paths. */
const routesIn = (body: { paths: Record<string, object> }) =>
  Object.values(body.paths).flatMap((path) => Object.keys(path).filter((name) => name !== 'parameters')).length;

const maxRoutes = 300;

const idOf = (reference: { 'Fn::GetAtt'?: [string, string]; Ref?: string }) =>
  reference['Fn::GetAtt']?.[0] ?? reference.Ref;

describe('templates', () => {
  // CloudFormation takes a megabyte: operators' settings have what is left, 2 KB in each function.
  test('each has at most 400 resources and 600 KB', () => {
    for (const { stack, text, template } of assembly.templates) {
      expect(Object.keys(template.Resources).length, stack).toBeLessThanOrEqual(400);
      expect(Buffer.byteLength(text), stack).toBeLessThanOrEqual(600 * 1024);
    }
  });

  // One stack of endpoints takes all that are still to come; the HTTP API takes 300 integrations, and 300 routes by its quota.
  test('there is room for 300 routes', () => {
    const more = maxRoutes - routes.length;
    const stacks = assembly.templates
      .filter(({ stack }) => stack !== 'CrmApi')
      .map(({ stack, text, template }) => ({
        stack,
        bytes: Buffer.byteLength(text),
        resources: Object.keys(template.Resources).length,
        functions: Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::Lambda::Function').length,
      }))
      .filter(({ functions }) => functions > 0);
    expect(stacks.length).toBeGreaterThan(1);
    const ofRoute = (what: 'resources' | 'bytes' | 'functions') =>
      stacks.reduce((sum, stack) => sum + stack[what], 0) / routes.length;
    expect(ofRoute('functions')).toBe(1);
    for (const { stack, resources, bytes } of stacks) {
      expect(resources + more * ofRoute('resources'), stack).toBeLessThanOrEqual(400);
      expect(bytes + more * ofRoute('bytes'), stack).toBeLessThanOrEqual(600 * 1024);
    }
    const body = JSON.stringify(assembly.resources['HttpApi']?.Properties.Body);
    const { text = '' } = assembly.templates.find(({ stack }) => stack === 'CrmApi') ?? {};
    expect(Buffer.byteLength(text) + (more / routes.length) * body.length).toBeLessThanOrEqual(600 * 1024);
    expect(integrationsIn(assembly.resources['HttpApi']?.Properties.Body)).toBe(routes.length);
    expect(routesIn(assembly.resources['HttpApi']?.Properties.Body)).toBeLessThanOrEqual(maxRoutes);
  });

  test('the HTTP API knows functions by their names, and is changed after the stacks that have them', () => {
    const { DependsOn = [], Properties } = assembly.resources['HttpApi'] ?? {};
    const called = new Set(
      [...JSON.stringify(Properties.Body).matchAll(/:function:([\w-]+)/g)].map(([, name]) => name),
    );
    const named = assembly.ofType('AWS::Lambda::Function').flatMap(
      ([
        ,
        {
          Properties: { FunctionName = [] },
        },
      ]) => FunctionName,
    );
    expect([...called].sort()).toEqual(named.sort());
    expect(named).toContain('CrmApi-ContactsCreate');
    const withFunctions = assembly.templates
      .filter(
        ({ template }) =>
          'FunctionName' in Object.assign({}, ...Object.values(template.Resources).map((of) => of.Properties)),
      )
      .map(({ path }) => basename(path));
    const stacks = assembly
      .ofType('AWS::CloudFormation::Stack')
      .filter(([, { Metadata }]) => withFunctions.includes(Metadata?.['aws:asset:path'] ?? ''));
    expect(stacks.length).toBeGreaterThan(1);
    expect(DependsOn.sort()).toEqual(stacks.map(([id]) => id).sort());
  });

  test('none is near what API Gateway, IAM and CloudFormation take at most, which AWS does not raise', () => {
    const integrations = assembly
      .ofType('AWS::ApiGatewayV2::Api')
      .map(([, { Properties }]) => integrationsIn(Properties.Body));
    expect(integrations.length).toBe(1);
    expect(integrations[0]).toBeGreaterThan(150);
    expect(integrations[0]).toBeLessThanOrEqual(290);
    // The account's policy for logs has 5,120 characters, and a place for each group that is called otherwise.
    const [[, stage] = []] = assembly.ofType('AWS::ApiGatewayV2::Stage');
    const log = idOf(stage?.Properties.AccessLogSettings.DestinationArn) ?? '';
    expect(assembly.resources[log]?.Properties.LogGroupName).toBe('/aws/vendedlogs/CrmApi');
    const longest = assembly
      .ofType('AWS::IAM::Role')
      .map(([, { Properties }]) => JSON.stringify(Properties.Policies ?? []).length)
      .reduce((most, length) => Math.max(most, length), 0);
    expect(longest).toBeGreaterThan(1_000);
    expect(longest).toBeLessThanOrEqual(9_000);
    for (const { stack, template } of assembly.templates)
      for (const part of ['Outputs', 'Parameters'] as const)
        expect(Object.keys(template[part] ?? {}).length, `${part} of ${stack}`).toBeLessThanOrEqual(180);
  });

  test('no function’s environment exceeds the 4 KB of Lambda in any region or setting', () => {
    const of = Object.assign({}, ...assembly.templates.map(({ template }) => template.Resources));
    const place = 'ap-southeast-2:123456789012:CrmApi-';
    /** What CloudFormation puts there, with its own twelve characters behind the name. */
    const resolved = (value: unknown): string => {
      if (typeof value === 'string') return value;
      const [[intrinsic, given] = []] = [Object.entries(value as object)[0] ?? []];
      if (intrinsic === 'Fn::Join') return (given[1] as unknown[]).map(resolved).join('');
      if (intrinsic === 'Ref' && String(given).startsWith('AWS::')) return 'ap-southeast-2';
      if (intrinsic === 'Fn::Select') return resolved(given[1]['Fn::Split'][1]).split('/')[given[0]] ?? '';
      if (intrinsic === 'Fn::GetAtt' && given[1] === 'QueueName') return `CrmApi-${given[0]}-XXXXXXXXXXXX`;
      const id = String(Array.isArray(given) ? given[0] : (given.Export ?? JSON.stringify(given)));
      const isQueueUrl = intrinsic === 'Ref' && of[id]?.Type === 'AWS::SQS::Queue';
      return `${isQueueUrl ? 'https://sqs.amazonaws.com/' : 'arn:aws:scheduler:'}${place}${id}-XXXXXXXXXXXX`;
    };
    // Those of CloudFront are some sixty ranges.
    const lengths: Record<string, number> = { TELEGRAM_PUBLIC_KEY: 380, TRUSTED_PROXIES: 60 * 17 };
    const operator = Object.keys(settings).map((name) => [name, 'x'.repeat(lengths[name] ?? 30)]);
    const ofWorkers = operator.filter(([name]) => name !== 'TRUSTED_PROXIES');
    const sizes = assembly.ofType('AWS::Lambda::Function').map(([id, { Properties }]) => {
      const own = Object.entries(Properties.Environment?.Variables ?? {}).map(([name, value]) => [
        name,
        resolved(value),
      ]);
      return [
        id,
        Buffer.byteLength(
          JSON.stringify(Object.fromEntries([...(id.startsWith('Workers') ? ofWorkers : operator), ...own])),
        ),
      ] as const;
    });
    expect(sizes.length).toBeGreaterThan(100);
    expect(sizes.filter(([, bytes]) => bytes > 4096)).toEqual([]);
  });

  // CloudFormation asks for the other stack at each, and was throttled at 75 (aws/aws-cdk#38010).
  test('read each output of another stack once', () => {
    const all = assembly.templates.flatMap(
      (one) => JSON.stringify(one.template).match(/"Fn::GetStackOutput":\{.*?"OutputName":"\w+"/g) ?? [],
    );
    expect(all.length).toBeGreaterThan(0);
    expect([...new Set(all)]).toHaveLength(all.length);
  });

  test('every alarm has its heading in the runbook, with symptom, cause, fix, and check', () => {
    const root = join(import.meta.dirname, '../..');
    const entries = globSync('docs/alarms-*.md', { cwd: root }).flatMap((page) =>
      readFileSync(join(root, page), 'utf8').split(/^## /m).slice(1),
    );
    for (const entry of entries)
      expect(entry.match(/^- \*\*\w+\*\*/gm), entry.split('\n')[0]).toEqual(
        ['Symptom', 'Cause', 'Fix', 'Check'].map((part) => `- **${part}**`),
      );
    const patterns = entries
      .flatMap((entry) => entry.split('\n')[0]?.match(/(?<=`)[^`,]+(?=`)/g) ?? [])
      .map((name) => new RegExp(`^${name.replaceAll(/<\w+>/g, '\\w+')}$`));
    const alarms = assembly.ofType('AWS::CloudWatch::Alarm').map(([id]) => id.replace(/[0-9A-F]{8}$/, ''));
    expect(alarms.length).toBeGreaterThan(40);
    expect(alarms.filter((alarm) => !patterns.some((pattern) => pattern.test(alarm)))).toEqual([]);
    expect(patterns.filter((pattern) => !alarms.some((alarm) => pattern.test(alarm)))).toEqual([]);
  });

  // Where it has to move, the release's notes say that the guard is taken off before (docs/upgrade.md).
  test('the alarm that guards deployments stays where it is: CloudFormation fails one that does not find it', () => {
    const stackOf = (id: string) => assembly.templates.find(({ template }) => id in template.Resources)?.stack;
    expect(stackOf('HttpApiServerErrorsA1AE7C32')).toBe('CrmApiMonitoring9829C54B');
    expect(stackOf('MonitoringNestedStackMonitoringNestedStackResource001F85AB')).toBe('CrmApi');
  });

  test('the table, the key and the files survive the removal of their stack', () => {
    const [[, table] = []] = assembly.ofType('AWS::DynamoDB::Table');
    expect(table).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(table?.Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      TimeToLiveSpecification: { AttributeName: 'expiresAtSeconds', Enabled: true },
    });
    const [[, key] = []] = assembly.ofType('AWS::KMS::Key');
    expect(key).toMatchObject({ DeletionPolicy: 'Retain', Properties: { EnableKeyRotation: true } });
    const [, files] = assembly.ofType('AWS::S3::Bucket').find(([id]) => id.startsWith('Files')) ?? [];
    expect(files).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  });

  test('only pages of this deployment may upload files from a browser', () => {
    const [, files] = assembly.ofType('AWS::S3::Bucket').find(([id]) => id.startsWith('Files')) ?? [];
    const { CorsRules } = (files?.Properties['CorsConfiguration'] ?? {}) as { CorsRules?: object[] };
    expect(CorsRules).toEqual([
      expect.objectContaining({
        AllowedMethods: ['PUT', 'GET'],
        AllowedHeaders: ['content-type'],
        AllowedOrigins: [expect.anything()],
      }),
    ]);
    expect(JSON.stringify(CorsRules)).not.toContain('"*"');
  });

  test('nothing stays behind when its stack goes but what is listed, and none of it under a name of our own', () => {
    const reasons: Record<string, string> = {
      'AWS::DynamoDB::Table': 'the data of every customer',
      'AWS::KMS::Key': 'without it the secrets in the table cannot be read',
      'AWS::S3::Bucket': 'mail that has not been read yet, and the files of messages',
      'AWS::SES::ReceiptRuleSet': 'SES deletes none that is active, and the stack would be left half gone',
    };
    const retained = Object.entries(assembly.resources).filter(([, { DeletionPolicy, UpdateReplacePolicy }]) =>
      [DeletionPolicy, UpdateReplacePolicy].some((policy) => /^Retain/.test(policy ?? '')),
    );
    expect([...new Set(retained.map(([, { Type }]) => Type))].sort()).toEqual(Object.keys(reasons).sort());
    expect(retained.length).toBe(Object.keys(reasons).length + 1);
    // CloudFormation could not make them again: the one that stayed has the name.
    for (const [id, { Properties = {}, DeletionPolicy }] of retained) {
      const names = Object.keys(Properties).filter((name) => /^(\w*Name|Name)$/.test(name));
      expect([DeletionPolicy, names], id).toEqual(['Retain', []]);
    }
  });

  test('the HTTP API has exactly the routes of the functions, and a fallback for other methods', () => {
    const any = 'x-amazon-apigateway-any-method';
    const { $default = {}, ...paths } = assembly.resources['HttpApi']?.Properties.Body.paths ?? {};
    const { isDefaultRoute, ...fallback } = $default[any] ?? {};
    expect(isDefaultRoute).toBe(true);
    const found = Object.entries<Record<string, object>>(paths).flatMap(
      ([path, { parameters, [any]: others = fallback, ...methods }]) => {
        expect(others, path).toEqual(fallback);
        return Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`);
      },
    );
    const expected = routes
      .filter(({ route }) => route.method !== 'ANY')
      .flatMap(({ route: { method, path, scope, alsoAt = [] } }) =>
        [path, ...alsoAt].flatMap((at) => [
          `${method} ${at}`,
          ...(method === 'GET' && scope === 'public' ? [`HEAD ${at}`] : []),
        ]),
      );
    expect(found.sort()).toEqual(expected.sort());
  });
});

describe('functions', () => {
  test('each run on ARM64 and Node 24 with limits, a log that expires and source maps', () => {
    const functions = assembly.ofType('AWS::Lambda::Function');
    expect(functions.map(([id]) => id).sort()).toEqual(
      [...routes, ...workers].map(({ name }) => pascalCase(name)).sort(),
    );
    for (const [id, { Properties }] of functions) {
      expect(Properties, id).toMatchObject({
        Architectures: ['arm64'],
        Runtime: 'nodejs24.x',
        MemorySize: expect.any(Number),
        Timeout: expect.any(Number),
        TracingConfig: { Mode: 'PassThrough' },
        Environment: { Variables: { NODE_OPTIONS: '--enable-source-maps' } },
      });
      const log = assembly.resources[Properties.LoggingConfig.LogGroup.Ref];
      expect(log?.Properties.RetentionInDays, id).toBeGreaterThan(0);
    }
  });

  test('each gets the environment variables that its needs stand for and no others', () => {
    const declared = [
      ...routes.map(({ name, route }) => ({ name, needs: route.needs ?? [] })),
      ...workers.map(({ name, worker }) => ({ name, needs: worker.needs ?? [] })),
    ];
    for (const { name, needs } of declared) {
      const variables = Object.keys(assembly.resources[pascalCase(name)]?.Properties.Environment.Variables);
      expect(variables.sort(), name).toEqual(['NODE_OPTIONS', 'TABLE_NAME', ...variablesOf(needs)].sort());
    }
  });

  test('a scheduled function is not retried by Lambda', () => {
    const rung = workers.filter(({ worker }) => 'rate' in worker.trigger).map(({ name }) => pascalCase(name));
    const retries = new Map(
      assembly
        .ofType('AWS::Lambda::EventInvokeConfig')
        .map(([, { Properties }]) => [idOf(Properties.FunctionName), Properties.MaximumRetryAttempts]),
    );
    expect(rung.map((id) => retries.get(id))).toEqual(rung.map(() => 0));
    expect(rung).toContain('WorkersSweep');
  });

  test('every endpoint logs to one group, whose lines of requests reach their worker, or a dead-letter queue', () => {
    const groups = new Set(
      routes.map(({ name }) => assembly.resources[pascalCase(name)]?.Properties.LoggingConfig.LogGroup.Ref),
    );
    const filters = assembly.ofType('AWS::Logs::SubscriptionFilter').map(([, { Properties }]) => Properties);
    expect(filters).toHaveLength(1);
    expect([...groups]).toEqual([filters[0].LogGroupName.Ref]);
    expect(filters[0].FilterPattern).toBe('{ $.isKept IS TRUE }');
    expect(idOf(filters[0].DestinationArn)).toBe('WorkersKeepRequests');
    expect(assembly.resources['WorkersKeepRequests']?.Properties.LoggingConfig.LogGroup.Ref).not.toBe([...groups][0]);
    const config = assembly
      .ofType('AWS::Lambda::EventInvokeConfig')
      .find(([, { Properties }]) => idOf(Properties.FunctionName) === 'WorkersKeepRequests');
    expect(config?.[1].Properties.MaximumRetryAttempts).toBe(2);
    expect(idOf(config?.[1].Properties.DestinationConfig.OnFailure.Destination)).toMatch(/^WorkersKeepRequestsDead/);
  });

  test('the alarm of all workers goes off when any invocation fails', () => {
    const [[, alarm] = []] = assembly.ofType('AWS::CloudWatch::Alarm').filter(([id]) => id.startsWith('WorkersErrors'));
    const [[, filter] = []] = assembly.ofType('AWS::Logs::MetricFilter');
    const [transformation] = filter?.Properties.MetricTransformations ?? [];
    expect(transformation).toMatchObject({ MetricNamespace: 'CrmApi/CrmApi', MetricValue: '1' });
    expect(alarm?.Properties).toMatchObject({
      Namespace: transformation.MetricNamespace,
      MetricName: transformation.MetricName,
      Statistic: 'Sum',
      Threshold: 0,
      ComparisonOperator: 'GreaterThanThreshold',
    });
    const logged = (record: object) => JSON.stringify({ time: '', type: 'platform.report', record });
    const isCounted = logMatcher(filter?.Properties.FilterPattern);
    for (const status of ['failure', 'error', 'timeout'])
      expect(isCounted(logged({ requestId: '', metrics: {}, status })), status).toBe(true);
    for (const line of [logged({ status: 'success' }), '{"level":"ERROR","status":"error"}', 'REPORT'])
      expect(isCounted(line), line).toBe(false);
    for (const { name } of workers)
      expect(assembly.resources[pascalCase(name)]?.Properties.LoggingConfig, name).toEqual({
        LogFormat: 'JSON',
        SystemLogLevel: 'WARN',
        LogGroup: filter?.Properties.LogGroupName,
      });
  });
});

const sendsTo = (needs: readonly Need[]) =>
  needs.filter((need) => need.startsWith('send:')).map((need) => need.slice('send:'.length) as QueueName);

function variablesOf(needs: readonly Need[]): string[] {
  const ofSchedule = ['SCHEDULE_GROUP', 'SCHEDULE_ROLE_ARN', 'SCHEDULE_DLQ_ARN'];
  return [
    ...sendsTo(needs).map(queueUrlVariable),
    ...(sendsTo(needs).length > 0 ? ['QUEUE_ROOT'] : []),
    ...(needs.includes('schedule') ? ofSchedule : []),
    ...(needs.some((need) => /^(en|de)crypt:/.test(need)) ? ['KMS_KEY_ID'] : []),
    ...(needs.includes('mail-bucket') ? ['MAIL_BUCKET'] : []),
    ...(needs.some((need) => /-(files|uploads|copies)$/.test(need)) ? ['FILES_BUCKET'] : []),
    ...(needs.includes('event-bus') ? ['EVENT_BUS'] : []),
    ...(needs.includes('ses') ? ['MAIL_CONFIGURATION_SET'] : []),
    ...(needs.some((need) => ['ses', 'mail-sender', 'own-addresses'].includes(need)) ? ['MAIL_FROM'] : []),
    ...(needs.some((need) => ['ses', 'mail-domain', 'own-addresses'].includes(need)) ? ['MAIL_DOMAIN'] : []),
  ];
}

describe('queues', () => {
  const deadLetterQueueOf = (queue: { Properties: { RedrivePolicy?: { deadLetterTargetArn: object } } }) =>
    idOf(queue.Properties.RedrivePolicy?.deadLetterTargetArn ?? {});
  const alarmsOn = (queueName: string, metric: string) =>
    assembly
      .ofType('AWS::CloudWatch::Alarm')
      .filter(([, { Properties }]) => Properties.MetricName === metric)
      .filter(([, { Properties }]) =>
        Properties.Dimensions.some(({ Value }: { Value: object }) => idOf(Value) === queueName),
      );

  test('each has a dead-letter queue after 5 receives and an alarm on its age', () => {
    const main = assembly.ofType('AWS::SQS::Queue').filter(([, queue]) => queue.Properties.RedrivePolicy);
    expect(main).toHaveLength(queues.length);
    for (const [id, queue] of main) {
      expect(queue.Properties.RedrivePolicy.maxReceiveCount, id).toBe(5);
      expect(assembly.resources[deadLetterQueueOf(queue) ?? '']?.Type, id).toBe('AWS::SQS::Queue');
      expect(alarmsOn(id, 'ApproximateAgeOfOldestMessage'), id).toHaveLength(1);
    }
  });

  test('a message in any dead-letter queue raises an alarm that reaches the topic', () => {
    const dead = assembly.ofType('AWS::SQS::Queue').filter(([, queue]) => !queue.Properties.RedrivePolicy);
    expect(dead.length).toBeGreaterThan(queues.length);
    for (const [id] of dead) {
      const [[, alarm] = []] = alarmsOn(id, 'ApproximateNumberOfMessagesVisible');
      expect(alarm?.Properties, id).toMatchObject({ Threshold: 0, ComparisonOperator: 'GreaterThanThreshold' });
      expect(assembly.resources[idOf(alarm?.Properties.AlarmActions[0]) ?? '']?.Type, id).toBe('AWS::SNS::Topic');
    }
  });

  test('each refuses unencrypted connections', () => {
    const guarded = assembly.ofType('AWS::SQS::QueuePolicy').map(([, { Properties }]) => idOf(Properties.Queues[0]));
    expect(guarded.sort()).toEqual(
      assembly
        .ofType('AWS::SQS::Queue')
        .map(([id]) => id)
        .sort(),
    );
  });

  test('a consumer reports what failed of a batch, and its queue waits six times its time-out', () => {
    const mappings = assembly.ofType('AWS::Lambda::EventSourceMapping');
    const triggered = workers.filter(({ worker }) => 'queue' in worker.trigger || 'stream' in worker.trigger);
    expect(mappings).toHaveLength(triggered.length);
    for (const [id, { Properties }] of mappings) {
      expect(Properties.FunctionResponseTypes, id).toEqual(['ReportBatchItemFailures']);
      const source = assembly.resources[idOf(Properties.EventSourceArn) ?? ''];
      if (source?.Type !== 'AWS::SQS::Queue') continue;
      const consumer = assembly.resources[idOf(Properties.FunctionName) ?? ''];
      expect(source.Properties.VisibilityTimeout, id).toBeGreaterThanOrEqual(6 * consumer?.Properties.Timeout);
    }
  });

  test('every consumer of a queue has its share of the concurrency, and all together leave half to the API', () => {
    const shares = assembly
      .ofType('AWS::Lambda::EventSourceMapping')
      .filter(([, { Properties }]) => !Properties.StartingPosition)
      .map(([, { Properties }]) => Properties.ScalingConfig?.MaximumConcurrency as number);
    expect(shares.length).toBe(queues.length);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(2);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(500);
  });

  // With more, Lambda keeps the order of one item alone: a tenant's events would get their numbers in any order.
  test('the stream hands its batches over one after the other', () => {
    const factors = assembly
      .ofType('AWS::Lambda::EventSourceMapping')
      .filter(([, { Properties }]) => Properties.StartingPosition)
      .map(([, { Properties }]) => Properties.ParallelizationFactor);
    expect(factors).toEqual(factors.map(() => 1));
  });

  test('records that the stream could not deliver go to a dead-letter queue', () => {
    const ofStream = assembly
      .ofType('AWS::Lambda::EventSourceMapping')
      .filter(([, { Properties }]) => Properties.StartingPosition);
    expect(ofStream.length).toBeGreaterThan(0);
    for (const [id, { Properties }] of ofStream) {
      expect(Properties, id).toMatchObject({ StartingPosition: 'TRIM_HORIZON', BisectBatchOnFunctionError: true });
      expect(idOf(Properties.DestinationConfig.OnFailure.Destination), id).toMatch(/Dead/);
    }
  });
});

const root = join(import.meta.dirname, '../..');

/** What IAM asks for an operation that is none of its own actions. */
const actionsOf: Record<string, readonly string[]> = {
  TransactWriteItems: ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
};

test('every operation that functions ask of the table is one that every role may ask which commits', () => {
  const sent = new Set<string>();
  for (const file of globSync('{lib,functions}/**/*.ts', { cwd: root })) {
    // Scans are an operator's.
    for (const [, operation = ''] of readFileSync(join(root, file), 'utf8').matchAll(
      /dynamodb\.send\('(?!Scan')(\w+)'/g,
    ))
      for (const action of actionsOf[operation] ?? [operation]) sent.add(`dynamodb:${action}`);
  }
  expect(sent.size).toBeGreaterThan(7);
  const roles = assembly
    .ofType('AWS::IAM::Role')
    .filter(
      ([id, { Properties }]) =>
        JSON.stringify(Properties).includes('lambda.amazonaws.com') && !/^Read|ReadRole/.test(id),
    );
  expect(roles.length).toBeGreaterThan(10);
  for (const [name, { Properties }] of roles) {
    for (const action of sent) expect(JSON.stringify(Properties), `${name} lacks ${action}`).toContain(`"${action}"`);
  }
});

test('the outputs of the stack are what an operator needs to act on it', () => {
  const { template } = assembly.templates.find(({ stack }) => stack === 'CrmApi') as unknown as {
    template: { Outputs: Record<string, { Value: unknown }> };
  };
  expect(template.Outputs['AllowUnsignedImports']?.Value).toBe('false');
  const found = environmentOfOutputs(
    Object.keys(template.Outputs).map((OutputKey) => ({ OutputKey, OutputValue: 'x' })),
  );
  expect(Object.keys(found)).toEqual(
    expect.arrayContaining(['TABLE_NAME', 'KMS_KEY_ID', 'API_URL', ...queues.map(queueUrlVariable)]),
  );
  const given = assembly
    .ofType('AWS::Lambda::Function')
    .flatMap(([, { Properties }]) => Object.keys(Properties.Environment?.Variables ?? {}));
  const neverAsked = [
    ...['EVENT_BUS', 'MAIL_CONFIGURATION_SET', 'NODE_OPTIONS', 'QUEUE_ROOT'],
    ...['SCHEDULE_DLQ_ARN', 'SCHEDULE_GROUP', 'SCHEDULE_ROLE_ARN'],
  ];
  expect([...new Set(given)].filter((name) => !(name in found)).sort()).toEqual(neverAsked);
});

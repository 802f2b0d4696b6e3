import { beforeAll, expect, test } from 'vitest';
import { loadRoutes, loadWorkers } from '#infra/functions.ts';
import type { ResolvedResource } from '#infra/local/template.ts';
import { pascalCase } from '#infra/names.ts';
import { loginContext } from '#lib/channels/telegram/login.ts';
import { type SecretKind, secretKinds } from '#lib/core/needs.ts';
import { exportFolder } from '#lib/files/keys.ts';
import { secretContext as contextOfSource } from '#lib/finance/revenue-source-store.ts';
import { secretContext as contextOfAccount } from '#lib/messages/accounts/store.ts';
import { secretContext as contextOfWebhooks } from '#lib/webhooks/registry.ts';
import { assemblyFolder, readAssembly, variants } from '#test/infra/assembly.ts';
import { home, type Request, readPolicies } from '#test/infra/policies.ts';

let assembly: Awaited<ReturnType<typeof readAssembly>>;
let policies: ReturnType<typeof readPolicies>;

beforeAll(async () => {
  const folder = await assemblyFolder('full');
  assembly = await readAssembly(folder);
  policies = readPolicies(folder);
});

type Properties = Record<string, unknown>;
const items = <T = Properties>(value: unknown) => (value === undefined ? [] : [value].flat()) as T[];
const of = (type: string): ResolvedResource[] => policies.of(type);
const roleOf = (functionArnOrName: unknown) => {
  const found = of('AWS::Lambda::Function').find(({ ref, arn }) => [ref, arn].includes(String(functionArnOrName)));
  return { role: String(found?.properties['Role']) };
};
const { accountId, region } = home;

/** What a service does to hand something to a resource. */
const handOver: Record<string, string> = {
  sns: 'sns:Publish',
  sqs: 'sqs:SendMessage',
  lambda: 'lambda:InvokeFunction',
  s3: 's3:PutObject',
};
const from = (service: string, resource: unknown, sourceArn: string): Request => ({
  caller: { service },
  action: handOver[String(resource).split(':')[2] as string] ?? `a way to ${resource}`,
  resource: String(resource),
  context: { 'aws:SourceAccount': accountId, 'aws:SourceArn': sourceArn },
});

/** Everything that has to be allowed for the system to work, as the templates connect it. */
const uses: Record<string, () => Request[]> = {
  'alarms ring at their topic': () =>
    of('AWS::CloudWatch::Alarm').flatMap(({ name, properties }) =>
      [properties['AlarmActions'], properties['OKActions'], properties['InsufficientDataActions']]
        .flatMap((actions) => items<string>(actions))
        .map((action) =>
          from('cloudwatch.amazonaws.com', action, `arn:aws:cloudwatch:${region}:${accountId}:alarm:${name}`),
        ),
    ),
  'the budget rings there too': () =>
    of('AWS::Budgets::Budget').flatMap(({ name, properties }) =>
      items<{ Subscribers: { Address: string }[] }>(properties['NotificationsWithSubscribers'])
        .flatMap(({ Subscribers }) => Subscribers)
        .map(({ Address }) => from('budgets.amazonaws.com', Address, `arn:aws:budgets::${accountId}:budget/${name}`)),
    ),
  'rules reach their targets, and the queue for what they could not reach': () =>
    of('AWS::Events::Rule').flatMap(({ arn, properties }) =>
      items<{ Arn: string; DeadLetterConfig?: { Arn: string } }>(properties['Targets'])
        .flatMap((target) => [target.Arn, target.DeadLetterConfig?.Arn])
        .filter((target) => target !== undefined)
        .map((target) => from('events.amazonaws.com', target, arn)),
    ),
  'the log of the API hands its lines to a worker, and Lambda puts aside what that fails with': () => [
    ...of('AWS::Logs::SubscriptionFilter').map(({ properties }) =>
      from(
        'logs.amazonaws.com',
        properties['DestinationArn'],
        `arn:aws:logs:${region}:${accountId}:log-group:${properties['LogGroupName']}:*`,
      ),
    ),
    ...of('AWS::Lambda::EventInvokeConfig').flatMap(({ properties }) => {
      const { OnFailure } = (properties['DestinationConfig'] ?? {}) as { OnFailure?: { Destination: string } };
      const caller = roleOf(properties['FunctionName']);
      return OnFailure ? [{ caller, action: 'sqs:SendMessage', resource: OnFailure.Destination }] : [];
    }),
  ],
  'mail gets from SES to where it is kept and by topics to who is told': () => [
    ...of('AWS::SES::ReceiptRule').flatMap(({ name, properties: { Rule, RuleSetName } }) => {
      const source = `arn:aws:ses:${region}:${accountId}:receipt-rule-set/${RuleSetName}:receipt-rule/${name}`;
      return items<Record<string, Record<string, string>>>((Rule as Properties)['Actions'])
        .flatMap((action) => Object.values(action))
        .flatMap(({ BucketName, TopicArn, FunctionArn }) => [
          BucketName && `arn:aws:s3:::${BucketName}/mail`,
          TopicArn,
          FunctionArn,
        ])
        .filter((target) => target !== undefined)
        .map((target) => from('ses.amazonaws.com', target, source));
    }),
    ...of('AWS::SNS::Subscription')
      .filter(({ properties }) => properties['Protocol'] !== 'email')
      .flatMap(({ properties: { TopicArn, Endpoint, RedrivePolicy } }) =>
        [Endpoint, (RedrivePolicy as { deadLetterTargetArn?: string } | undefined)?.deadLetterTargetArn]
          .filter((endpoint) => endpoint !== undefined)
          .map((endpoint) => from('sns.amazonaws.com', endpoint, String(TopicArn))),
      ),
  ],
  'Lambda runs functions with their role': () =>
    of('AWS::Lambda::Function').map(({ properties }) => assumes('lambda.amazonaws.com', properties['Role'])),
  'workers read their queue or stream, and put aside what fails': () =>
    of('AWS::Lambda::EventSourceMapping').flatMap(({ properties }) => {
      const caller = roleOf(properties['FunctionName']);
      const source = String(properties['EventSourceArn']);
      const { OnFailure } = (properties['DestinationConfig'] ?? {}) as { OnFailure?: { Destination: string } };
      const actions = source.includes(':sqs:')
        ? ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes']
        : ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:ListStreams'];
      return [
        ...actions.map((action) => ({ caller, action, resource: source })),
        ...(OnFailure ? [{ caller, action: 'sqs:SendMessage', resource: OnFailure.Destination }] : []),
      ];
    }),
  'functions send to the queues that they are told of': () =>
    environments().flatMap(({ caller, variables }) =>
      Object.entries(variables)
        .filter(([variable]) => variable.startsWith('QUEUE_URL_'))
        .map(([, name]) => {
          const arn = of('AWS::SQS::Queue').find(({ ref }) => ref === `${variables['QUEUE_ROOT']}${name}`)?.arn;
          return { caller, action: 'sqs:SendMessage', resource: String(arn) };
        }),
    ),
  'functions read the table, and the bucket that they are told of': () =>
    environments().flatMap(({ caller, variables }) => {
      const table = of('AWS::DynamoDB::Table').find(({ ref }) => ref === variables['TABLE_NAME'])?.arn;
      const bucket = of('AWS::S3::Bucket').find(({ ref }) => ref === variables['MAIL_BUCKET'])?.arn;
      return [
        { caller, action: 'dynamodb:GetItem', resource: String(table) },
        ...(bucket ? [{ caller, action: 's3:GetObject', resource: `${bucket}/mail` }] : []),
      ];
    }),
  'exports of contacts are written, listed, removed and read': () => {
    const bucket = of('AWS::S3::Bucket').find(({ id }) => id.startsWith('Files'))?.arn;
    const folder = exportFolder({ workspaceId: 7, env: 'live' }, 1);
    const [worker, endpoint] = [roleOf('CrmApi-WorkersFinishSagas'), roleOf('CrmApi-ContactsExport')];
    return [
      ...['s3:PutObject', 's3:GetObject', 's3:DeleteObject'].map((action) => ({
        caller: worker,
        action,
        resource: `${bucket}/${folder}piece`,
      })),
      { caller: worker, action: 's3:ListBucket', resource: String(bucket), context: { 's3:prefix': folder } },
      { caller: endpoint, action: 's3:GetObject', resource: `${bucket}/${folder}document` },
    ];
  },
  'schedules reach the queues that functions name in them': () =>
    environments().flatMap(({ variables: { SCHEDULE_ROLE_ARN: role, ...variables } }) => {
      if (role === undefined) return [];
      const timers = of('AWS::SQS::Queue').find(
        ({ ref }) => ref === `${variables['QUEUE_ROOT']}${variables['QUEUE_URL_TIMERS']}`,
      );
      return [
        assumes('scheduler.amazonaws.com', role),
        ...[timers?.arn, variables['SCHEDULE_DLQ_ARN']].map((resource) => ({
          ...{ caller: { role }, action: 'sqs:SendMessage', resource: String(resource) },
        })),
      ];
    }),
  'API Gateway invokes the functions of its routes': () =>
    of('AWS::ApiGatewayV2::Api').flatMap(({ properties }) =>
      integrations(properties['Body']).flatMap(({ uri, credentials }) => [
        assumes('apigateway.amazonaws.com', credentials),
        {
          caller: { role: credentials },
          action: 'lambda:InvokeFunction',
          resource: /functions\/(.+)\/invocations$/.exec(uri)?.[1] as string,
        },
      ]),
    ),
};

test('a mail waits in a queue from SES, with its envelope, and then in each workspace’s line', () => {
  const [[rule] = [], [subscription] = []] = [
    of('AWS::SES::ReceiptRule'),
    of('AWS::SNS::Subscription').filter(({ properties }) => properties['Protocol'] === 'sqs'),
  ];
  const { TopicArn, Endpoint, RawMessageDelivery, RedrivePolicy } = subscription?.properties ?? {};
  expect(rule?.properties['Rule']).toMatchObject({
    Actions: [
      { S3Action: { BucketName: of('AWS::S3::Bucket').find(({ id }) => id.startsWith('Mail'))?.ref, TopicArn } },
    ],
  });
  // Wrapped in SNS's own envelope no reader would find it.
  expect(RawMessageDelivery).toBe(true);
  expect(RedrivePolicy).toEqual({ deadLetterTargetArn: expect.stringContaining('IncomingMailDead') });
  const mappingOf = (queueArn: unknown) =>
    of('AWS::Lambda::EventSourceMapping').find(({ properties }) => properties['EventSourceArn'] === queueArn)
      ?.properties;
  const variablesOf = (name: unknown) => {
    const lambda = of('AWS::Lambda::Function').find(({ ref, arn }) => [ref, arn].includes(String(name)));
    return (lambda?.properties['Environment'] as { Variables: Record<string, string> } | undefined)?.Variables ?? {};
  };
  const router = variablesOf(mappingOf(Endpoint)?.['FunctionName']);
  expect(router['MAIL_DOMAIN']).toBe(variants.full.mailDomain);
  const line = of('AWS::SQS::Queue').find(
    ({ ref }) => ref === `${router['QUEUE_ROOT']}${router['QUEUE_URL_WORKSPACE_MAIL']}`,
  );
  const reader = mappingOf(line?.arn);
  // Strangers choose how much comes at once.
  expect(reader).toMatchObject({ BatchSize: 1, ScalingConfig: { MaximumConcurrency: 5 } });
  expect(variablesOf(reader?.['FunctionName'])['MAIL_BUCKET']).toBe(
    of('AWS::S3::Bucket').find(({ id }) => id.startsWith('Mail'))?.ref,
  );
});

test('bounces and complaints of a mail that a function sends reach the queue of their worker', () => {
  const sender = environments().find(({ variables }) => variables['MAIL_CONFIGURATION_SET'] !== undefined);
  const [set] = of('AWS::SES::ConfigurationSet');
  const [destination] = of('AWS::SES::ConfigurationSetEventDestination');
  const name = sender?.variables['MAIL_CONFIGURATION_SET'];
  expect([set?.ref, destination?.properties['ConfigurationSetName']]).toEqual([name, name]);
  expect(destination?.properties['EventDestination']).toEqual({
    Enabled: true,
    MatchingEventTypes: ['bounce', 'complaint', 'reject'],
    EventBridgeDestination: { EventBusArn: `arn:aws:events:${region}:${accountId}:event-bus/default` },
  });
  for (const resource of [`configuration-set/${name}`, 'identity/example.com'])
    expect(
      policies.mayUse({
        caller: sender?.caller as { role: string },
        action: 'ses:SendEmail',
        resource: `arn:aws:ses:${region}:${accountId}:${resource}`,
      }),
    ).toBe(true);
  const rule = of('AWS::Events::Rule').find(({ properties }) => properties['EventPattern'] !== undefined);
  expect(rule?.properties).toMatchObject({
    State: 'ENABLED',
    EventPattern: {
      source: ['aws.ses'],
      detail: { eventType: ['Bounce', 'Complaint', 'Reject'], mail: { tags: { 'ses:configuration-set': [name] } } },
    },
  });
  const [target] = items<{ Arn: string; DeadLetterConfig: { Arn: string } }>(rule?.properties['Targets']);
  expect(target?.DeadLetterConfig.Arn).toContain('MailNoticesDead');
  const reader = of('AWS::Lambda::EventSourceMapping').find(
    ({ properties }) => properties['EventSourceArn'] === target?.Arn,
  );
  expect(reader?.properties['FunctionName']).toContain('ReceiveMailNotices');
});

test('only the functions that publish events may put them, and only on the operator’s bus', async () => {
  const functions = [...(await loadRoutes()), ...(await loadWorkers())];
  const needing = functions.filter(({ needs }) => needs.includes('event-bus')).map(({ name }) => name);
  expect(needing.sort()).toEqual(['workers-publish-events', 'workers-put-events', 'workers-sweep']);
  for (const { name } of functions) {
    const puts = (bus: string): Request => ({
      caller: roleOf(`CrmApi-${pascalCase(name)}`),
      action: 'events:PutEvents',
      resource: `arn:aws:events:${region}:${accountId}:event-bus/${bus}`,
    });
    expect([policies.mayUse(puts('crm')), policies.mayUse(puts('default'))], name).toEqual([
      needing.includes(name),
      false,
    ]);
  }
});

/** The ids of a type's resources that have this in them. */
const idsOf = (type: string, part: string) =>
  assembly
    .ofType(type)
    .map(([id]) => id)
    .filter((id) => id.includes(part));
const waitsOf = (type: string) => assembly.ofType(type).map(([, { DependsOn }]) => DependsOn);

test('SES publishes nothing before the rule reaches its queue', () => {
  const needed = ['AWS::Events::Rule', 'AWS::SQS::QueuePolicy']
    .flatMap((type) => idsOf(type, 'MailNotices'))
    .filter((id) => !id.includes('Dead'));
  expect(needed).toHaveLength(2);
  expect(waitsOf('AWS::SES::ConfigurationSetEventDestination')).toEqual([expect.arrayContaining(needed)]);
});

test('SES begins to tell of mails when the queue listens, also where its rule was there before', () => {
  const subscriptions = idsOf('AWS::SNS::Subscription', 'MailArrived');
  const policies = idsOf('AWS::SQS::QueuePolicy', 'IncomingMailQueue');
  expect([subscriptions.length, policies.length]).toEqual([1, 1]);
  expect(waitsOf('AWS::SES::ReceiptRule')).toEqual([expect.arrayContaining(subscriptions)]);
  expect(waitsOf('AWS::SNS::Subscription')).toContainEqual(expect.arrayContaining(policies));
});

const assumes = (service: string, role: unknown): Request => ({
  caller: { service },
  action: 'sts:AssumeRole',
  resource: String(role),
  context: { 'aws:SourceAccount': accountId },
});

const environments = () =>
  of('AWS::Lambda::Function').map(({ properties }) => ({
    caller: { role: String(properties['Role']) },
    variables: (properties['Environment'] as { Variables: Record<string, string> }).Variables,
  }));

interface Integration {
  uri: string;
  credentials: string;
}

const integrations = (body: unknown): Integration[] =>
  Object.values(
    (body as { components: Record<string, Record<string, Integration>> }).components[integrationsName] ?? {},
  );
const integrationsName = 'x-amazon-apigateway-integrations';

test.each(Object.keys(uses))('%s', (use) => {
  const requests = (uses[use] as () => Request[])();
  expect(requests.length).toBeGreaterThan(0);
  expect(requests.filter((request) => !policies.mayUse(request))).toEqual([]);
});

test('nobody else may: another account, another service, an unencrypted connection', () => {
  const [topic] = of('AWS::SNS::Topic');
  const ring = from('cloudwatch.amazonaws.com', topic?.ref, `arn:aws:cloudwatch:${region}:${accountId}:alarm:Any`);
  expect(policies.mayUse(ring)).toBe(true);
  const refused = [
    { ...ring, context: { ...ring.context, 'aws:SourceAccount': '444455556666' } },
    { ...ring, caller: { service: 's3.amazonaws.com' } },
    { ...ring, action: 'sns:DeleteTopic' },
    { ...ring, context: { ...ring.context, 'aws:SecureTransport': 'false' } },
  ];
  expect(refused.filter(policies.mayUse)).toEqual([]);
});

test('every kind of policy in the templates is one that is asked here', () => {
  const asked = ['SQS::QueuePolicy', 'SNS::TopicPolicy', 'S3::BucketPolicy', 'IAM::Policy', 'Lambda::Permission'];
  const found = Object.values(assembly.resources)
    .map(({ Type }) => Type.replace('AWS::', ''))
    .filter((type) => /Polic|Permission/.test(type));
  expect(found.length).toBeGreaterThan(0);
  expect(found.filter((type) => !asked.includes(type))).toEqual([]);
});

test('a role that a stack makes may not be assumed by another service than its own', () => {
  for (const { arn, properties } of of('AWS::Lambda::Function')) {
    const { caller, ...request } = assumes('scheduler.amazonaws.com', properties['Role']);
    expect(policies.mayUse({ caller, ...request }), arn).toBe(false);
  }
});

const tenant = { workspaceId: 7, env: 'live' } as const;
/** As the code really encrypts them. */
const contexts: Record<SecretKind, Record<string, string>> = {
  webhook: contextOfWebhooks(tenant),
  account: contextOfAccount(tenant, 1),
  login: loginContext(tenant, 1),
  'revenue-source': contextOfSource(tenant, 1),
};

test('a function encrypts and decrypts the kinds of secrets that it says, and no others', async () => {
  const [key] = of('AWS::KMS::Key');
  const functions = [...(await loadRoutes()), ...(await loadWorkers())];
  let allowed = 0;
  // Endpoints share roles: of one domain, or those that only read.
  const sharing = Map.groupBy(functions, ({ name }) => roleOf(`CrmApi-${pascalCase(name)}`).role);
  for (const [role, members] of sharing) {
    const domain = members.map(({ name }) => name).join();
    const caller = { role };
    const needs = members.flatMap((member) => member.needs as string[]);
    for (const kind of Object.keys(secretKinds) as SecretKind[])
      for (const [verb, action] of Object.entries({ encrypt: 'kms:Encrypt', decrypt: 'kms:Decrypt' })) {
        const context = { 'kms:EncryptionContextKeys': Object.keys(contexts[kind]) };
        const isAllowed = policies.mayUse({ caller, action, resource: String(key?.arn), context });
        expect(isAllowed, `${domain} ${verb} ${kind}`).toBe(needs.includes(`${verb}:${kind}`));
        allowed += Number(isAllowed);
      }
  }
  expect(allowed).toBeGreaterThan(5);
});

test('a worker that reads what strangers have written changes no API key and no session', async () => {
  const [table] = of('AWS::DynamoDB::Table');
  const workers = await loadWorkers();
  const exposed = workers.filter(({ worker }) => worker.readsUntrusted).map(({ name }) => name);
  expect(exposed).toEqual(
    expect.arrayContaining(['workers-route-mail', 'workers-receive-mail', 'workers-deliver', 'workers-telegram']),
  );
  for (const name of exposed) {
    const put = (key: string): Request => ({
      caller: roleOf(`CrmApi-${pascalCase(name)}`),
      action: 'dynamodb:PutItem',
      resource: String(table?.arn),
      context: { 'dynamodb:LeadingKeys': ['7:live#contact', key] },
    });
    expect(policies.mayUse(put('7:live#message')), name).toBe(true);
    for (const key of ['KEY#00000000', 'SESSION#00', 'SIGN-IN#00'])
      expect(policies.mayUse(put(key)), `${name} ${key}`).toBe(false);
  }
});

test('the Scheduler takes its role for this account alone and sends to the timers alone', () => {
  const role = String(
    environments().find(({ variables }) => variables['SCHEDULE_ROLE_ARN'])?.variables['SCHEDULE_ROLE_ARN'],
  );
  const taken = assumes('scheduler.amazonaws.com', role);
  expect(policies.mayUse(taken)).toBe(true);
  expect(policies.mayUse({ ...taken, context: { 'aws:SourceAccount': '444455556666' } })).toBe(false);
  const queues = of('AWS::SQS::Queue').map(({ arn }) => arn);
  const reached = queues.filter((resource) =>
    policies.mayUse({ caller: { role }, action: 'sqs:SendMessage', resource }),
  );
  expect(reached.map((arn) => /CrmApi-(\w+?)[0-9A-F]{8}$/.exec(arn)?.[1]).sort()).toEqual([
    'SchedulesDead',
    'TimersQueue',
  ]);
});

test('API Gateway invokes no worker', () => {
  const [api] = of('AWS::ApiGatewayV2::Api');
  const role = String(integrations(api?.properties['Body'])[0]?.credentials);
  const invoked = of('AWS::Lambda::Function').filter(({ arn }) =>
    policies.mayUse({ caller: { role }, action: 'lambda:InvokeFunction', resource: arn }),
  );
  expect(invoked.length).toBeGreaterThan(100);
  expect(invoked.filter(({ name }) => name.startsWith('CrmApi-Workers'))).toEqual([]);
});

test('mail leaves as the sender of the deployment alone, by whatever of it is verified', () => {
  const sender = environments().find(({ variables }) => variables['MAIL_CONFIGURATION_SET'] !== undefined);
  const caller = sender?.caller as { role: string };
  const maySend = (identity: string) =>
    policies.mayUse({
      caller,
      action: 'ses:SendRawEmail',
      resource: `arn:aws:ses:${region}:${accountId}:identity/${identity}`,
    });
  expect(['crm@mail.example.com', 'mail.example.com', 'example.com'].filter((one) => !maySend(one))).toEqual([]);
  expect(['com', 'other.example', 'ceo@mail.example.com', 'mail.example.org'].filter(maySend)).toEqual([]);
});

/** The functions whose role may do that with a row of such a partition. */
async function whoMay(action: string, partition: string): Promise<string[]> {
  const [table] = of('AWS::DynamoDB::Table');
  const functions = [...(await loadRoutes()), ...(await loadWorkers())];
  return functions
    .filter(({ name }) =>
      policies.mayUse({
        caller: roleOf(`CrmApi-${pascalCase(name)}`),
        action: `dynamodb:${action}`,
        resource: String(table?.arn),
        context: { 'dynamodb:LeadingKeys': [partition] },
      }),
    )
    .map(({ name }) => name);
}

test('functions of GET change no row of a workspace, except exports that become files', async () => {
  const writes = ['PutItem', 'UpdateItem', 'DeleteItem'].flatMap((action) =>
    ['7:live#contact', '7:live#quota'].map((partition) => whoMay(action, partition)),
  );
  const writing = new Set((await Promise.all(writes)).flat());
  const readers = (await loadRoutes()).filter(({ route }) => ['GET', 'ANY'].includes(route.method));
  expect(readers.length).toBeGreaterThan(60);
  // Those of its domain that change something have the same role.
  expect(readers.filter(({ name }) => writing.has(name)).map(({ name }) => name)).toEqual(['contacts-export']);
});

test('no function scans the table, and rows that tenants share are for few', async () => {
  const domainsOf = (names: string[]) => [
    ...new Set(names.map((name) => (name.startsWith('workers-') ? name : name.split('-', 1)[0]))),
  ];
  expect(await whoMay('Scan', '7:live#contact')).toEqual([]);
  expect(domainsOf(await whoMay('PutItem', 'KEY#00000000'))).toEqual(['keys']);
  expect(domainsOf(await whoMay('GetItem', 'KEY#00000000'))).toEqual(['keys']);
  expect(domainsOf(await whoMay('PutItem', 'SESSION#00'))).toEqual(['panel']);
  expect(domainsOf(await whoMay('GetItem', 'SIGN-IN#00'))).toEqual(['panel']);
  expect(domainsOf(await whoMay('PutItem', 'SIGN-IN#00'))).toEqual(['workers-send-sign-ins']);
  expect(domainsOf(await whoMay('PutItem', 'MEMBER#ann@example.com'))).toEqual([
    'panel',
    'workers-finish-sagas',
    'workers-send-sign-ins',
  ]);
  expect(domainsOf(await whoMay('PutItem', 'HOOK#00'))).toEqual(['telegram', 'workers-inbound', 'workers-polls']);
  expect(domainsOf(await whoMay('Query', 'OUTBOX#00'))).toEqual([
    'events',
    'mcp',
    'workers-finish-sagas',
    'workers-publish-events',
    'workers-sweep',
    'workers-write-exports',
  ]);
  expect(domainsOf(await whoMay('Query', 'DUE#00'))).toEqual([
    'workers-dispatch-timers',
    'workers-fan-out',
    'workers-finish-sagas',
    'workers-put-events',
    'workers-sweep',
  ]);
  expect((await whoMay('DeleteItem', 'OUTBOX#00')).every((name) => name.startsWith('workers-'))).toBe(true);
});

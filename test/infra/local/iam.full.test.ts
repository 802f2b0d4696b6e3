import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BatchGetItemCommand,
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { DeleteObjectsCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateScheduleCommand, GetScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { ReceiveMessageCommand, SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, startEngine } from '#infra/local/engine.ts';
import { conditionOf } from '#infra/local/iam/condition.ts';
import type { StatementText } from '#infra/local/iam/statement.ts';
import { readUsage } from '#infra/local/iam/usage.ts';
import { Iam } from '#infra/local/iam.ts';
import { startKms } from '#infra/local/kms.ts';
import { startS3 } from '#infra/local/s3.ts';
import { startScheduler } from '#infra/local/scheduler.ts';
import { startSes } from '#infra/local/ses.ts';
import { startSqs } from '#infra/local/sqs.ts';
import type { ResolvedResource } from '#infra/local/template.ts';

const home = { accountId: '111122223333', region: 'eu-west-1' };
const owner = { accessKeyId: `LOCAL${'0'.repeat(32)}`, secretAccessKey: 'of the owner alone' };
const arn = (service: string, resource: string) => `arn:aws:${service}:${home.region}:${home.accountId}:${resource}`;
const roleArn = (name: string) => `arn:aws:iam::${home.accountId}:role/${name}`;
const tableArn = arn('dynamodb', 'table/Rows');

const resource = (name: string, properties: Record<string, unknown>, ownArn = name): ResolvedResource => ({
  id: name,
  name,
  ref: name,
  arn: ownArn,
  properties,
  metadata: {},
});
const allow = (Action: string | string[], Resource: string | string[], more: object = {}): StatementText => ({
  Effect: 'Allow',
  Action,
  Resource,
  ...more,
});

const ofTenants = ['1*', '2*', '3*', '4*', '5*', '6*', '7*', '8*', '9*'];
const leading = (keys: string[]) => ({ Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys } } });
const trustOf = (Service: string, Condition: object = {}) => ({
  Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service }, Condition }],
});

/** What the one function may. */
const statements: StatementText[] = [
  allow(['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'], tableArn, leading([...ofTenants, 'KEY#*'])),
  allow('dynamodb:Put*', tableArn, leading([...ofTenants, 'OUTBOX#*'])),
  {
    ...allow('dynamodb:*', tableArn),
    Effect: 'Deny',
    Condition: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': ['9*'] } },
  },
  allow('sqs:SendMessage', arn('sqs', 'Jobs')),
  allow('kms:Decrypt', '*', {
    Condition: { 'ForAnyValue:StringEquals': { 'kms:EncryptionContextKeys': ['account'] } },
  }),
  allow('scheduler:CreateSchedule', arn('scheduler', 'schedule/default/*')),
  allow('iam:PassRole', [roleArn('Sender'), roleArn('Untrusting')], {
    Condition: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
  }),
  allow('ses:SendRawEmail', [arn('ses', 'identity/example.com')]),
  allow(['s3:GetObject', 's3:DeleteObject'], 'arn:aws:s3:::files/shared/*'),
];
let resources: Record<string, ResolvedResource[]>;

let folder: string;
let iam: Iam;
const closing: (() => unknown)[] = [];
const inFolder = (name: string) => join(folder, name);

let endpoints: Record<'dynamodb' | 'sqs' | 'kms' | 'scheduler' | 'ses' | 's3', string>;
let engine: Engine;
let sent: [queue: string, body: string][];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'iam-'));
  iam = new Iam({ home, owner, usage: inFolder('usage') });
  const guarded = { host: '127.0.0.1', port: 0, accessKeyId: owner.accessKeyId, iam };
  engine = await startEngine({ ...guarded, endpoint: undefined, folder: inFolder('dynamodb'), onGivenUp: () => {} });
  const sqs = await startSqs({ ...guarded, ...home });
  sqs.createQueue('Jobs');
  sqs.createQueue('Others');
  const kms = await startKms({ ...guarded, ...home, keyPath: inFolder('key.json') });
  const scheduler = await startScheduler({
    ...guarded,
    ...home,
    deliver: (queueArn, body, _options, { roleArn: role, scheduleArn }) => {
      iam.requireOfRole('scheduler.amazonaws.com', role, 'sqs:SendMessage', queueArn, scheduleArn);
      sent.push([queueArn, body]);
    },
    mayAssume: (role, group) => iam.mayService('scheduler.amazonaws.com', 'sts:AssumeRole', role, group),
  });
  const ses = await startSes({ ...guarded, ...home, mailboxDir: inFolder('mail'), publish: () => {} });
  const s3 = await startS3({
    host: '127.0.0.1',
    port: 0,
    credentials: owner,
    iam,
    region: home.region,
    folder: inFolder('s3'),
  });
  s3.configure([{ name: 'files', expirations: [] }]);
  endpoints = {
    dynamodb: engine.functionsUrl,
    sqs: sqs.url,
    kms: kms.url,
    scheduler: scheduler.url,
    ses: ses.url,
    s3: s3.url,
  };
  closing.push(...[sqs, kms, scheduler, ses, s3].map((service) => () => service.close()), () => engine.stop());

  const policy = (of: StatementText[]) => [{ PolicyDocument: { Statement: of } }];
  const role = (name: string, of: StatementText[], trust: object) =>
    resource(name, { Policies: policy(of), AssumeRolePolicyDocument: trust }, roleArn(name));
  const ofOwnAccount = { StringEquals: { 'aws:SourceAccount': home.accountId } };
  resources = {
    'AWS::IAM::Role': [
      role('Work', statements, trustOf('lambda.amazonaws.com')),
      role('Sender', [allow('sqs:SendMessage', arn('sqs', 'Jobs'))], trustOf('scheduler.amazonaws.com', ofOwnAccount)),
      role('Untrusting', [], trustOf('lambda.amazonaws.com')),
    ],
    'AWS::KMS::Key': [
      resource(
        'Key',
        {
          KeyPolicy: {
            Statement: [allow('kms:*', '*', { Principal: { AWS: `arn:aws:iam::${home.accountId}:root` } })],
          },
        },
        kms.keyArn,
      ),
    ],
    'AWS::SQS::Queue': [resource('Others', {}, arn('sqs', 'Others'))],
    'AWS::SQS::QueuePolicy': [
      resource('OthersPolicy', {
        Queues: ['Others'],
        PolicyDocument: {
          Statement: [
            allow('sqs:SendMessage', arn('sqs', 'Others'), {
              Principal: { Service: 'events.amazonaws.com' },
              Condition: { ArnEquals: { 'aws:SourceArn': arn('events', 'rule/Bounces') } },
            }),
          ],
        },
      }),
    ],
  };
  deploy();
  await clientOf(DynamoDBClient, 'dynamodb', owner).send(
    new CreateTableCommand({
      TableName: 'Rows',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    }),
  );
});
afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
  iam.close();
  await rm(folder, { recursive: true });
});

const deploy = () =>
  iam.deploy({
    resources: (type) => resources[type] ?? [],
    functions: [{ name: 'Work', role: roleArn('Work') } as never],
    tables: [{ TableName: 'Rows', KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }] } as never],
  });

type Client<Config> = new (config: Config) => { destroy(): void };
function clientOf<T extends { destroy(): void }>(
  of: new (config: never) => T,
  service: keyof typeof endpoints,
  credentials = iam.credentialsOf('Work'),
): T {
  const config = {
    endpoint: endpoints[service],
    region: home.region,
    credentials,
    maxAttempts: 1,
    forcePathStyle: true,
  };
  const client = new (of as unknown as Client<object>)(config) as T;
  closing.push(() => client.destroy());
  return client;
}

const who = `arn:aws:sts::${home.accountId}:assumed-role/Work/Work`;
const implicit = (action: string, place: string) =>
  `User: ${who} is not authorized to perform: ${action} on resource: ${place} because no identity-based policy allows the ${action} action`;
const explicit = (action: string, place: string) =>
  `User: ${who} is not authorized to perform: ${action} on resource: ${place} with an explicit deny in an identity-based policy`;
const refused = (status: number, message: string, name = 'AccessDeniedException') => ({
  name,
  message,
  $metadata: { httpStatusCode: status },
});
const item = (pk: string) => ({ TableName: 'Rows', Item: { pk: { S: pk } } });
const key = (pk: string) => ({ TableName: 'Rows', Key: { pk: { S: pk } } });

describe('DynamoDB', () => {
  test('rows are read and written by the first words of their keys, whatever holds the keys', async () => {
    const rows = clientOf(DynamoDBClient, 'dynamodb');
    const put = (...keys: string[]) =>
      rows.send(new TransactWriteItemsCommand({ TransactItems: keys.map((pk) => ({ Put: item(pk) })) }));
    await rows.send(new PutItemCommand(item('7:live#contact')));
    await put('7:live#contact', 'OUTBOX#01');
    expect(await rows.send(new GetItemCommand(key('7:live#contact')))).toMatchObject({ Item: {} });
    await rows.send(new GetItemCommand(key('KEY#abc')));
    const query = (pk: string) => ({
      TableName: 'Rows',
      KeyConditionExpression: '#p = :of',
      ExpressionAttributeNames: { '#p': 'pk' },
      ExpressionAttributeValues: { ':of': { S: pk } },
    });
    await rows.send(new QueryCommand(query('7:live#contact')));
    const denied = (action: string) => refused(400, implicit(`dynamodb:${action}`, tableArn));
    await expect(rows.send(new PutItemCommand(item('KEY#abc')))).rejects.toMatchObject(denied('PutItem'));
    await expect(put('7:live#contact', 'KEY#abc')).rejects.toMatchObject(denied('PutItem'));
    await expect(rows.send(new GetItemCommand(key('OUTBOX#01')))).rejects.toMatchObject(denied('GetItem'));
    await expect(rows.send(new QueryCommand(query('DUE#00')))).rejects.toMatchObject(denied('Query'));
    const Keys = ['7:live#contact', 'DUE#00'].map((pk) => ({ pk: { S: pk } }));
    await expect(rows.send(new BatchGetItemCommand({ RequestItems: { Rows: { Keys } } }))).rejects.toMatchObject(
      denied('BatchGetItem'),
    );
    const condition = { ConditionCheck: { ...key('7:live#contact'), ConditionExpression: 'attribute_exists(pk)' } };
    await expect(
      rows.send(new TransactWriteItemsCommand({ TransactItems: [{ Put: item('7:live#x') }, condition] })),
    ).rejects.toMatchObject(denied('ConditionCheckItem'));
    // What is denied is denied whatever else allows it.
    await expect(rows.send(new PutItemCommand(item('9:live#contact')))).rejects.toMatchObject(
      refused(400, explicit('dynamodb:PutItem', tableArn)),
    );
  });

  test('a request that comes in pieces and a refused one leave the connection in order', async () => {
    const rows = clientOf(DynamoDBClient, 'dynamodb');
    const large = { TableName: 'Rows', Item: { pk: { S: '7:live#large' }, text: { S: 'x'.repeat(300_000) } } };
    for (let round = 0; round < 5; round += 1) {
      await rows.send(new PutItemCommand(large));
      await expect(rows.send(new PutItemCommand(item('KEY#abc')))).rejects.toThrow('not authorized');
    }
  });

  test('the owner may everything', async () => {
    await clientOf(DynamoDBClient, 'dynamodb', owner).send(new PutItemCommand(item('KEY#abc')));
  });
});

test('SQS names actions in lower case; a batch asks the leave of its single action', async () => {
  const sqs = clientOf(SQSClient, 'sqs');
  const url = (name: string) => `${endpoints.sqs}/${home.accountId}/${name}`;
  await sqs.send(new SendMessageCommand({ QueueUrl: url('Jobs'), MessageBody: 'a' }));
  await sqs.send(new SendMessageBatchCommand({ QueueUrl: url('Jobs'), Entries: [{ Id: 'a', MessageBody: 'a' }] }));
  await expect(
    sqs.send(new SendMessageBatchCommand({ QueueUrl: url('Others'), Entries: [{ Id: 'a', MessageBody: 'a' }] })),
  ).rejects.toMatchObject({
    message: implicit('sqs:sendmessage', arn('sqs', 'Others')),
    $metadata: { httpStatusCode: 403 },
  });
  await expect(sqs.send(new ReceiveMessageCommand({ QueueUrl: url('Jobs') }))).rejects.toThrow('sqs:receivemessage');
});

test('KMS looks at the encryption context', async () => {
  const [ours, theirs] = [clientOf(KMSClient, 'kms', owner), clientOf(KMSClient, 'kms')];
  const KeyId = String(resources['AWS::KMS::Key']?.[0]?.arn);
  const sealed = async (EncryptionContext: Record<string, string>) => {
    const { CiphertextBlob } = await ours.send(
      new EncryptCommand({ KeyId, Plaintext: Buffer.from('x'), EncryptionContext }),
    );
    return theirs.send(new DecryptCommand({ CiphertextBlob, EncryptionContext }));
  };
  expect(await sealed({ account: '7', tenant: '1' })).toMatchObject({ KeyId });
  await expect(sealed({ purpose: 'webhook' })).rejects.toMatchObject(refused(400, implicit('kms:Decrypt', KeyId)));
  await expect(sealed({})).rejects.toThrow('not authorized');
  const encrypting = new EncryptCommand({ KeyId, Plaintext: Buffer.from('x'), EncryptionContext: { account: '7' } });
  await expect(theirs.send(encrypting)).rejects.toThrow('kms:Encrypt');
});

test('what the policy of a key does not leave to the account no role gives', async () => {
  const [aKey] = resources['AWS::KMS::Key'] as [ResolvedResource];
  const decide = () =>
    iam.may({ name: 'Work', principal: { role: roleArn('Work') } }, 'kms:Decrypt', aKey.arn, {
      'kms:encryptioncontextkeys': ['account'],
    });
  expect(decide()).toBe(true);
  resources['AWS::KMS::Key'] = [{ ...aKey, properties: { KeyPolicy: { Statement: [] } } }];
  deploy();
  expect(decide()).toBe(false);
  resources['AWS::KMS::Key'] = [aKey];
  deploy();
});

describe('Scheduler', () => {
  const schedule = (Name: string, role: string, queue = 'Jobs') =>
    new CreateScheduleCommand({
      Name,
      ScheduleExpression: `at(${new Date().toISOString().slice(0, 19)})`,
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: { Arn: arn('sqs', queue), RoleArn: roleArn(role), Input: Name },
    });

  test('a schedule takes a role that may be passed, and that the Scheduler may take; its messages are sent with it', async () => {
    sent = [];
    const scheduler = clientOf(SchedulerClient, 'scheduler');
    await scheduler.send(schedule('mine', 'Sender'));
    await expect.poll(() => sent).toEqual([[arn('sqs', 'Jobs'), 'mine']]);
    await scheduler.send(schedule('elsewhere', 'Sender', 'Others'));
    await expect
      .poll(() => Object.keys(used().denied['scheduler.amazonaws.com'] ?? {}))
      .toEqual([`sqs:SendMessage ${arn('sqs', 'Others')}`]);
    await expect(scheduler.send(schedule('theirs', 'Work'))).rejects.toMatchObject(
      refused(403, implicit('iam:PassRole', roleArn('Work'))),
    );
    await expect(scheduler.send(schedule('untrusted', 'Untrusting'))).rejects.toMatchObject({
      name: 'ValidationException',
      message: 'The execution role you provide must allow AWS EventBridge Scheduler to assume the role.',
    });
    await expect(scheduler.send(new GetScheduleCommand({ Name: 'mine' }))).rejects.toMatchObject(
      refused(403, implicit('scheduler:GetSchedule', arn('scheduler', 'schedule/default/mine'))),
    );
  });
});

test('SES takes mail as an identity that may be used, in the quotes of its own', async () => {
  const ses = clientOf(SESv2Client, 'ses');
  const from = (address: string) =>
    ses.send(new SendEmailCommand({ Content: { Raw: { Data: Buffer.from(`From: A <${address}>\r\n\r\nHi`) } } }));
  expect(await from('crm@Example.com')).toMatchObject({ MessageId: expect.any(String) });
  await expect(from('crm@other.example')).rejects.toMatchObject(
    refused(
      403,
      `User \`${who}' is not authorized to perform \`ses:SendRawEmail' on resource \`${arn('ses', 'identity/other.example')}'`,
    ),
  );
});

test('S3 refuses by 403 in XML, and hides from who may not list the bucket that an object is missing', async () => {
  const [ours, theirs] = [clientOf(S3Client, 's3', owner), clientOf(S3Client, 's3')];
  const at = (Key: string) => ({ Bucket: 'files', Key });
  for (const name of ['shared/a', 'secret/a']) await ours.send(new PutObjectCommand({ ...at(name), Body: 'x' }));
  expect(await (await theirs.send(new GetObjectCommand(at('shared/a')))).Body?.transformToString()).toBe('x');
  await expect(theirs.send(new GetObjectCommand(at('secret/a')))).rejects.toMatchObject(
    refused(403, implicit('s3:GetObject', '"arn:aws:s3:::files/secret/a"'), 'AccessDenied'),
  );
  await expect(theirs.send(new PutObjectCommand({ ...at('shared/b'), Body: 'x' }))).rejects.toThrow('s3:PutObject');
  await expect(theirs.send(new GetObjectCommand(at('shared/none')))).rejects.toMatchObject({ name: 'AccessDenied' });
  await expect(ours.send(new GetObjectCommand(at('shared/none')))).rejects.toMatchObject({ name: 'NoSuchKey' });
  const Objects = ['shared/a', 'secret/a'].map((Key) => ({ Key }));
  const { Deleted, Errors } = await theirs.send(new DeleteObjectsCommand({ Bucket: 'files', Delete: { Objects } }));
  expect([Deleted?.map(({ Key }) => Key), Errors?.map(({ Key, Code }) => [Key, Code])]).toEqual([
    ['shared/a'],
    [['secret/a', 'AccessDenied']],
  ]);
});

test('a service may what the policy of a resource says, for the source that it names', () => {
  const send = (service: string, rule: string) => () =>
    iam.requireOfService(service, 'sqs:SendMessage', arn('sqs', 'Others'), arn('events', `rule/${rule}`));
  expect(send('events.amazonaws.com', 'Bounces')).not.toThrow();
  expect(send('events.amazonaws.com', 'Another')).toThrow('no resource-based policy allows');
  expect(send('s3.amazonaws.com', 'Bounces')).toThrow('no resource-based policy allows');
});

const used = () => {
  iam.close();
  return readUsage(inFolder('usage'));
};

test('what is used and what is refused is counted, under names without the ids of one system', async () => {
  const { grants, used: counted, denied } = used();
  const own = Object.keys(counted['Work'] ?? {});
  expect(grants[roleArn('Work')]).toEqual(expect.arrayContaining(own));
  expect(own).toEqual(expect.arrayContaining([`Work dynamodb:Put* ${tableArn} [{workspace}*]`]));
  expect(own).toEqual(expect.arrayContaining([`Work dynamodb:Put* ${tableArn} [OUTBOX#*]`]));
  expect(grants[roleArn('Work')]).toContain(`Work dynamodb:Query ${tableArn} [KEY#*]`);
  expect(own).not.toContain(`Work dynamodb:Query ${tableArn} [KEY#*]`);
  expect(denied['Work']).toMatchObject({ [`dynamodb:Query ${tableArn} [DUE#]`]: 1 });
});

describe('conditions', () => {
  const met = (operator: string, wanted: string | string[], value?: string | string[]) =>
    conditionOf({ [operator]: { 'aws:Key': wanted } }).isMet(value === undefined ? {} : { 'aws:key': value });

  test.each([
    ['StringEquals', 'a', 'a', true],
    ['StringEquals', 'a', undefined, false],
    ['StringEquals', ['a', 'b'], 'b', true],
    ['StringEquals', 'a*', 'ab', false],
    ['StringNotEquals', 'a', 'b', true],
    ['StringNotEquals', 'a', 'a', false],
    ['StringNotEquals', 'a', undefined, true],
    ['StringLike', 'a?c*', 'abcd', true],
    ['StringLike', 'a.c', 'abc', false],
    ['StringLikeIfExists', 'a', undefined, true],
    ['StringLikeIfExists', 'a', 'b', false],
    ['ArnLike', 'arn:aws:sqs:*:*:a', 'arn:aws:sqs:x:1:a', true],
    ['ArnEquals', 'arn:aws:sqs:*', 'arn:aws:sns:x:1:a', false],
    ['Bool', 'true', 'true', true],
    ['Bool', 'true', undefined, false],
    ['Null', 'true', undefined, true],
    ['Null', 'true', 'a', false],
    ['Null', 'false', 'a', true],
    ['ForAllValues:StringLike', ['a*', 'b*'], ['ab', 'ba'], true],
    ['ForAllValues:StringLike', 'a*', ['ab', 'ba'], false],
    ['ForAllValues:StringLike', 'a*', undefined, true],
    ['ForAnyValue:StringLike', 'a*', ['ab', 'ba'], true],
    ['ForAnyValue:StringLike', 'a*', ['b'], false],
    ['ForAnyValue:StringLike', 'a*', undefined, false],
  ] as const)('%s %s of %s is %s', (operator, wanted, value, expected) => {
    expect(met(operator, wanted as string, value as string)).toBe(expected);
  });

  test('what is not known here is not passed over', () => {
    expect(() => met('NumericLessThan', '5')).toThrow('not known here');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a policy variable.
    expect(() => met('StringLike', '${aws:username}')).toThrow('no policy variable');
  });
});

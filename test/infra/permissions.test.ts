import { join } from 'node:path';

import { DecryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, describe, expect, test } from 'vitest';
import { type Call, Calls, readCalls } from '#infra/local/calls.ts';
import { tableCalls } from '#infra/local/engine/calls.ts';
import { startKms } from '#infra/local/kms.ts';
import { startS3 } from '#infra/local/s3.ts';
import { startScheduler } from '#infra/local/scheduler.ts';
import { startSes } from '#infra/local/ses.ts';
import { startSqs } from '#infra/local/sqs.ts';
import type { ResolvedResource } from '#infra/local/template.ts';
import { conditionOf } from '#infra/permissions/condition.ts';
import { evaluate } from '#infra/permissions/evaluate.ts';
import { Policies } from '#infra/permissions/policies.ts';
import type { StatementText } from '#infra/permissions/statement.ts';
import { temporaryFolder } from '#test/infra/local/cloud-assembly.ts';

const home = { accountId: '111122223333', region: 'eu-west-1' };
const arn = (service: string, resource: string) => `arn:aws:${service}:${home.region}:${home.accountId}:${resource}`;
const roleArn = (name: string) => `arn:aws:iam::${home.accountId}:role/${name}`;
const table = arn('dynamodb', 'table/Rows');
const key = arn('kms', 'key/…');

const folder = temporaryFolder();
afterAll(folder.remove);

const resource = (name: string, properties: Record<string, unknown>, ownArn: string): ResolvedResource => ({
  ...{ id: name, name, ref: name, arn: ownArn },
  ...{ properties, metadata: {} },
});
const allow = (Action: string | string[], Resource: string | string[], more: object = {}): StatementText => ({
  ...{ Effect: 'Allow', Action, Resource },
  ...more,
});
const leading = (keys: string[]) => ({ Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys } } });

/** Policies of the role `Work`, of a key that leaves everything to the account, and of a queue. */
function policiesOf(statements: StatementText[], isLeftToAccount = true): Policies {
  const account = allow('kms:*', '*', { Principal: { AWS: `arn:aws:iam::${home.accountId}:root` } });
  const toQueue = allow('sqs:SendMessage', arn('sqs', 'Others'), {
    Principal: { Service: 'events.amazonaws.com' },
    Condition: { ArnEquals: { 'aws:SourceArn': arn('events', 'rule/Bounces') } },
  });
  const resources: Record<string, ResolvedResource[]> = {
    'AWS::IAM::Role': [
      resource('Work', { Policies: [{ PolicyDocument: { Statement: statements } }] }, roleArn('Work')),
    ],
    'AWS::KMS::Key': [resource('Key', { KeyPolicy: { Statement: isLeftToAccount ? [account] : [] } }, key)],
    'AWS::SQS::Queue': [resource('Others', {}, arn('sqs', 'Others'))],
    'AWS::SQS::QueuePolicy': [
      resource('OthersPolicy', { Queues: ['Others'], PolicyDocument: { Statement: [toQueue] } }, ''),
    ],
  };
  for (const role of resources['AWS::IAM::Role'] ?? []) role.properties['AssumeRolePolicyDocument'] = { Statement: [] };
  return new Policies((type) => resources[type] ?? []);
}

describe('a call of a function', () => {
  const file = join(folder.path, 'calls.jsonl');

  test('is noted by the service that it asks, once for every workspace, object, and schedule', async () => {
    const calls = new Calls(file);
    const guarded = { host: '127.0.0.1', port: 0, accessKeyId: 'LOCAL', calls };
    const sqs = await startSqs({ ...guarded, ...home });
    sqs.createQueue('Jobs');
    const kms = await startKms({ ...guarded, ...home, keyPath: join(folder.path, 'key.json') });
    const scheduler = await startScheduler({ ...guarded, ...home, deliver: () => {} });
    const ses = await startSes({ ...guarded, ...home, mailboxDir: join(folder.path, 'mail'), publish: () => {} });
    const s3 = await startS3({ ...guarded, folder: join(folder.path, 's3') });
    s3.configure([{ name: 'files', expirations: [] }]);
    const at = (endpoint: string, sessionToken?: string) => ({
      ...{ endpoint, region: home.region, maxAttempts: 1, forcePathStyle: true },
      credentials: { accessKeyId: 'LOCAL', secretAccessKey: 'any', ...(sessionToken && { sessionToken }) },
    });
    const ask = async (client: { send(command: never): Promise<unknown>; destroy(): void }, command: object) => {
      await client.send(command as never).catch(() => {});
      client.destroy();
    };
    const Entries = [{ Id: 'a', MessageBody: 'a' }];
    const batch = () => new SendMessageBatchCommand({ QueueUrl: `${sqs.url}/1/Jobs`, Entries });
    await ask(new SQSClient(at(sqs.url, 'Work')), batch());
    await ask(new SQSClient(at(sqs.url, 'Work')), batch());
    await ask(new SQSClient(at(sqs.url)), new SendMessageBatchCommand({ QueueUrl: `${sqs.url}/1/Owner`, Entries }));
    const decrypt = { CiphertextBlob: Buffer.from('x'), EncryptionContext: { tenant: '7:live', account: '7' } };
    await ask(new KMSClient(at(kms.url, 'Work')), new DecryptCommand(decrypt));
    const schedule = (Name: string) =>
      new CreateScheduleCommand({
        Name,
        ScheduleExpression: 'at(2099-01-01T00:00:00)',
        FlexibleTimeWindow: { Mode: 'OFF' },
        Target: { Arn: arn('sqs', 'Jobs'), RoleArn: roleArn('Sender') },
      });
    for (const name of ['one', 'another']) await ask(new SchedulerClient(at(scheduler.url, 'Work')), schedule(name));
    const Data = Buffer.from('From: A <crm@Example.com>\r\n\r\nHi');
    await ask(new SESv2Client(at(ses.url, 'Work')), new SendEmailCommand({ Content: { Raw: { Data } } }));
    await ask(new S3Client(at(s3.url, 'Work')), new GetObjectCommand({ Bucket: 'files', Key: 'uploads/none' }));
    await Promise.all([sqs, kms, scheduler, ses, s3].map((service) => service.close()));
    const noted = readCalls(file).map(({ functionName, action, resource: place, values }) => [
      ...[functionName, action, place],
      ...Object.entries(values).flat(2),
    ]);
    expect(noted).toEqual([
      ['Work', 'iam:PassRole', roleArn('Sender'), 'iam:passedtoservice', 'scheduler.amazonaws.com'],
      ['Work', 'kms:Decrypt', key, 'kms:encryptioncontextkeys', 'account', 'tenant'],
      ['Work', 's3:GetObject', 'arn:aws:s3:::files/uploads/…'],
      // S3 says 404 to those that may list, and 403 to all others.
      ['Work', 's3:ListBucket', 'arn:aws:s3:::files'],
      ['Work', 'scheduler:CreateSchedule', arn('scheduler', 'schedule/default/…')],
      ['Work', 'ses:SendRawEmail', arn('ses', 'identity/example.com')],
      ['Work', 'sqs:SendMessage', arn('sqs', 'Jobs')],
    ]);
  });

  test('to the table is noted by partition, with ids and workspaces masked', () => {
    const calls = new Calls(join(folder.path, 'table.jsonl'));
    const note = (operation: string, asked: object) => {
      for (const { action, partitions } of tableCalls(operation, asked))
        calls.note('Work', `dynamodb:${action}`, table, { 'dynamodb:leadingkeys': partitions });
    };
    const at = (pk: string) => ({ TableName: 'Rows', Key: { pk: { S: pk }, sk: { S: '1' } } });
    const put = (pk: string) => ({ Put: { TableName: 'Rows', Item: { pk: { S: pk } } } });
    note('GetItem', at('7:live#contact'));
    note('GetItem', at('12:test#contact'));
    note('UpdateItem', { ...at('7:live#quota'), ExpressionAttributeValues: { ':one': { N: '1' } } });
    const query = { TableName: 'Rows', KeyConditionExpression: 'pk = :pk' };
    note('Query', { ...query, ExpressionAttributeValues: { ':pk': { S: '7:live#contact?stage=new' } } });
    note('Query', { ...query, ExpressionAttributeValues: { ':other': { S: 'KEY#1' } } });
    const check = { ConditionCheck: at('7:live#deal') };
    note('TransactWriteItems', { TransactItems: [put('7:live#contact'), put('OUTBOX#01'), check] });
    note('BatchGetItem', { RequestItems: { Rows: { Keys: [at('7:live#tag').Key, at('KEY#abc').Key] } } });
    note('BatchWriteItem', { RequestItems: { Rows: [{ PutRequest: { Item: { pk: { S: '7#member/1' } } } }] } });
    const noted = readCalls(join(folder.path, 'table.jsonl'));
    expect(noted.map(({ action, values }) => [action, values['dynamodb:leadingkeys']])).toEqual([
      ['dynamodb:BatchGetItem', ['1:live#tag', 'KEY#…']],
      ['dynamodb:BatchWriteItem', ['1:live#member/…']],
      ['dynamodb:ConditionCheckItem', ['1:live#deal']],
      ['dynamodb:GetItem', ['1:live#contact']],
      ['dynamodb:PutItem', ['1:live#contact', 'OUTBOX#…']],
      ['dynamodb:Query', ['1:live#contact/…']],
      ['dynamodb:Query', ['?']],
      ['dynamodb:UpdateItem', ['1:live#quota']],
    ]);
  });
});

describe('the evaluation of noted calls', () => {
  const functions = [{ name: 'Work', role: roleArn('Work') }];
  const tenants = ['1*', '2*', '3*'];
  const ofAccounts = { Condition: { 'ForAnyValue:StringEquals': { 'kms:EncryptionContextKeys': ['account'] } } };
  const statements: StatementText[] = [
    allow(['dynamodb:GetItem', 'dynamodb:Put*'], table, leading([...tenants, 'OUTBOX#*'])),
    {
      ...allow('dynamodb:*', table),
      Effect: 'Deny',
      Condition: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': ['1*#secret'] } },
    },
    allow('kms:Decrypt', key, ofAccounts),
    allow('sqs:SendMessage', [arn('sqs', 'Jobs'), arn('sqs', 'Never')]),
  ];
  const call = (action: string, place: string, values: Call['values'] = {}): Call => ({
    ...{ functionName: 'Work', action, resource: place },
    values,
  });
  const onTable = (action: string, ...keys: string[]) =>
    call(`dynamodb:${action}`, table, { 'dynamodb:leadingkeys': keys });
  const sample = [
    onTable('GetItem', '1:live#contact'),
    onTable('PutItem', '1:live#contact', 'OUTBOX#…'),
    call('kms:Decrypt', key, { 'kms:encryptioncontextkeys': ['account', 'tenant'] }),
    call('sqs:SendMessage', arn('sqs', 'Jobs')),
  ];

  test('denies nothing that the role allows, and names what no call needed', () => {
    const { denied, unused } = evaluate(sample, functions, policiesOf(statements));
    expect(denied).toEqual([]);
    expect(unused).toEqual([`Work sqs:SendMessage ${arn('sqs', 'Never')}`]);
  });

  test('names the call whose grant is missing', () => {
    const { denied } = evaluate(sample, functions, policiesOf(statements.slice(0, 3)));
    expect(denied).toEqual([
      `Work may not sqs:SendMessage ${arn('sqs', 'Jobs')}: because no identity-based policy allows the sqs:SendMessage action`,
    ]);
  });

  const implicit = (action: string) => `because no identity-based policy allows the ${action} action`;
  test.each<[string, Call, string]>([
    ['of a partition that is not granted', onTable('GetItem', 'KEY#…'), implicit('dynamodb:GetItem')],
    ['of one such among others', onTable('PutItem', '1:live#deal', 'KEY#…'), implicit('dynamodb:PutItem')],
    ['of a query whose partition is not read', onTable('Query', '?'), implicit('dynamodb:Query')],
    [
      'of what a statement denies',
      onTable('PutItem', '1:live#secret'),
      'with an explicit deny in an identity-based policy',
    ],
    [
      'of a secret of another kind',
      call('kms:Decrypt', key, { 'kms:encryptioncontextkeys': ['webhook'] }),
      implicit('kms:Decrypt'),
    ],
    ['of a secret without a context', call('kms:Decrypt', key), implicit('kms:Decrypt')],
    [
      'of a function that has no role',
      { ...call('sqs:SendMessage', arn('sqs', 'Jobs')), functionName: 'Gone' },
      implicit('sqs:SendMessage'),
    ],
  ])('denies a call %s', (_, one, because) => {
    const { denied } = evaluate([one], functions, policiesOf(statements));
    expect(denied.map((line) => line.slice(line.lastIndexOf(': ') + 2))).toEqual([because]);
  });

  test('lets no role use a key whose policy does not leave it to the account', () => {
    expect(evaluate(sample, functions, policiesOf(statements, false)).denied).toEqual([
      expect.stringMatching(/^Work may not kms:Decrypt /),
    ]);
  });

  test('lets a service do what a resource says, for the source that it names', () => {
    const policies = policiesOf([]);
    const maySend = (service: string, rule: string) =>
      policies.decide({
        ...{ principal: { service }, action: 'sqs:SendMessage', resource: arn('sqs', 'Others') },
        values: { 'aws:sourcearn': arn('events', `rule/${rule}`) },
      }).isAllowed;
    expect(maySend('events.amazonaws.com', 'Bounces')).toBe(true);
    expect(maySend('events.amazonaws.com', 'Another')).toBe(false);
    expect(maySend('s3.amazonaws.com', 'Bounces')).toBe(false);
  });
});

describe('conditions', () => {
  const met = (operator: string, wanted: string | string[], value?: string | string[]) =>
    conditionOf({ [operator]: { 'aws:Key': wanted } })(value === undefined ? {} : { 'aws:key': value });

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

  test('an unknown operator or policy variable is an error', () => {
    expect(() => met('NumericLessThan', '5')).toThrow('not known here');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a policy variable.
    expect(() => met('StringLike', '${aws:username}')).toThrow('no policy variable');
  });
});

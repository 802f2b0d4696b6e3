import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  ResourceNotFoundException,
  SchedulerClient,
  type Target,
  ValidationException,
} from '@aws-sdk/client-scheduler';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startScheduler } from '#infra/local/scheduler.ts';
import { type LocalQueue, type LocalSqs, startSqs } from '#infra/local/sqs.ts';

const home = { accountId: '123456789012', region: 'eu-central-1' };
const address = { host: '127.0.0.1', port: 0, accessKeyId: 'any' };
let sqs: LocalSqs;
let local: Awaited<ReturnType<typeof startScheduler>>;
let scheduler: SchedulerClient;

beforeAll(async () => {
  sqs = await startSqs({ ...address, ...home });
  local = await startScheduler({ ...address, ...home, deliver: sqs.send });
  scheduler = new SchedulerClient({
    region: home.region,
    endpoint: local.url,
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
  });
});

afterAll(async () => {
  scheduler.destroy();
  await local.close();
  await sqs.close();
});

const inSeconds = (seconds: number) => `at(${new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19)})`;

function create(
  Name: string,
  { to, target, ...more }: Partial<CreateScheduleCommandInput> & { to?: LocalQueue; target?: Partial<Target> } = {},
) {
  const Arn = to?.arn ?? `arn:aws:sqs:${home.region}:${home.accountId}:none`;
  const RoleArn = 'arn:aws:iam::123456789012:role/scheduler';
  return scheduler.send(
    new CreateScheduleCommand({
      Name,
      ScheduleExpression: inSeconds(3600),
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: { Arn, RoleArn, Input: `input of ${Name}`, ...target },
      ...more,
    }),
  );
}

async function bodyIn(queue: LocalQueue): Promise<string | undefined> {
  const [record] = await queue.receiveRecords({ waitSeconds: 10 });
  return record?.body;
}

test('a schedule delivers its input when it is due, then makes room for its name if told to', async () => {
  const queue = sqs.createQueue('one-time');
  const once = () => create('once', { ScheduleExpression: inSeconds(1), ActionAfterCompletion: 'DELETE', to: queue });
  expect((await once()).ScheduleArn).toBe('arn:aws:scheduler:eu-central-1:123456789012:schedule/default/once');
  await expect(once()).rejects.toBeInstanceOf(ConflictException);
  expect(await bodyIn(queue)).toBe('input of once');
  await once();
});

test('a schedule that is not told so keeps its name, and fires no more', async () => {
  const queue = sqs.createQueue('stays');
  await create('stays', { ScheduleExpression: inSeconds(0), to: queue });
  expect(await bodyIn(queue)).toBe('input of stays');
  await expect(create('stays')).rejects.toBeInstanceOf(ConflictException);
  expect(queue.counts().visible).toBe(0);
});

test('a message that cannot be delivered goes to the dead-letter queue', async () => {
  const deadLetters = sqs.createQueue('schedule-dead-letters');
  const target = { DeadLetterConfig: { Arn: deadLetters.arn } };
  await create('lost', { ScheduleExpression: inSeconds(0), target });
  expect(await bodyIn(deadLetters)).toBe('input of lost');
});

test('a name is unique in its group, and a request with the same token gets the same answer', async () => {
  const first = await create('taken', { ClientToken: 'token-1' });
  const again = await create('taken', { ClientToken: 'token-1' });
  expect(again.ScheduleArn).toBe(first.ScheduleArn);
  await expect(create('taken', { ClientToken: 'token-2' })).rejects.toMatchObject({
    name: 'ConflictException',
    $metadata: { httpStatusCode: 409 },
  });
  await expect(create('taken', { GroupName: 'later' })).rejects.toBeInstanceOf(ResourceNotFoundException);
  local.createGroup('later');
  await create('taken', { GroupName: 'later' });
});

test.each<[string, string, Partial<CreateScheduleCommandInput>]>([
  ['a name with a space', 'a b', {}],
  ['a name of 65 characters', 'x'.repeat(65), {}],
  ['a time in the past', 'past', { ScheduleExpression: 'at(2020-01-01T00:00:00)' }],
  ['a day that no month has', 'feb', { ScheduleExpression: 'at(2099-02-30T00:00:00)' }],
  ['a time with a zone in it', 'zulu', { ScheduleExpression: 'at(2099-01-01T00:00:00Z)' }],
  ['a rate, which nobody here uses', 'rate', { ScheduleExpression: 'rate(1 minute)' }],
  ['a time zone, which nobody here uses', 'mars', { ScheduleExpressionTimezone: 'Europe/Berlin' }],
  ['no target', 'targetless', { Target: undefined }],
])('%s is refused', async (_case, name, more) => {
  await expect(create(name, more)).rejects.toBeInstanceOf(ValidationException);
});

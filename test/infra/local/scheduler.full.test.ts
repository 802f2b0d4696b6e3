import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  CreateScheduleGroupCommand,
  DeleteScheduleCommand,
  DeleteScheduleGroupCommand,
  GetScheduleCommand,
  GetScheduleGroupCommand,
  ListScheduleGroupsCommand,
  ListSchedulesCommand,
  ResourceNotFoundException,
  SchedulerClient,
  type Target,
  UpdateScheduleCommand,
  ValidationException,
} from '@aws-sdk/client-scheduler';
import type { SQSRecord } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseExpression } from '#infra/local/scheduler/expression.ts';
import { nextFireMs, parseSchedule } from '#infra/local/scheduler/schedule.ts';
import { type LocalScheduler, startScheduler } from '#infra/local/scheduler.ts';
import { type LocalQueue, type LocalSqs, startSqs } from '#infra/local/sqs.ts';

const home = { accountId: '123456789012', region: 'eu-central-1' };
const address = { host: '127.0.0.1', port: 0, accessKeyId: 'any' };
const roleArn = 'arn:aws:iam::123456789012:role/scheduler';
let sqs: LocalSqs;
let local: LocalScheduler;
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

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19);

function input(
  Name: string,
  more: Partial<CreateScheduleCommandInput> & { to?: LocalQueue; target?: Partial<Target> } = {},
): CreateScheduleCommandInput {
  const { to, target, ...rest } = more;
  return {
    Name,
    ScheduleExpression: `at(${inSeconds(3600)})`,
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: {
      Arn: to?.arn ?? `arn:aws:sqs:${home.region}:${home.accountId}:none`,
      RoleArn: roleArn,
      Input: `input of ${Name}`,
      ...target,
    },
    ...rest,
  };
}

const create = (...given: Parameters<typeof input>) => scheduler.send(new CreateScheduleCommand(input(...given)));
const get = (Name: string, GroupName = 'default') => scheduler.send(new GetScheduleCommand({ Name, GroupName }));

async function arrival(queue: LocalQueue): Promise<SQSRecord> {
  const [record] = await queue.receiveRecords({ waitSeconds: 10 });
  if (!record) throw new Error('nothing was delivered');
  return record;
}

describe('schedules', () => {
  test('a one-time schedule delivers its input when it is due, then deletes itself if told to', async () => {
    const queue = sqs.createQueue('one-time');
    const { ScheduleArn } = await create('once', {
      ScheduleExpression: `at(${inSeconds(3)})`,
      ActionAfterCompletion: 'DELETE',
      to: queue,
      target: { SqsParameters: { MessageGroupId: 'tenant' } },
    });
    expect(ScheduleArn).toBe('arn:aws:scheduler:eu-central-1:123456789012:schedule/default/once');
    expect(await get('once')).toMatchObject({ State: 'ENABLED' });
    expect(await arrival(queue)).toMatchObject({ body: 'input of once', attributes: { MessageGroupId: 'tenant' } });
    await expect(get('once')).rejects.toBeInstanceOf(ResourceNotFoundException);
  });

  test('without an action after completion a one-time schedule stays, and fires no more', async () => {
    const queue = sqs.createQueue('stays');
    await create('stays', {
      ScheduleExpression: `at(${inSeconds(0)})`,
      to: queue,
      target: { Input: 'at <aws.scheduler.scheduled-time>' },
    });
    expect((await arrival(queue)).body).toMatch(/^at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect((await get('stays')).Name).toBe('stays');
    expect(queue.counts().visible).toBe(0);
  });

  test('a rate fires at its start and goes on', async () => {
    const queue = sqs.createQueue('rated');
    await create('rated', { ScheduleExpression: 'rate(1 minute)', to: queue });
    expect((await arrival(queue)).body).toBe('input of rated');
    expect(await get('rated')).toMatchObject({ ScheduleExpression: 'rate(1 minute)', State: 'ENABLED' });
  });

  test('retries are those that AWS has where a request says none, and no more than it takes', async () => {
    const retrying = (RetryPolicy: object) => create('retrying', { target: { RetryPolicy } });
    await expect(retrying({ MaximumRetryAttempts: 186 })).rejects.toBeInstanceOf(ValidationException);
    await expect(retrying({ MaximumEventAgeInSeconds: 59 })).rejects.toBeInstanceOf(ValidationException);
    await retrying({ MaximumRetryAttempts: 0 });
    const { Target } = await get('retrying');
    expect(Target?.RetryPolicy).toEqual({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 86_400 });
  });

  test('what cannot be delivered goes to the dead-letter queue with the reason', async () => {
    const deadLetters = sqs.createQueue('schedule-dead-letters');
    await create('lost', {
      ScheduleExpression: `at(${inSeconds(0)})`,
      target: { DeadLetterConfig: { Arn: deadLetters.arn } },
    });
    expect(await arrival(deadLetters)).toMatchObject({
      body: 'input of lost',
      messageAttributes: {
        ERROR_CODE: { stringValue: 'QueueDoesNotExist' },
        SCHEDULE_ARN: { stringValue: 'arn:aws:scheduler:eu-central-1:123456789012:schedule/default/lost' },
      },
    });
  });

  test('a disabled or deleted schedule delivers nothing, one moved forward by an update does', async () => {
    const queue = sqs.createQueue('changed');
    const soon = `at(${inSeconds(2)})`;
    await create('disabled', { ScheduleExpression: soon, State: 'DISABLED', to: queue });
    await create('deleted', { ScheduleExpression: soon, to: queue });
    await scheduler.send(new DeleteScheduleCommand({ Name: 'deleted' }));
    await create('moved', { to: queue });
    const moved = { ...input('moved', { to: queue }), ScheduleExpression: `at(${inSeconds(4)})` };
    await scheduler.send(new UpdateScheduleCommand(moved));
    expect((await arrival(queue)).body).toBe('input of moved');
    expect(queue.counts().visible).toBe(0);
  });

  test('a name is taken once; the same request sent again with its token is answered alike', async () => {
    const first = await create('taken', { ClientToken: 'token-1' });
    const again = await create('taken', { ClientToken: 'token-1' });
    expect(again.ScheduleArn).toBe(first.ScheduleArn);
    const error = await create('taken').catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ConflictException);
    expect(error).toMatchObject({
      message: 'Schedule taken already exists.',
      $metadata: { httpStatusCode: 409 },
    });
  });

  test('a schedule that does not exist cannot be read, changed or deleted', async () => {
    const missing = { name: 'ResourceNotFoundException', $metadata: { httpStatusCode: 404 } };
    await expect(get('none')).rejects.toMatchObject(missing);
    await expect(scheduler.send(new UpdateScheduleCommand(input('none')))).rejects.toMatchObject(missing);
    await expect(scheduler.send(new DeleteScheduleCommand({ Name: 'none' }))).rejects.toMatchObject(missing);
    await expect(create('orphan', { GroupName: 'no-such-group' })).rejects.toMatchObject(missing);
  });

  test.each<[string, string, Partial<CreateScheduleCommandInput>]>([
    ['a name with a space', 'a b', {}],
    ['a time in the past', 'past', { ScheduleExpression: 'at(2020-01-01T00:00:00)' }],
    ['a day that no month has', 'feb', { ScheduleExpression: 'at(2099-02-30T00:00:00)' }],
    ['a time with a zone in it', 'zulu', { ScheduleExpression: 'at(2099-01-01T00:00:00Z)' }],
    ['an unknown time zone', 'mars', { ScheduleExpressionTimezone: 'Mars/Olympus' }],
    ['a rate of nothing', 'zero', { ScheduleExpression: 'rate(0 minutes)' }],
    ['no target', 'targetless', { Target: undefined }],
    ['a flexible window without its length', 'flexible', { FlexibleTimeWindow: { Mode: 'FLEXIBLE' } }],
  ])('%s is refused', async (_case, name, more) => {
    await expect(create(name, more)).rejects.toBeInstanceOf(ValidationException);
  });
});

describe('groups', () => {
  test('a group holds schedules of its own, and deleting it deletes them', async () => {
    const group = { GroupName: 'campaigns' };
    const { ScheduleGroupArn } = await scheduler.send(new CreateScheduleGroupCommand({ Name: 'campaigns' }));
    expect(ScheduleGroupArn).toBe('arn:aws:scheduler:eu-central-1:123456789012:schedule-group/campaigns');
    await create('same-name');
    await create('same-name', group);
    await create('other', group);
    const list = (NextToken?: string) =>
      scheduler.send(new ListSchedulesCommand({ ...group, MaxResults: 1, ...(NextToken && { NextToken }) }));
    const first = await list();
    const second = await list(first.NextToken);
    expect([...(first.Schedules ?? []), ...(second.Schedules ?? [])].map(({ Name }) => Name)).toEqual([
      'other',
      'same-name',
    ]);
    expect(second.NextToken).toBeUndefined();
    await scheduler.send(new DeleteScheduleGroupCommand({ Name: 'campaigns' }));
    await expect(get('other', 'campaigns')).rejects.toBeInstanceOf(ResourceNotFoundException);
    expect((await get('same-name')).GroupName).toBe('default');
  });

  test('groups are shown and listed, a name is taken once, and the default group stays', async () => {
    local.createGroup('from-template');
    const shown = await scheduler.send(new GetScheduleGroupCommand({ Name: 'from-template' }));
    expect(shown).toMatchObject({ State: 'ACTIVE', CreationDate: expect.any(Date) });
    const { ScheduleGroups } = await scheduler.send(new ListScheduleGroupsCommand({ NamePrefix: 'from' }));
    expect(ScheduleGroups?.map(({ Name }) => Name)).toEqual(['from-template']);
    await expect(scheduler.send(new CreateScheduleGroupCommand({ Name: 'from-template' }))).rejects.toBeInstanceOf(
      ConflictException,
    );
    await expect(scheduler.send(new DeleteScheduleGroupCommand({ Name: 'default' }))).rejects.toBeInstanceOf(
      ValidationException,
    );
  });
});

describe('times', () => {
  test.each([
    ['UTC', '2026-07-01T12:00:00', '2026-07-01T12:00:00Z'],
    ['Asia/Kolkata', '2026-07-01T12:00:00', '2026-07-01T06:30:00Z'],
    ['Europe/Berlin', '2026-01-15T08:00:00', '2026-01-15T07:00:00Z'],
    ['Europe/Berlin', '2026-03-29T03:30:00', '2026-03-29T01:30:00Z'],
    ['America/New_York', '2026-11-01T03:00:00', '2026-11-01T08:00:00Z'],
  ])('%s reads %s as %s', (timeZone, at, instant) => {
    expect(parseExpression(`at(${at})`, timeZone)).toEqual({ atMs: Date.parse(instant) });
  });

  test('a rate goes on from its last firing until its end, and skips what was missed', () => {
    const now = Date.now();
    const { input: schedule, timing } = parseSchedule({
      ...input('rate', { ScheduleExpression: 'rate(2 hours)' }),
      EndDate: now / 1000 + 3 * 3600,
    });
    const hourMs = 3_600_000;
    expect(nextFireMs(timing, schedule, now)).toBe(now + 2 * hourMs);
    expect(nextFireMs(timing, schedule, now - 5 * hourMs)).toBe(now + hourMs);
    expect(nextFireMs(timing, schedule, now + 2 * hourMs)).toBeUndefined();
  });
});

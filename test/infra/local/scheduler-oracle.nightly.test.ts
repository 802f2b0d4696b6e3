import { randomUUID } from 'node:crypto';
import { type CreateScheduleCommandInput, Scheduler } from '@aws-sdk/client-scheduler';
import { test } from 'vitest';
import { startScheduler } from '#infra/local/scheduler.ts';
import { clientOf, compareWithMoto, guarded, home, Play } from '#test/infra/local/oracle.ts';

const at = (ms: number) => `at(${new Date(Date.now() + ms).toISOString().slice(0, 19)})`;
const hourMs = 3_600_000;

async function play(endpoint: string) {
  const scheduler = new Scheduler(clientOf(endpoint));
  const game = new Play(/^(\w*Date|ScheduleExpression|NextToken)$/);
  const ask = game.ask.bind(game);
  const GroupName = 'oracle';
  const input = (Name: string, more: object = {}): CreateScheduleCommandInput => ({
    Name,
    GroupName,
    ScheduleExpression: at(hourMs),
    FlexibleTimeWindow: { Mode: 'OFF' },
    ActionAfterCompletion: 'DELETE',
    Target: {
      Arn: `arn:aws:sqs:${home.region}:${home.accountId}:timers`,
      RoleArn: `arn:aws:iam::${home.accountId}:role/scheduler`,
      DeadLetterConfig: { Arn: `arn:aws:sqs:${home.region}:${home.accountId}:dead` },
      Input: '{"pk":"p"}',
    },
    ...more,
  });
  const create = (step: string, name: string, more: object = {}) =>
    ask(step, scheduler.createSchedule(input(name, more)));

  await ask('create in no group', scheduler.createSchedule(input('early', { GroupName: 'none' })));
  await ask('group', scheduler.createScheduleGroup({ Name: GroupName }));
  await ask('group again', scheduler.createScheduleGroup({ Name: GroupName }));
  await ask('group with a bad name', scheduler.createScheduleGroup({ Name: 'no spaces' }));
  await ask('get group', scheduler.getScheduleGroup({ Name: GroupName }));
  await ask('get no group', scheduler.getScheduleGroup({ Name: 'none' }));

  const ClientToken = randomUUID();
  await create('create', 'one', { ClientToken });
  await create('create again, the same request', 'one', { ClientToken });
  await create('create again, another request', 'one', { ClientToken: randomUUID() });
  await create('create a name of 64', 'f'.repeat(64));
  await create('create a name of 65', 'f'.repeat(65));
  await create('create a bad name', 'no spaces');
  await create('create in the past', 'past', { ScheduleExpression: at(-hourMs) });
  await create('create with a zone', 'zone', { ScheduleExpression: at(hourMs).replace(')', 'Z)') });
  await create('create with milliseconds', 'ms', { ScheduleExpression: at(hourMs).replace(')', '.000)') });
  await create('create at no time', 'never', { ScheduleExpression: 'at(2030-02-31T00:00:00)' });
  await create('create without sense', 'sense', { ScheduleExpression: 'soon' });
  await create('create with a rate', 'rate', {
    ScheduleExpression: 'rate(5 minutes)',
    ActionAfterCompletion: undefined,
  });
  await create('create with a rate of no unit', 'unit', { ScheduleExpression: 'rate(5 moments)' });
  await create('create elsewhere', 'paris', {
    ScheduleExpression: at(24 * hourMs),
    ScheduleExpressionTimezone: 'Europe/Paris',
  });
  await create('create nowhere', 'mars', { ScheduleExpressionTimezone: 'Mars/Base' });
  await create('create with a window', 'window', {
    FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 5 },
  });
  await create('create with a window without an end', 'endless', { FlexibleTimeWindow: { Mode: 'FLEXIBLE' } });
  await create('create disabled', 'off', { State: 'DISABLED' });
  await create('create with another action', 'action', { ActionAfterCompletion: 'KEEP' });
  await create('create with a long description', 'long', { Description: 'x'.repeat(513) });
  const target = (more: object) => ({ Target: { ...input('').Target, ...more } });
  await create('create with retries', 'retries', target({ RetryPolicy: { MaximumRetryAttempts: 3 } }));
  await create('create with 186 retries', 'more', target({ RetryPolicy: { MaximumRetryAttempts: 186 } }));
  await create('create with a long input', 'input', target({ Input: 'x'.repeat(262_145) }));

  const get = (step: string, Name: string, more: object = {}) =>
    ask(step, scheduler.getSchedule({ Name, GroupName, ...more }));
  await get('get', 'one');
  await get('get the one with a rate', 'rate');
  await get('get the one of elsewhere', 'paris');
  await get('get with a window', 'window');
  await get('get with retries', 'retries');
  await get('get none', 'none');
  await get('get from the default group', 'one', { GroupName: undefined });
  await get('get from no group', 'one', { GroupName: 'none' });
  await ask('update', scheduler.updateSchedule(input('off', { State: 'ENABLED', ActionAfterCompletion: undefined })));
  await get('get what was updated', 'off');
  await ask('update none', scheduler.updateSchedule(input('none')));
  for (const name of ['listed-b', 'listed-a']) await create(`create ${name}`, name);
  await create('create listed-c', 'listed-c', { State: 'DISABLED' });
  const listed = { GroupName, NamePrefix: 'listed-' };
  // In which order is not said.
  const { Schedules = [] } = await scheduler.listSchedules(listed);
  game.note(
    'list',
    Schedules.toSorted((a, b) => String(a.Name).localeCompare(String(b.Name))),
  );
  await ask('list by state', scheduler.listSchedules({ ...listed, State: 'DISABLED' }));
  const some = await scheduler.listSchedules({ ...listed, MaxResults: 2 });
  const others = await scheduler.listSchedules({ ...listed, MaxResults: 2, NextToken: some.NextToken });
  game.note(
    'list in pages',
    [some, others].map((page) => [page.Schedules?.length, typeof page.NextToken]),
  );
  await ask('list of no group', scheduler.listSchedules({ GroupName: 'none' }));
  await ask('delete', scheduler.deleteSchedule({ Name: 'one', GroupName }));
  await ask('delete again', scheduler.deleteSchedule({ Name: 'one', GroupName }));
  await ask('delete the default group', scheduler.deleteScheduleGroup({ Name: 'default' }));
  await ask('delete the group', scheduler.deleteScheduleGroup({ Name: GroupName }));
  await get('get what went with its group', 'rate');
  scheduler.destroy();
  return game.answers;
}

/** Where the Scheduler's documentation is followed rather than moto. */
const differences = {
  'moto does not check what it is given': [
    'group with a bad name',
    'create a name of 65',
    'create a bad name',
    'create in the past',
    'create with a zone',
    'create with milliseconds',
    'create at no time',
    'create without sense',
    'create with a rate of no unit',
    'create nowhere',
    'create with a window without an end',
    'create with another action',
    'create with a long description',
    'create with 186 retries',
    'create with a long input',
    'delete the default group',
  ],
  'the SDK models a conflict as a 409, and a group can be made once': ['group again', 'create again, another request'],
  'a request that is repeated with its token has done what it says': ['create again, the same request'],
  'what does not exist is a 404': ['create in no group', 'list of no group'],
  'what a request leaves out has its default, after an update too': [
    'get the one with a rate',
    'get what was updated',
    'get with retries',
  ],
};

test('the local Scheduler answers as moto does', (context) =>
  compareWithMoto(context, {
    play,
    differences,
    start: () => startScheduler({ ...guarded, ...home, deliver: () => {} }),
  }));

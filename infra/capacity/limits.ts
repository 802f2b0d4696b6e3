import type { WorkerFunction } from '#infra/functions.ts';
import { deployment } from '#infra/settings.ts';
import { maxSenders } from '#lib/email/pace.ts';
import { settings } from '#lib/env.ts';
import { rowKeys, shardsOf } from '#lib/table/keys.ts';
import { sweepTimeoutSeconds } from '#lib/timeouts.ts';
import { maxPerSecond } from '#lib/webhooks/sending.ts';
import { assumed } from './assumed.ts';
import type { MeasuredCalls } from './measured.ts';
import { partitionLimits } from './partitions.ts';
import { newTableShards } from './simulate.ts';

/** A place at which a deployment cannot take more. */
export interface Limit {
  where: string;
  /** What it takes. */
  load: string;
  /** What is seen beyond. */
  seen: string;
  /** What gives it more. */
  lift: string;
}

/** What AWS gives an account until it is asked for more (Service Quotas, us-east-1). */
const quotas = { tableUnits: 40_000, newTableUnits: 4_000, createSchedules: 1_000, concurrency: 1_000 };

/** Beyond a shard or a partition DynamoDB refuses. */
const throttled =
  'calls are 503 (what one transaction writes after 8 s, a single row within two or three), `HttpApiServerErrors`; `WriteThrottleEvents` of the table';

/** Every place that is known, with the load that is reckoned from what calls were measured to write and from the code's own limits. */
export function limits(calls: MeasuredCalls, workers: readonly WorkerFunction[]): Limit[] {
  const perSecond = (call: string, pattern: string) =>
    partitionLimits.writeUnits / (calls[call]?.partitions[pattern]?.writeUnits ?? Number.NaN);
  const shown = (value: number) => Math.floor(value).toLocaleString('en');
  const [outbox, due] = [rowKeys.outbox[0], rowKeys.due[0]];
  const [created, sent] = [perSecond('create-contact', outbox), perSecond('message', outbox)];
  const shareOf = (name: string) => {
    const trigger = workers.find((worker) => worker.name === name)?.worker.trigger;
    return trigger && 'maxConcurrency' in trigger ? trigger.maxConcurrency : 0;
  };
  const shares = workers.reduce((sum, { name }) => sum + shareOf(name), 0);
  const callSeconds = (assumed.callMs + 4 * assumed.tripMs) / 1000;
  const searched = perSecond('create-contact', '{tenant}#contact?search');
  const units = calls['create-contact']?.writeUnits ?? Number.NaN;
  const publisher = workers.find(({ name }) => name === 'workers-publish-events')?.worker;
  const batch = publisher && 'batchSize' in publisher.trigger ? publisher.trigger.batchSize : 1;
  const publishedPerSecond = (cpuMs: number) => {
    const cpu = (batch * cpuMs * assumed.processorMb) / (publisher?.memoryMb ?? assumed.memoryMb);
    return (1000 * batch) / (assumed.publish.trips * assumed.tripMs + cpu);
  };
  const apart = publishedPerSecond(assumed.publish.cpuMsApart);
  const pace = Number(settings.EMAILS_PER_SECOND.default);
  return [
    {
      where: `A shard of the outbox, one of ${shardsOf('outbox').length}, sorted by time: it never splits`,
      load: `${shown(created)} changes/s of one workspace, ${shown(sent)} messages/s (two rows each); ${shown(created * shardsOf('outbox').length)} changes/s of all`,
      seen: `${throttled}; of every workspace in that shard`,
      lift: 'fewer or smaller writes of an outbox row (put, remove); or more shards than workspaces meet in',
    },
    {
      where: 'The publisher, one batch at a time of each shard of the stream',
      load: `about ${shown(publishedPerSecond(assumed.publish.cpuMs))} changes/s of one workspace; of many workspaces about ${shown(apart)}/s a shard of the stream: ${shown(newTableShards * apart)}/s in a new table, ${shown(shardsOf('outbox').length * apart)}/s where each shard of the outbox has its own; webhooks cost more`,
      seen: '`WorkersPublishEventsLate`, `WorkersSweepUnpublished`; who asks the feed waits for 2 s; deliveries are late',
      lift: '`memoryMb` of `publish-events`: it has a third of a processor. Not the parallelization factor: Lambda keeps the order of one item alone, and each row is one',
    },
    {
      where: 'The feed of a workspace',
      load: `${shown(perSecond('create-contact', '{tenant}#feed'))} events/s of 1 KB, half of that above`,
      seen: '`WorkersPublishEventsLate`, `WorkersSweepUnpublished`',
      lift: 'a feed in several partitions, read side by side',
    },
    {
      where: 'Index partitions that every new contact is in: `created`, `stage=new`, `search`',
      load: `${shown(searched)} creates/s of one workspace`,
      seen: throttled,
      lift: 'partitions by a digit of the id, merged by lists',
    },
    {
      where: 'The row of ids of a workspace',
      load: `${shown(perSecond('create-contact', rowKeys.ids[0]))} creates/s of one workspace; a batch takes its ids at once`,
      seen: throttled,
      lift: 'ids in blocks for each process',
    },
    {
      where: `A shard of timers, one of ${shardsOf('due').length} by account, sequence or endpoint, of large changes by workspace`,
      load: `${shown(perSecond('message', due))} messages/s of one account; about as many names changed in a second of contacts that a deal or an enrollment of one workspace shows: each starts a saga, which has a timer`,
      seen: throttled,
      lift: 'accounts do not send so fast: Telegram takes 30 a second; more shards of timers',
    },
    {
      where: 'The row of a key',
      load: `${shown(perSecond('get', rowKeys.key[0]))} calls/s with one key; \`RATE_LIMIT_PER_MINUTE\` (${settings.RATE_LIMIT_PER_MINUTE.default}) is far below`,
      seen: `429 first; then ${throttled}`,
      lift: 'several keys',
    },
    {
      where: 'The request log of a workspace, by day',
      load: `${shown(perSecond('get', rowKeys.requestLog[0]))} calls/s of one workspace`,
      seen: '`WorkersErrors`, then `WorkersKeepRequestsDeadNotEmpty`; no call is refused',
      lift: 'a part of the requests alone; partitions by the hour do not help, one hour is as hot',
    },
    {
      where: 'The deliveries of one endpoint',
      load: `${maxPerSecond}/s (\`lib/webhooks/sending.ts\`)`,
      seen: '`WorkersDeliverLatency`; beyond 100,000 that wait deliveries are skipped',
      lift: `a filter at the endpoint, or several; \`maxPerSecond\` while one delivery writes ${shown(calls['delivery-in-burst']?.writeUnits ?? 0)} units`,
    },
    {
      where: 'Workers that deliver: endpoints at once',
      load: `${shareOf('workers-deliver')} invocations of up to 10 endpoints each, ${shareOf('workers-deliver-slow')} of slow ones`,
      seen: '`DeliveriesQueueOld`, `WorkersDeliverLatency`',
      lift: 'a larger share (`maxConcurrency`) in an account with more concurrency',
    },
    {
      where: 'Workers that send Telegram messages: accounts at once',
      load: `${shareOf('workers-telegram')} invocations of up to 10 accounts each`,
      seen: '`TelegramQueueOld`; `oldestQueuedAt` of `GET /v1/jobs/summary`',
      lift: 'the same',
    },
    {
      where: 'Persons of Telegram or X who are asked for their messages, one after the other',
      load: `${shareOf('workers-user-polls')} at once; of two seconds each ${(shareOf('workers-user-polls') * 30).toLocaleString('en')} a minute, beyond which each is asked less often than every minute`,
      seen: '`UserPollsQueueOld`',
      lift: 'a larger share of `user-polls`',
    },
    {
      where: 'Attachments that come in, mails that come in, sequences, large changes',
      load: `${shareOf('workers-store-attachments')}, ${shareOf('workers-receive-mail')}, ${shareOf('workers-advance-sequences')} and ${shareOf('workers-finish-sagas')} invocations at once`,
      seen: 'the `Old` of their queue; nothing is lost',
      lift: 'the same',
    },
    {
      where: 'KMS in a region: thousands of requests a second',
      load: 'one for each start of a function that sends, and for each account that it opens',
      seen: 'its `ThrottlingException` in `WorkersLog`; tried again',
      lift: 'its quota (Service Quotas: cryptographic operations)',
    },
    {
      where: 'What is left of Lambda for the API',
      load: `${quotas.concurrency - shares} of ${quotas.concurrency.toLocaleString('en')} invocations: about ${shown((quotas.concurrency - shares) / callSeconds)} calls/s of ${Math.round(1000 * callSeconds)} ms`,
      seen: '`LambdaConcurrency`, `LambdaThrottles`; callers get 503',
      lift: 'a quota beyond 1,000 (`-c accountConcurrency=`)',
    },
    {
      where: 'The stage of the HTTP API',
      load: `${shown(Number(deployment.requestsPerSecond.default))} requests/s of all callers; AWS gives an account 10,000`,
      seen: "API Gateway's own 429, no alarm",
      lift: '`-c requestsPerSecond=`, then the quota',
    },
    {
      where: 'The table',
      load: `${shown(quotas.newTableUnits / units)} creates/s when it is new, ${shown(quotas.tableUnits / units)} under the quota of ${quotas.tableUnits.toLocaleString('en')} write units`,
      seen: `${throttled}; \`WriteUnits\` long before`,
      lift: 'warm throughput before a launch; the quota of write units per table',
    },
    {
      where: 'Far timers: one schedule each',
      load: `${quotas.createSchedules.toLocaleString('en')} CreateSchedule/s; ten at a time of a shard of the stream: 100,000 enrollments of one sequence take 5 minutes, in which the timers behind them wait`,
      seen: '`WorkersDispatchTimersLate`; the sweeper sends what is due within a minute',
      lift: 'one timer for a sequence as for an endpoint; enroll in parts',
    },
    {
      where: 'Schedules that fire in one minute',
      load: 'about 1,000/s: 100,000 take 100 s',
      seen: 'messages that are late by as much',
      lift: 'spread `runAt`',
    },
    {
      where: 'The sweeper',
      load: `about ${shown((25_000 / assumed.tripMs) * (sweepTimeoutSeconds - 25))} overdue rows in a run (25 at once, each one write); the others have their turn in the next minutes, the outbox side by side with them`,
      seen: '`WorkersSweepOverdue`',
      lift: 'nothing: rows of a group need one message, whoever was sent to waits 10 minutes',
    },
    {
      where: 'Mail',
      load: `\`EMAILS_PER_SECOND\` (${pace} recipients/s); ${maxSenders} processes of five get through about 30`,
      seen: '`EmailQueueOld`; nothing is lost, it waits',
      lift: 'the rate of SES, then the setting; beyond 30 `maxSenders`',
    },
  ];
}

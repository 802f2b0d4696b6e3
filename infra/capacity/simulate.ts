import type { WorkerFunction } from '#infra/functions.ts';
import { rowKeys } from '#lib/table/keys.ts';
import { assumed, monthSeconds } from './assumed.ts';
import type { Cost, MeasuredCalls } from './measured.ts';
import { type Hot, hotPartitions, partitionLimits, type Rates } from './partitions.ts';
import { ofTable, prices } from './prices.ts';

export interface Load extends Rates {
  workspaces: number;
  /** Of each call its part of all of them; together 1. */
  mix: Readonly<Record<string, number>>;
}

export interface Simulated {
  hot: Hot[];
  /** In a second. */
  rates: Readonly<
    Record<'requests' | 'writeUnits' | 'readUnits' | 'events' | 'deliveries' | 'sqsRequests' | 'streamShards', number>
  >;
  /** Invocations in a second, by function. */
  invocations: Readonly<Record<string, number>>;
  /** In a month of this load, by service, without what the idle system costs. */
  dollars: Readonly<Record<string, number>>;
}

const endpoints = 'endpoints of the API';
const outbox = rowKeys.outbox[0];
const due = rowKeys.due[0];

/** The mix with the deliveries that its events cause: one of each event and endpoint. */
function withDeliveries(
  { mix, endpoints }: Pick<Load, 'mix' | 'endpoints'>,
  calls: MeasuredCalls,
): Record<string, number> {
  const events = eventsOf(mix, calls);
  return endpoints > 0 && events > 0 ? { ...mix, delivery: (mix['delivery'] ?? 0) + events * endpoints } : { ...mix };
}

/** Rows of the outbox that one call of the mix writes; nearly every one is one event. */
const eventsOf = (mix: Readonly<Record<string, number>>, calls: MeasuredCalls): number => putsOf(outbox, mix, calls);

const putsOf = (pattern: string, mix: Readonly<Record<string, number>>, calls: MeasuredCalls): number =>
  Object.entries(mix).reduce((sum, [name, share]) => sum + share * (calls[name]?.partitions[pattern]?.puts ?? 0), 0);

/** What a load asks of the partitions, of Lambda and of the other services, and what it costs. */
export function simulate(load: Load, calls: MeasuredCalls, workers: readonly WorkerFunction[]): Simulated {
  const shares = withDeliveries(load, calls);
  const total = (of: (cost: Cost) => number) =>
    Object.entries(shares).reduce((sum, [name, share]) => sum + share * of(calls[name] as Cost), 0) * load.perSecond;
  const writeUnits = total((cost) => cost.writeUnits);
  const readUnits = total((cost) => cost.readUnits);
  const events = eventsOf(load.mix, calls) * load.perSecond;
  const deliveries = (shares['delivery'] ?? 0) * load.perSecond;
  const queued = putsOf(due, load.mix, calls) * load.perSecond;
  const dispatched = putsOf(due, shares, calls) * load.perSecond;
  const requests = requestsIn(load.mix, calls) * load.perSecond;
  const streamShards = Math.max(newTableShards, Math.ceil(writeUnits / partitionLimits.writeUnits));
  // A batch of a shard at a time: while few rows come each poll finds one.
  const perShard = (rows: number, batchSize: number) =>
    Math.max(Math.min(rows, streamShards * assumed.streamPollsPerSecond), rows / batchSize);
  const batchOf = (name: string) => {
    const trigger = workers.find((worker) => worker.name === name)?.worker.trigger;
    return trigger && 'batchSize' in trigger ? trigger.batchSize : 1;
  };
  const invocations = {
    [endpoints]: requests,
    'publish-events': perShard(events, batchOf('workers-publish-events')),
    'dispatch-timers': perShard(dispatched, batchOf('workers-dispatch-timers')),
    deliver: dispatched - queued,
    'other queues': queued,
  };
  // Sent, received and deleted: one message each, as long as few come.
  const sqsRequests = 3 * dispatched;
  const rates = { requests, writeUnits, readUnits, events, deliveries, sqsRequests, streamShards };
  const dollars = dollarsOf(perSecondDollars(load, shares, calls, { requests, invocations, sqsRequests }));
  return { hot: hotPartitions(calls, shares, load), rates, invocations, dollars };
}

/** A delivery is measured as calls are, and nobody asks for it. */
const requestsIn = (mix: Readonly<Record<string, number>>, calls: MeasuredCalls): number =>
  Object.entries(mix).reduce((sum, [name, share]) => sum + (calls[name]?.isRequest ? share : 0), 0);

/** A table on demand begins with four partitions, each with a shard of the stream. */
export const newTableShards = 4;

interface Asked {
  requests: number;
  invocations: Readonly<Record<string, number>>;
  sqsRequests: number;
}

function perSecondDollars(
  { perSecond }: Pick<Load, 'perSecond'>,
  shares: Readonly<Record<string, number>>,
  calls: MeasuredCalls,
  { requests, invocations, sqsRequests }: Asked,
): Record<string, number> {
  const costs = Object.entries(shares).map(([name, share]) => [share * perSecond, calls[name] as Cost] as const);
  const sum = (of: (cost: Cost) => number) => costs.reduce((all, [rate, cost]) => all + rate * of(cost), 0);
  const tableCalls = sum((cost) => cost.calls);
  const all = Object.values(invocations).reduce((total, rate) => total + rate, 0);
  const workersRun = all - requests;
  // Of a call's round trips those before its answer are billed with the endpoint, the others with the workers.
  const ms = requests * assumed.callMs + workersRun * assumed.workerMs + tableCalls * assumed.tripMs;
  const logBytes = requests * assumed.callLogBytes + workersRun * assumed.workerLogBytes;
  return {
    DynamoDB: sum(ofTable) / 1e6,
    'API Gateway': (requests * prices.httpRequests) / 1e6,
    Lambda: (all * prices.invocations) / 1e6 + (ms / 1000) * (assumed.memoryMb / 1024) * prices.gbSecond,
    SQS: (sqsRequests * prices.sqsRequests) / 1e6,
    'CloudWatch Logs': (logBytes * prices.logs) / 1e9,
    'data out': (requests * assumed.answerBytes * prices.egress) / 1e9,
  };
}

const dollarsOf = (perSecond: Record<string, number>) =>
  Object.fromEntries(Object.entries(perSecond).map(([service, dollars]) => [service, dollars * monthSeconds]));

/** Dollars of a million of one call, by service, as `simulate` reckons them. */
export function dollarsPerMillion(
  name: string,
  calls: MeasuredCalls,
  workers: readonly WorkerFunction[],
): Readonly<Record<string, number>> {
  const load = { workspaces: 1, perSecond: 1, busiestPerSecond: 1, keys: 1, mix: { [name]: 1 }, endpoints: 0 };
  const { dollars } = simulate(load, calls, workers);
  return Object.fromEntries(
    Object.entries(dollars).map(([service, ofMonth]) => [service, (ofMonth / monthSeconds) * 1e6]),
  );
}

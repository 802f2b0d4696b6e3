import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { demoClient } from '#test/bench/demo.ts';
import { beside, type Line, quantile } from '#test/bench/report.ts';
import { type Client, eventually } from '#test/client.ts';
import { cpuSeconds, descendants } from '#test/processes.ts';
import { startSystem } from '#test/system.ts';
import { type Receiver, startReceiver } from '#test/webhooks/receiver.ts';

const quietChanges = 200;
const quietGapMs = 50;
const warmUps = 20;

const endpoints = 10;
const burstBatches = 3;
const batchSize = 100;
const giveUpMs = 300_000;

/**
 * Webhooks through the whole local system: how long after a change its first attempt arrives when little is going on, and how many
 * deliveries a CPU second of the system makes in a burst: HTTP, functions, DynamoDB engine, stream, queues. `rawPerCpuSecond` is what a
 * bare undici loop makes in the same run.
 */
export async function pipeline(workDir: string, rawPerCpuSecond: number): Promise<Line[]> {
  const dataDir = join(workDir, 'pipeline');
  const system = await startSystem(dataDir, {}, []);
  const receivers = await Promise.all(Array.from({ length: endpoints }, () => startReceiver()));
  try {
    const client = await demoClient(dataDir, system.baseUrl);
    const register = ({ url }: Receiver) => client.post('/v1/webhooks', { url, eventKinds: ['contact.created'] }, 201);
    const [first, ...others] = receivers as [Receiver, ...Receiver[]];
    await register(first);
    const { callsMs, latenciesMs } = await quietly(client, first);
    for (const receiver of others) await register(receiver);
    const burst = await burstPerCpuSecond(client, receivers, system.process.pid as number);
    const shown = (values: number[], q: number) => `${quantile(values, q).toFixed(0)} ms`;
    return [
      beside(
        'from the call that makes a change to its first attempt, p50 / p95 / p99',
        `${shown(latenciesMs, 0.5)} / ${shown(latenciesMs, 0.95)} / ${shown(latenciesMs, 0.99)} (the call itself: ${shown(callsMs, 0.5)})`,
      ),
      beside(
        'deliveries per CPU second of the whole local system / raw undici loop',
        `${(burst / rawPerCpuSecond).toFixed(4)}x (${burst.toFixed(0)} / ${rawPerCpuSecond.toFixed(0)})`,
      ),
    ];
  } finally {
    await system.stop();
    await Promise.all(receivers.map((receiver) => receiver[Symbol.asyncDispose]()));
  }
}

/** One change after the other, each measured from the moment its call begins: its commit is a little later. */
async function quietly(client: Client, receiver: Receiver) {
  const callsMs: number[] = [];
  const latenciesMs: number[] = [];
  for (let index = 0; index < warmUps + quietChanges; index += 1) {
    const startedMs = Date.now();
    const { id } = (await client.post('/v1/contacts', { name: `Quiet ${index}` }, 201)).body;
    const callMs = Date.now() - startedMs;
    const arrived = await eventually(
      async () => receiver.received.find(({ body }) => body.data.contact_id === String(id)),
      `the webhook of contact ${id}`,
    );
    if (index >= warmUps) {
      callsMs.push(callMs);
      latenciesMs.push(arrived.atMs - startedMs);
    }
    await sleep(quietGapMs);
  }
  return { callsMs, latenciesMs };
}

async function burstPerCpuSecond(client: Client, receivers: readonly Receiver[], pid: number): Promise<number> {
  const arrived = () => receivers.reduce((sum, { received }) => sum + received.length, 0);
  const spent = () => [pid, ...descendants(pid)].reduce((sum, one) => sum + cpuSeconds(one), 0);
  const [arrivedBefore, spentBefore] = [arrived(), spent()];
  const changes = burstBatches * batchSize;
  for (let batch = 0; batch < burstBatches; batch += 1) {
    const items = Array.from({ length: batchSize }, (_, index) => ({ op: 'create', name: `Burst ${batch}.${index}` }));
    await client.post('/v1/contacts/batch', { items }, 200);
  }
  const wanted = arrivedBefore + changes * receivers.length;
  await eventually(async () => arrived() >= wanted, `${wanted} deliveries`, giveUpMs);
  return (arrived() - arrivedBefore) / (spent() - spentBefore);
}

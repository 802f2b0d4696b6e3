import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import type { DueDelivery } from '#lib/entities/delivery.ts';
import { openOutbound } from '#lib/network/outbound.ts';
import { attempt } from '#lib/webhooks/attempt.ts';
import { newSecret, signer } from '#lib/webhooks/sign.ts';
import { atLeast, type Line, median } from '#test/bench/report.ts';

const deliveries = 2000;
const connections = 10;
const rounds = 7;

/** 2,000 signed webhooks to a receiver in another process, per second of this process's CPU, beside a loop that only posts the same bytes. */
export async function deliveryCpu(): Promise<{ rawPerCpuSecond: number; line: Line }> {
  const receiver = fork(import.meta.filename, ['receive']);
  const [url] = (await once(receiver, 'message')) as [string];
  const samples = { ours: [] as number[], raw: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    samples.raw.push(await perCpuSecond(rawLoop(url)));
    samples.ours.push(await perCpuSecond(ourLoop(url)));
  }
  receiver.kill();
  const [ours, raw] = [median(samples.ours), median(samples.raw)];
  const what = 'signed deliveries per CPU second / raw undici loop';
  return {
    rawPerCpuSecond: raw,
    line: atLeast(what, ours / raw, 0.5, 'x', `${ours.toFixed(0)} / ${raw.toFixed(0)}`),
  };
}

const body = JSON.stringify({
  event: 'contact.created',
  id: `evt_${randomUUID()}`,
  data: { contact_id: '7', name: 'Ann', notes: 'x'.repeat(600) },
});

/** As many at a time as connections. */
async function inParallel(send: () => Promise<void>): Promise<void> {
  let left = deliveries;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await send();
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
}

const rawLoop = (url: string) => async () => {
  const agent = new Agent({ connections });
  await inParallel(async () => {
    const answer = await agent.request({
      origin: url,
      path: '/',
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    await answer.body.dump();
  });
  await agent.close();
};

const ourLoop = (url: string) => async () => {
  const outbound = openOutbound({ reach: 'local' });
  const target = { url: `${url}/`, headers: {}, signers: [signer(newSecret())] as const };
  await inParallel(async () => {
    const { isSuccess } = await attempt(outbound, target, delivery(), body);
    if (!isSuccess) throw new Error('the receiver refused');
  });
  await outbound.close();
};

async function perCpuSecond(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return deliveries / ((user + system) / 1e6);
}

/** What `attempt` reads of a delivery. */
const delivery = () =>
  ({
    deliveryId: randomUUID(),
    eventKind: 'contact.created',
    attemptCount: 0,
    replayOf: null,
  }) as unknown as DueDelivery;

if (process.argv[2] === 'receive') {
  const server = createServer((request, response) => request.resume().on('end', () => response.end('ok')));
  server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
}

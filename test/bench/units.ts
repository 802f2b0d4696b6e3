import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { demoClient } from '#test/bench/demo.ts';
import { type Cost, type Meter, startMeter } from '#test/bench/meter.ts';
import { type Line, median } from '#test/bench/report.ts';
import type { Client } from '#test/client.ts';
import { startOwnEngine } from '#test/engine.ts';
import { startSystem } from '#test/system.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';

const contacts = 2000;
const repeats = 10;
const rounds = 3;
const burst = 100;
const idleSeconds = 20;
const giveUpMs = 120_000;

/** List prices of on-demand DynamoDB in dollars per million units (us-east-1, https://aws.amazon.com/dynamodb/pricing/on-demand/). */
const dollars = { writeUnits: 0.625, readUnits: 0.125 };

type Budget = readonly [writeUnits: number, readUnits: number, calls: number];

/**
 * What calls cost at the table, in a workspace of 2,000 contacts: write units, read units and DynamoDB calls, everything asynchronous
 * included until nothing moves any more. They do not depend on the machine.
 */
export async function units(workDir: string): Promise<Line[]> {
  const dataDir = join(workDir, 'units');
  const engine = await startOwnEngine(dataDir);
  const meter = await startMeter(engine.url);
  const system = await startSystem(dataDir, { DYNAMODB_ENDPOINT: meter.url }, []);
  const receiver = await startReceiver();
  try {
    const client = await demoClient(dataDir, system.baseUrl);
    return await measured(client, await Scale.at(meter), receiver.url);
  } finally {
    await system.stop();
    await engine.stop();
    meter.close();
    await receiver[Symbol.asyncDispose]();
  }
}

async function measured(client: Client, scale: Scale, receiverUrl: string): Promise<Line[]> {
  const post = async (path: string, body: object, headers: Record<string, string> = {}) =>
    succeeded(await client.call('POST', path, { body, headers }));
  const newContact = (headers?: Record<string, string>) =>
    post('/v1/contacts', { name: `Cost ${randomUUID()}` }, headers);
  const newContacts = async (count: number) => {
    const items = Array.from({ length: count }, (_, index) => ({ op: 'create', name: `Many ${index}` }));
    await post('/v1/contacts/batch', { items });
  };
  for (let made = 0; made < contacts; made += burst) await newContacts(burst);
  const { id } = await newContact();
  const patch = (body: (index: number) => object) => async (index: number) =>
    succeeded(await client.patch(`/v1/contacts/${id}`, body(index)));
  const get = (path: string) => async () => succeeded(await client.get(path));
  const stages = ['contacted', 'new'];
  const accountId = (await client.get('/v1/telegram/accounts')).body.items[0].id;
  const runAt = new Date(Date.now() + 864e5).toISOString();

  const create = await scale.of(() => newContact());
  const many = await scale.of(() => newContacts(burst), 2);
  const lines = [
    line('create a contact, no webhook', create, [20, 2, 7]),
    line(
      'the same with an Idempotency-Key',
      await scale.of(() => newContact({ 'idempotency-key': randomUUID() })),
      [20, 2, 8],
    ),
    line('PATCH its name', await scale.of(patch((index) => ({ name: `Renamed ${index}` }))), [14, 4, 8]),
    line('PATCH its company', await scale.of(patch((index) => ({ company: `Company ${index}` }))), [12]),
    line(
      'move it to a stage',
      await scale.of((index) => post(`/v1/contacts/${id}/stage`, { stage: stages[index % 2] })),
      [16],
    ),
    line('add a tag', await scale.of((index) => post(`/v1/contacts/${id}/tags`, { tagName: `tag ${index}` })), [16]),
    line('create a deal', await scale.of(() => post('/v1/deals', { title: 'Costs', contactId: id })), [18]),
    line('create a task', await scale.of(() => post('/v1/tasks', { title: 'Costs', contactId: id })), [18]),
    line(
      'queue a message for tomorrow',
      await scale.of(() => post('/v1/telegram/messages', { accountId, telegramUserId: 1, text: 'Costs', runAt })),
      [18],
    ),
    line('GET by id', await scale.of(get(`/v1/contacts/${id}`))),
    line('list by one filter, 25 of many', await scale.of(get('/v1/contacts?stage=new&limit=25')), [
      Number.POSITIVE_INFINITY,
      6,
      2,
    ]),
    line('q without a match, 2,000 contacts', await scale.of(get('/v1/contacts?q=xyzzyx')), [
      Number.POSITIVE_INFINITY,
      8,
    ]),
    line('dashboard', await scale.of(get('/v1/analytics/dashboard')), [Number.POSITIVE_INFINITY, 12, 12]),
  ];
  await post('/v1/webhooks', { url: receiverUrl, eventKinds: ['contact.created'] });
  await newContact();
  const delivered = less(await scale.of(() => newContact()), create);
  const deliveredTogether = divided(less(await scale.of(() => newContacts(burst), 2), many), burst);
  return [
    ...lines,
    line('a delivery of its event to one endpoint', delivered, [8, 8, 12]),
    line('a delivery in a burst of 100 events', deliveredTogether, [4, 3, 3]),
  ];
}

const succeeded = ({ status, body }: Awaited<ReturnType<Client['get']>>) => {
  if (status >= 300) throw new Error(`the answer was ${status} ${JSON.stringify(body)}`);
  return body;
};

/** Weighs work, less what the idle system spends by itself. */
class Scale {
  readonly #meter: Meter;
  readonly #idlePerMs: Cost;

  private constructor(meter: Meter, idlePerMs: Cost) {
    this.#meter = meter;
    this.#idlePerMs = idlePerMs;
  }

  static async at(meter: Meter): Promise<Scale> {
    await settled(meter);
    const seconds: Cost[] = [];
    for (let second = 0; second < idleSeconds; second += 1) {
      await sleep(1000);
      seconds.push(meter.take());
    }
    return new Scale(meter, divided(medianOf(seconds), 1000));
  }

  /** Of one piece of work, when it is not the first of its kind: the median of three rounds, of which a sweep may meet one. */
  async of(work: (index: number) => Promise<unknown>, times = repeats): Promise<Cost> {
    await work(0);
    const costs: Cost[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await settled(this.#meter);
      const startedMs = Date.now();
      for (let index = 1; index <= times; index += 1) await work(round * times + index);
      const spent = await settled(this.#meter);
      costs.push(divided(less(spent, multiplied(this.#idlePerMs, Date.now() - startedMs)), times));
    }
    return medianOf(costs);
  }
}

/** A second with so few calls is one in which nothing moves. */
const fewCalls = 3;

async function settled(meter: Meter): Promise<Cost> {
  const deadlineMs = Date.now() + giveUpMs;
  let sum = meter.take();
  for (let quietSeconds = 0; quietSeconds < 3; ) {
    if (Date.now() > deadlineMs) throw new Error('the system does not come to rest');
    await sleep(1000);
    const more = meter.take();
    quietSeconds = more.calls > fewCalls ? 0 : quietSeconds + 1;
    sum = less(sum, multiplied(more, -1));
  }
  return sum;
}

const each = (cost: Cost, other: Cost, of: (one: number, another: number) => number): Cost => ({
  writeUnits: of(cost.writeUnits, other.writeUnits),
  readUnits: of(cost.readUnits, other.readUnits),
  calls: of(cost.calls, other.calls),
});
const less = (cost: Cost, other: Cost) => each(cost, other, (one, another) => one - another);
const multiplied = (cost: Cost, by: number) => each(cost, cost, (one) => one * by);
const divided = (cost: Cost, by: number) => multiplied(cost, 1 / by);

const medianOf = (costs: readonly Cost[]): Cost => ({
  writeUnits: median(costs.map(({ writeUnits }) => writeUnits)),
  readUnits: median(costs.map(({ readUnits }) => readUnits)),
  calls: median(costs.map(({ calls }) => calls)),
});

function line(what: string, cost: Cost, budget: Partial<Budget> = []): Line {
  const { writeUnits, readUnits, calls } = cost;
  const values = [writeUnits, readUnits, calls];
  const price = writeUnits * dollars.writeUnits + readUnits * dollars.readUnits;
  const limits = values.map((_, index) => budget[index] ?? Number.POSITIVE_INFINITY);
  const shown = (limit: number) => (limit === Number.POSITIVE_INFINITY ? '-' : String(limit));
  return {
    what: `units: ${what}`,
    measured: `${values.map((value) => value.toFixed(1)).join(' / ')} (DynamoDB: $${price.toFixed(2)} a million)`,
    budget: budget.length === 0 ? '' : `<= ${limits.map(shown).join(' / ')}`,
    ok: values.every((value, index) => value <= 1.05 * (limits[index] as number)),
  };
}

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Budget, type Cost, dollarsOf, type Measured, noteCosts, nothing } from '#test/bench/costs.ts';
import { demoClients } from '#test/bench/demo.ts';
import type { Meter } from '#test/bench/meter.ts';
import { startMetered } from '#test/bench/metered.ts';
import { type Line, median } from '#test/bench/report.ts';
import { succeeded, writesOf } from '#test/bench/writes.ts';
import type { Client } from '#test/client.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';

const contacts = 2000;
const repeats = 10;
const rounds = 3;
const burst = 100;
const idleSeconds = 20;
const giveUpMs = 120_000;

/**
 * Measures what calls cost at the table, in a workspace of 2,000 contacts: write units, read units and DynamoDB calls, everything
 * asynchronous included until nothing moves any more. They do not depend on the machine, and are noted in docs/costs.md.
 */
export async function units(workDir: string): Promise<Line[]> {
  await using metered = await startMetered(join(workDir, 'units'), { RATE_LIMIT_PER_MINUTE: '1000000' });
  await using receiver = await startReceiver();
  const { dataDir, meter, baseUrl } = metered;
  const [client, sandbox] = await demoClients(dataDir, baseUrl);
  const measured = await measure(client, sandbox, await Scale.at(meter), receiver.url);
  noteCosts(measured);
  return measured.map(line);
}

async function measure(client: Client, sandbox: Client, scale: Scale, receiverUrl: string): Promise<Measured[]> {
  const measured: Measured[] = [];
  const keep = (what: string, cost: Cost, budget: Budget = []) => {
    measured.push({ what, budget, ...cost });
    return cost;
  };
  const post = async (path: string, body: object) => succeeded(await client.post(path, body));
  const newContacts = async (count: number) => {
    const items = Array.from({ length: count }, (_, index) => ({ op: 'create', name: `Many ${index}` }));
    await post('/v1/contacts/batch', { items });
  };
  for (let made = 0; made < contacts; made += burst) await newContacts(burst);
  const writes = await writesOf(client);
  const newContact = writes['create-contact'].work;
  const { id } = await newContact();
  const get = (path: string) => async () => succeeded(await client.get(path));

  const of = async (what: string, work: (index: number) => Promise<unknown>, budget?: Budget) =>
    keep(what, await scale.of(work), budget);

  for (const { what, work, budget } of Object.values(writes)) await of(what, work, budget);
  const create = measured.find(({ what }) => what === writes['create-contact'].what) ?? nothing();
  const many = await scale.of(() => newContacts(burst), 2);
  const now = (index: number) => ({ accountId: 1, telegramUserId: 1000 + index, text: 'Costs' });
  await of('send a message now, to somebody new', async (index) =>
    succeeded(await sandbox.post('/v1/telegram/messages', now(index))),
  );
  await of('GET by id', get(`/v1/contacts/${id}`));
  await of('list 25', get('/v1/contacts?limit=25'));
  await of('list by one filter, 25 of many', get('/v1/contacts?stage=new&limit=25'), [null, 6, 2]);
  await of('q without a match, 2,000 contacts', get('/v1/contacts?q=xyzzyx'), [null, 8]);
  await of('ask the feed for what is new', get('/v1/events?since=latest'));
  await of('dashboard', get('/v1/analytics/dashboard'), [null, 12, 12]);
  await post('/v1/webhooks', { url: receiverUrl, eventKinds: ['contact.created'] });
  await newContact();
  const alone = less(await scale.of(() => newContact()), create);
  keep('a delivery of its event to one endpoint', alone, [8, 8, 12]);
  const together = divided(less(await scale.of(() => newContacts(burst), 2), many), burst);
  keep('a delivery in a burst of 100 events', together, [4, 3, 3]);
  keep('a minute in which nobody calls', await scale.idleMinute());
  return measured;
}

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

  /** All that a minute spends in which there is one sweep. */
  async idleMinute(): Promise<Cost> {
    await settled(this.#meter);
    await sleep(60_000);
    return this.#meter.take();
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

/** Waits until nothing moves any more. Returns what was spent since the meter was last read. */
export async function settled(meter: Meter): Promise<Cost> {
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

type Of = (one: number, another: number) => number;
const fields = ['writeUnits', 'readUnits', 'calls'] as const;

/** The numbers of several costs, made into one field by field. */
function combined(costs: readonly Cost[], of: (values: number[]) => number): Cost {
  const made = nothing();
  for (const field of fields) made[field] = of(costs.map((cost) => cost[field]));
  return made;
}

const each = (cost: Cost, other: Cost, of: Of): Cost =>
  combined([cost, other], ([one = 0, another = 0]) => of(one, another));
const less = (cost: Cost, other: Cost) => each(cost, other, (one, another) => one - another);
const multiplied = (cost: Cost, by: number) => combined([cost], ([one = 0]) => one * by);
const divided = (cost: Cost, by: number) => multiplied(cost, 1 / by);
const medianOf = (costs: readonly Cost[]) => combined(costs, median);

function line({ what, budget, ...cost }: Measured): Line {
  const { writeUnits, readUnits, calls } = cost;
  const values = [writeUnits, readUnits, calls];
  const limits = values.map((_, index) => budget[index] ?? Number.POSITIVE_INFINITY);
  const shown = (limit: number) => (limit === Number.POSITIVE_INFINITY ? '-' : String(limit));
  return {
    what: `units: ${what}`,
    measured: `${values.map((value) => value.toFixed(1)).join(' / ')} (DynamoDB: $${dollarsOf(cost).toFixed(2)} a million)`,
    budget: budget.length === 0 ? '' : `<= ${limits.map(shown).join(' / ')}`,
    ok: values.every((value, index) => value <= 1.05 * (limits[index] as number)),
  };
}

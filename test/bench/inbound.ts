import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { demoClient } from '#test/bench/demo.ts';
import type { Meter } from '#test/bench/meter.ts';
import { startMetered } from '#test/bench/metered.ts';
import { atMost, beside, type Line, quantile } from '#test/bench/report.ts';
import { succeeded } from '#test/bench/writes.ts';
import { type Client, eventually } from '#test/client.ts';
import { cpuSeconds, descendants } from '#test/processes.ts';
import { startDouble } from '#test/telegram/double.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';

const counted = 50;
const quiet = 100;
const warmUps = 10;
const quietGapMs = 50;
/** An environment has 100 accounts at most, and the demo has some. */
const idleBots = 90;
/** Two turns of the poller. */
const idleMs = 60_000;
const giveUpMs = 120_000;

/**
 * What people write to bots, through the whole local system: how long after Telegram's post the event arrives at a webhook, how many
 * write units of the table it costs, publishing included, and what it costs to poll for bots that nobody writes to.
 */
export async function inbound(workDir: string): Promise<Line[]> {
  await using stack = new AsyncDisposableStack();
  const double = stack.adopt(await startDouble(), (started) => started.close());
  const settings = { TELEGRAM_API_ROOT: double.url, PUBLIC_URL: 'https://crm.example' };
  const { dataDir, meter, system } = stack.use(await startMetered(join(workDir, 'inbound'), settings));
  const receiver = stack.use(await startReceiver());
  const client = await demoClient(dataDir, system.baseUrl);
  const bot = await Bot.connect(client, double.url, system.baseUrl);
  for (let index = 0; index < warmUps; index += 1) await bot.hears('Warm');
  const units = await unitsOf(client, bot, meter);
  succeeded(await client.post('/v1/webhooks', { url: receiver.url, eventKinds: ['message.created'] }));
  const latenciesMs = await latencies(bot, receiver);
  const spent = () => {
    const pid = system.process.pid as number;
    return [pid, ...descendants(pid)].reduce((sum, one) => sum + cpuSeconds(one), 0);
  };
  const share = await idleShare(client, double.url, spent);
  const shown = (q: number) => `${quantile(latenciesMs, q).toFixed(0)} ms`;
  return [
    atMost(
      'from an update to message.created at a webhook, p95',
      quantile(latenciesMs, 0.95),
      400,
      ' ms',
      `p50 / p99 ${shown(0.5)} / ${shown(0.99)}`,
    ),
    atMost('write units of a message that comes in, publishing included', units, 24, ''),
    // With the engine and the other services, which on AWS are not ours.
    beside(
      'of a core for 100 bots that are polled for and idle, whole local system',
      `${((100 * share * 100) / idleBots).toFixed(1)} %`,
    ),
  ];
}

/** What Telegram has of a bot. */
async function seen(
  url: string,
): Promise<{ webhook?: { url: string; secretToken: string }; calls: Record<string, number> }> {
  const { body } = await request(url, { method: 'POST', body: '{}' });
  return (await body.json()) as Awaited<ReturnType<typeof seen>>;
}

/** A bot with a webhook, to which one person writes. */
class Bot {
  readonly #url: string;
  readonly #secret: string;
  #last = 0;

  private constructor(url: string, secret: string) {
    this.#url = url;
    this.#secret = secret;
  }

  static async connect(client: Client, providerUrl: string, baseUrl: string): Promise<Bot> {
    const token = randomUUID();
    succeeded(await client.post('/v1/telegram/accounts', { kind: 'bot', botToken: token, inbound: 'webhook' }));
    const webhook = await eventually(
      async () => (await seen(`${providerUrl}/double/${token}`)).webhook,
      'the hook',
      giveUpMs,
    );
    return new Bot(`${baseUrl}${new URL(webhook.url).pathname}`, webhook.secretToken);
  }

  async hears(text: string): Promise<void> {
    this.#last += 1;
    const from = { id: 77, first_name: 'Ann' };
    const date = Math.floor(Date.now() / 1000);
    const message = { message_id: this.#last, date, chat: { ...from, type: 'private' }, from, text };
    const { statusCode, body } = await request(this.#url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': this.#secret },
      body: JSON.stringify({ update_id: this.#last, message }),
    });
    await body.dump();
    if (statusCode !== 200) throw new Error(`the hook answers ${statusCode}`);
  }
}

/** Of one message of somebody who is known already. */
async function unitsOf(client: Client, bot: Bot, meter: Meter): Promise<number> {
  const last = async () => {
    let since = 0;
    for (;;) {
      const { items } = (await client.get('/v1/events', { since, limit: 100 })).body;
      if (items.length === 0) return since;
      since = items.at(-1).sequence;
    }
  };
  const before = await last();
  await sleep(5000);
  // Beside them the system is not quite idle.
  meter.take().writeUnits;
  await sleep(10_000);
  const idlePerMs = meter.take().writeUnits / 10_000;
  const startedMs = Date.now();
  for (let index = 0; index < counted; index += 1) await bot.hears(`Counted ${index}`);
  await eventually(async () => (await last()) >= before + counted, 'the events', giveUpMs);
  await sleep(2000);
  const units = meter.take().writeUnits;
  return (units - idlePerMs * (Date.now() - startedMs)) / counted;
}

async function latencies(bot: Bot, receiver: Awaited<ReturnType<typeof startReceiver>>): Promise<number[]> {
  const latenciesMs: number[] = [];
  for (let index = 0; index < warmUps + quiet; index += 1) {
    const [text, startedMs] = [`Quiet ${index}`, Date.now()];
    await bot.hears(text);
    const arrived = await eventually(
      async () => receiver.received.find(({ body }) => body.data.body === text),
      `the webhook of ${text}`,
    );
    if (index >= warmUps) latenciesMs.push(arrived.atMs - startedMs);
    await sleep(quietGapMs);
  }
  return latenciesMs;
}

/** How much of a core more is used while bots are polled for to which nobody writes. */
async function idleShare(client: Client, providerUrl: string, spent: () => number): Promise<number> {
  const use = async () => {
    const [before, startedMs] = [spent(), Date.now()];
    await sleep(idleMs);
    return (spent() - before) / ((Date.now() - startedMs) / 1000);
  };
  await sleep(5000);
  const without = await use();
  const tokens = Array.from({ length: idleBots }, () => randomUUID());
  for (const token of tokens)
    succeeded(await client.post('/v1/telegram/accounts', { kind: 'bot', botToken: token, inbound: 'polling' }));
  const isHeard = async (token: string) => (await seen(`${providerUrl}/double/${token}`)).calls['getUpdates'];
  for (const token of tokens) await eventually(() => isHeard(token), 'the polls', giveUpMs);
  await sleep(5000);
  return Math.max(0, (await use()) - without);
}

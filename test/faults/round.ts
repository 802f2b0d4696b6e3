import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { parseMail } from '#lib/email/mail.ts';
import { eventually } from '#test/client.ts';
import { type Caller, caller } from '#test/faults/caller.ts';
import {
  type Acknowledged,
  eventsFor,
  type Heard,
  isHeard,
  type Job,
  Ledger,
  newAcknowledged,
  type SeenEvent,
  type Subscription,
  type Sums,
} from '#test/faults/ledger.ts';
import { newerKind, Poison } from '#test/faults/poison.ts';
import { type Random, seeded } from '#test/faults/random.ts';
import { quick, slow, startBadReceiver, startBrokenTls, startRebindingReceiver } from '#test/faults/receivers.ts';
import { FaultySystem } from '#test/faults/system.ts';
import { Writers } from '#test/faults/writers.ts';
import type { Reaction, Stored } from '#test/telegram/double.ts';

export interface RoundSettings {
  seed: number;
  /** Calls of the clients. */
  calls: number;
  /** Faults on purpose, besides those at the proxy, the receivers and the Bot API. */
  faults: number;
  /** Behind a bad network to DynamoDB, or on an engine that dies with the system. */
  isProxied: boolean;
  /** Beside the work lies what nobody can handle (test/faults/poison.ts). */
  isPoisoned: boolean;
  /** Every restart reads the streams again from their beginning, not only some. */
  alwaysReplays?: boolean;
}

export interface RoundResult extends Sums {
  seed: number;
  isProxied: boolean;
  changes: number;
  kills: FaultySystem['kills'];
  injected: number;
  poison: number;
  /** Updates of bots that said again what another had said. */
  heardAgain: number;
  /** From a change to its arrival at the good receiver, in the middle. */
  latencyMs: number;
  retries: number;
  seconds: number;
  differences: readonly string[];
}

const clients = 4;
const settleTimeoutMs = 420_000;
const pollMs = 1_000;

/**
 * Works on a system of its own while it is broken in every way, then lets it recover and does the books. `providerUrl` is where a
 * double of the Bot API listens (test/telegram/double.ts).
 */
export async function runRound(settings: RoundSettings, providerUrl: string): Promise<RoundResult> {
  const startedAt = Date.now();
  // One each: what happens in one place does not change what happens in another.
  const randomOf = (place: number) => seeded(settings.seed * 16 + place);
  const random = randomOf(0);
  const dataDir = await mkdtemp(join(tmpdir(), 'crm-faults-'));
  const good = await startBadReceiver(randomOf(1), quick, 0);
  const bad = await startBadReceiver(randomOf(2), quick, 0.4);
  const tardy = await startBadReceiver(randomOf(3), slow, 0.3);
  const leaving = await startBadReceiver(randomOf(5), ['gone'], 0.05);
  const rebinding = await startRebindingReceiver(randomOf(6), 0.4);
  const tls = await startBrokenTls();
  const system = await FaultySystem.start(dataDir, providerUrl, randomOf(4), settings.isProxied);
  try {
    const { workspaceId, calls, accounts, tokens, threadId } = await open(system);
    for (const token of tokens) await misbehave(`${providerUrl}/double/${token}`, random);
    const writers = await Writers.meet(system, calls, providerUrl, {
      webhook: randomOf(7),
      polling: randomOf(8),
    });
    const sequenceBefore = (await calls.get('/v1/events?limit=100')).items.at(-1).sequence;
    const subscriptions: Subscription[] = [];
    const subscribe = async (url: string, receiver: Subscription['receiver'], kinds: Subscription['kinds'] = '*') => {
      const eventKinds = kinds === '*' ? ['*'] : kinds;
      const { id } = await calls.send('POST', '/v1/webhooks', { url, eventKinds }, randomUUID());
      subscriptions.push({ endpointId: id, kinds, receiver });
    };
    await subscribe(good.url, good);
    await subscribe(bad.url, bad);
    await subscribe(tardy.url, tardy);
    await subscribe(leaving.url, leaving);
    await subscribe(rebinding.url, rebinding, ['contact.created', 'contact.updated', 'deal.created']);
    await subscribe(tls.url, undefined, ['task.created']);

    const acknowledged = newAcknowledged();
    const polled: SeenEvent[] = [];
    const isOver = { value: false };
    const polling = poll(calls, polled, isOver);
    const tenant = `${workspaceId}:live`;
    const poison = settings.isPoisoned ? new Poison(system, tenant) : undefined;
    system.spoil(true);
    const work = makeChanges(calls, acknowledged, { accounts, threadId }, settings.calls);
    const writing = writers.write(Math.ceil(settings.calls / 4));
    await poison?.spread({ workspaceId, env: 'live' });
    await breakThings(system, random, settings, () => duplicates(tenant, subscriptions, accounts, random));
    await Promise.all([work, writing]);

    system.spoil(false);
    for (const receiver of [bad, tardy, leaving, rebinding]) receiver.calm();
    const written = writers.written.length;
    await settled(calls, acknowledged, subscriptions, { sequenceBefore, written });
    const givenUp = (await poison?.givenUp()) ?? [];
    let replays = 0;
    for (const subscription of subscriptions) replays += await catchUp(calls, subscription, startedAt);
    const events = await settled(calls, acknowledged, subscriptions, { sequenceBefore, written, replays });
    isOver.value = true;
    await polling;

    const ledger = new Ledger(sequenceBefore);
    ledger.feed(events, polled);
    const whoWrote = await ledger.heard(calls, writers.written, events);
    const contacts = new Map([...acknowledged.contacts, ...whoWrote]);
    await ledger.rows(calls, { ...acknowledged, contacts }, events);
    for (const subscription of subscriptions) await ledger.deliveries(calls, subscription, events);
    ledger.rebinding(rebinding);
    const newer = events.filter(({ event }) => event === newerKind).length;
    if (poison) ledger.poison(await poison.differences(), givenUp, newer);
    const jobs: Job[] = await calls.every('/v1/jobs');
    ledger.jobs(jobs, acknowledged, events);
    ledger.messages(jobs, acknowledged, await storedBy(providerUrl, tokens));
    ledger.mails(jobs, acknowledged, await mailTexts(join(dataDir, 'mail')));
    return {
      seed: settings.seed,
      isProxied: settings.isProxied,
      changes: Object.values(acknowledged).reduce((sum, { size }) => sum + size, 0),
      kills: system.kills,
      injected: system.injected,
      poison: poison?.count ?? 0,
      heardAgain: writers.again,
      latencyMs: medianOf(good.latenciesMs),
      retries: calls.retries,
      seconds: Math.round((Date.now() - startedAt) / 1000),
      ...ledger.sums,
      differences: ledger.differences,
    };
  } finally {
    await system.stop();
    await Promise.all([good, bad, tardy, leaving, rebinding, tls].map((receiver) => receiver.close()));
    await rm(dataDir, { recursive: true, force: true });
  }
}

const medianOf = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

interface Account {
  id: number;
  channel: 'telegram' | 'twitter';
}

/** A workspace with a key, three accounts and a mail to answer, as an operator makes them. */
async function open(system: FaultySystem) {
  const { id: workspaceId } = await system.admin<{ id: number }>('workspace', 'create', { name: 'Faults' });
  const place = { workspaceId, env: 'live' };
  const { key } = await system.admin<{ key: string }>('key', 'create', {
    ...place,
    scopes: 'all',
    rateLimitPerMinute: 1_000_000,
  });
  const calls = caller(system, key);
  const tokens = [randomUUID(), randomUUID(), randomUUID()];
  const accounts: Account[] = [];
  for (const [index, token] of tokens.entries()) {
    const channel = index === 2 ? 'twitter' : 'telegram';
    const secret = channel === 'twitter' ? { accessToken: token } : { kind: 'bot', botToken: token };
    const { id } = await system.admin<{ id: number }>(`${channel}-account`, 'create', {
      ...place,
      name: 'Us',
      ...secret,
    });
    accounts.push({ id, channel });
  }
  const raw =
    'From: Ann <ann@example.com>\r\nTo: us@example.com\r\nMessage-ID: <1@example.com>\r\nSubject: Hi\r\n\r\nHi';
  const { threadId } = await system.admin<{ threadId: number }>('email', 'receive', { ...place, raw });
  await eventually(
    async () => (await eventsAfter(calls, 0)).some(({ event }) => event === 'message.created'),
    'the mail',
  );
  return { workspaceId, calls, accounts, tokens, threadId };
}

/** What a provider does to some of the messages of an account, in no order. */
async function misbehave(url: string, random: Random): Promise<void> {
  const description = 'Too Many Requests';
  // As the Bot API says it in the body, and X in a header: a time that has passed means a moment.
  const floodWait = { ok: false, description, parameters: { retry_after: 2 } };
  const choices: Reaction[] = [
    { drop: 'before' },
    { drop: 'after' },
    { lateMs: 1500 },
    { status: 429, body: floodWait, headers: { 'x-rate-limit-reset': '1' } },
    { status: 403, body: { ok: false, description: 'Forbidden: bot was blocked by the user' } },
  ];
  const reactions = Array.from({ length: 12 }, () => (random.chance(0.4) ? random.pick(choices) : {}));
  const { body } = await request(url, { method: 'POST', body: JSON.stringify({ reactions }) });
  await body.dump();
}

async function storedBy(providerUrl: string, tokens: readonly string[]): Promise<Stored[]> {
  const lines = tokens.map(async (token) => {
    const { body } = await request(`${providerUrl}/double/${token}`);
    return ((await body.json()) as { stored: Stored[] }).stored;
  });
  return (await Promise.all(lines)).flat();
}

/** The texts of the mails that left. */
async function mailTexts(folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.eml'));
  const mails = files.map(async (name) => parseMail(await readFile(join(folder, name))));
  return (await Promise.all(mails)).map(({ bodyText }) => bodyText.trim());
}

/** Clients side by side, each call repeated until it is answered. */
async function makeChanges(
  calls: Caller,
  { contacts, renamed, deals, tasks, jobs, mails }: Acknowledged,
  { accounts, threadId }: { accounts: readonly Account[]; threadId: number },
  count: number,
) {
  const steps = [
    async (word: string) => {
      const { id } = await calls.send('POST', '/v1/contacts', { platform: 'telegram', name: word }, word);
      contacts.set(word, id);
      const company = `${word} Ltd`;
      await calls.send('PATCH', `/v1/contacts/${id}`, { company }, `${word} company`);
      renamed.set(company, id);
    },
    async (word: string) => {
      deals.set(word, (await calls.send('POST', '/v1/deals', { title: word, value: 5 }, word)).id);
    },
    async (word: string) => {
      tasks.set(word, (await calls.send('POST', '/v1/tasks', { title: word }, word)).id);
    },
    async (word: string, index: number) => {
      const { id: accountId, channel } = accounts[index % accounts.length] as Account;
      const to = channel === 'twitter' ? { twitterUserId: String(1000 + index) } : { telegramUserId: 1000 + index };
      jobs.set(word, (await calls.send('POST', `/v1/${channel}/messages`, { accountId, ...to, text: word }, word)).id);
    },
    async (word: string) => {
      mails.set(word, (await calls.send('POST', `/v1/email/threads/${threadId}/replies`, { bodyText: word }, word)).id);
    },
  ];
  let next = 0;
  const client = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      await steps[index % steps.length]?.(`word ${index}`, Math.floor(index / steps.length));
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}

async function breakThings(
  system: FaultySystem,
  random: Random,
  { faults, alwaysReplays = false }: RoundSettings,
  timers: () => Parameters<FaultySystem['dispatchTimers']>,
): Promise<void> {
  for (let fault = 0; fault < faults; fault += 1) {
    await sleep(random.between(300, 1500));
    const kind = fault === 0 ? 'system' : random.pick(['system', 'senders', 'others', 'timers', 'engine']);
    if (kind === 'system') await system.crash(alwaysReplays || random.chance(0.5), true);
    else if (kind === 'engine' && system.ownsEngine) system.crashEngine();
    else if (kind === 'timers') await system.dispatchTimers(...timers());
    else system.crashFunction(random, kind === 'senders' ? kind : 'others');
  }
}

function duplicates(
  tenant: string,
  subscriptions: readonly Subscription[],
  accounts: readonly Account[],
  random: Random,
): Parameters<FaultySystem['dispatchTimers']> {
  const three = [1, 2, 3];
  if (random.chance(0.5))
    return [
      'deliveries',
      three.flatMap(() => subscriptions.map(({ endpointId }) => ({ tenant, endpointId }))).slice(0, 10),
    ];
  const bots = accounts.filter(({ channel }) => channel === 'telegram');
  return ['telegram', three.flatMap(() => bots.map(({ id: accountId }) => ({ tenant, accountId, jobId: 1 })))];
}

/**
 * As its owner would when the receiver is well again: enables the endpoint, and has all replayed that it missed. Returns how many
 * replays there will be.
 */
async function catchUp(calls: Caller, { endpointId, receiver }: Subscription, sinceMs: number): Promise<number> {
  if (!receiver) return 0;
  const path = `/v1/webhooks/${endpointId}`;
  await calls.send('PATCH', path, { isActive: true }, randomUUID());
  const since = new Date(sinceMs).toISOString();
  return (await calls.send('POST', `${path}/replay-failed`, { since }, randomUUID())).queued;
}

async function countReplays(calls: Caller, subscriptions: readonly Subscription[]): Promise<number> {
  let count = 0;
  for (const { endpointId } of subscriptions) {
    const rows = await calls.every(`/v1/webhooks/${endpointId}/deliveries`);
    count += rows.filter(({ replayOfId }) => replayOfId !== null).length;
  }
  return count;
}

async function eventsAfter(calls: Caller, since: number): Promise<SeenEvent[]> {
  const { items } = await calls.get(`/v1/events?limit=100&since=${since}`);
  return items;
}

/** Follows the feed as the contract says, through every crash. */
async function poll(calls: Caller, polled: SeenEvent[], isOver: { value: boolean }): Promise<void> {
  for (;;) {
    const isLast = isOver.value;
    const page = await eventsAfter(calls, polled.at(-1)?.sequence ?? 0);
    polled.push(...page);
    if (page.length === 0 && isLast) return;
    if (page.length === 0) await sleep(pollMs);
  }
}

/** The whole feed, once nothing is under way any more: every message done or heard, every delivery made or given up. */
async function settled(
  calls: Caller,
  acknowledged: Acknowledged,
  subscriptions: readonly Subscription[],
  { sequenceBefore, written, replays = 0 }: { sequenceBefore: number; written: number; replays?: number },
): Promise<SeenEvent[]> {
  const deadline = Date.now() + settleTimeoutMs;
  let before = -1;
  for (;;) {
    const events: SeenEvent[] = [];
    for (;;) {
      const page = await eventsAfter(calls, events.at(-1)?.sequence ?? 0);
      events.push(...page);
      if (page.length === 0) break;
    }
    const queued = (await calls.get('/v1/jobs?status=queued&limit=1')).items.length;
    // A worker makes them, some at a time. Counted before what is pending: one that was made in between is among those.
    let underWay = replays === 0 ? 0 : replays - (await countReplays(calls, subscriptions));
    for (const { endpointId } of subscriptions) {
      for (const status of ['pending', 'retrying'])
        underWay += (await calls.get(`/v1/webhooks/${endpointId}/deliveries?status=${status}&limit=1`)).items.length;
    }
    // An account that polls looks again when it has rested.
    const isComplete =
      events.length >= Object.values(acknowledged).reduce((sum, { size }) => sum + size, 0) &&
      events.filter(isHeard).length >= written;
    // Of a worker that was killed the next one waits until its claim ends, and what it stores has an event.
    const messages: Pick<Heard, 'attachments'>[] = await calls.every('/v1/messages');
    underWay += messages.filter(({ attachments }) => attachments.some(({ status }) => status === 'pending')).length;
    const isQuiet = queued + underWay === 0 && events.length === before && isComplete;
    // After the longest wait the books tell what is missing.
    if (Date.now() > deadline) return events;
    if (isQuiet && (await areMade(calls, subscriptions, events, sequenceBefore))) return events;
    before = events.length;
    await sleep(2 * pollMs);
  }
}

/** Whether each event has its deliveries: what the publisher leaves to a worker is not yet pending. */
async function areMade(
  calls: Caller,
  subscriptions: readonly Subscription[],
  events: readonly SeenEvent[],
  sequenceBefore: number,
): Promise<boolean> {
  for (const subscription of subscriptions) {
    const rows = await calls.every(`/v1/webhooks/${subscription.endpointId}/deliveries`);
    const made = rows.filter(({ replayOfId }) => replayOfId === null).length;
    if (made < eventsFor(subscription, events, sequenceBefore).length) return false;
  }
  return true;
}

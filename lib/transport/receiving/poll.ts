import * as v from 'valibot';
import { unlessUnreadable } from '#lib/aws/secrets.ts';
import { type BotAnswer, type BotApi, type Failure, failureOf, openBotApi } from '#lib/channels/telegram/bot-api.ts';
import { noteFailure, unreadableToken } from '#lib/channels/telegram/failing.ts';
import { allowedUpdates } from '#lib/channels/telegram/hook.ts';
import { minuteMs, notBefore, now, secondMs, sleep, timestamp } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { pollTimeoutSeconds } from '#lib/core/timeouts.ts';
import { Accounts, type StoredAccount } from '#lib/entities/account.ts';
import { Inbounds, Pollers } from '#lib/entities/inbound.ts';
import { accountSecret } from '#lib/messages/accounts/store.ts';
import { keyOf } from '#lib/table/entity.ts';
import { entries } from '#lib/table/entries.ts';
import { leases } from '#lib/table/lease.ts';
import { flatten } from '#lib/table/pages.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { updateOf, writeIf } from '#lib/table/write.ts';
import { pressIn, receiveUpdate } from './telegram-update.ts';

/** A tenant's turn; what was fetched then has time to be stored. */
const budgetMs = (pollTimeoutSeconds - 45) * secondMs;
/** One process polls for a tenant: its lease ends soon after it dies, so that another goes on. */
const leaseMs = 20 * secondMs;
const renewEveryMs = 8 * secondMs;
/** How soon an account that begins or ceases to poll is seen. */
const lookEveryMs = 2 * secondMs;
/** Telegram holds an empty answer back for so long. */
const longPollSeconds = 25;
const maxUpdates = 50;
/** After a failed poll, doubling. */
const rest = { firstMs: 5 * secondMs, longestMs: 5 * minuteMs };
const maxResponseBytes = 16 * 1024 * 1024;

const pollerLeases = leases({ owner: 'owner', until: 'leaseUntilMs', at: (epochMs) => epochMs });

/**
 * Polls for every bot of the tenant that hears so, unless another process does. Goes on until there is none, or for half a minute:
 * then it is called again behind those that wait. Needs the key.
 */
export async function pollBots(tenant: Tenant): Promise<void> {
  const deadlineMs = now() + budgetMs;
  while (now() < deadlineMs) {
    const owner = await takeLease(tenant);
    if (owner === undefined) return;
    const polls = new Polls(tenant);
    let isNobodyLeft = false;
    try {
      isNobodyLeft = await keepPolling(tenant, owner, polls, deadlineMs);
    } finally {
      await polls.end();
      await release(tenant, owner, isNobodyLeft);
    }
    // A poller that started meanwhile has found the lease taken.
    if (!isNobodyLeft || (await polledAccounts(tenant)).length === 0) return;
  }
}

async function takeLease(tenant: Tenant): Promise<string | undefined> {
  const untilMs = now() + leaseMs;
  const { item } = await pollerLeases.acquire(untilMs, (holder) =>
    updateOf(tenant, Pollers, { id: 1 }, { set: { id: 1, ...holder }, if: pollerLeases.whereFree() }),
  );
  if (item === undefined) return undefined;
  const owner = String(item['owner']);
  await renewLease(tenant, owner);
  return owner;
}

/** The lease is ours for a while longer, and should we die, its timer calls another. Returns whether it is. */
const renewLease = (tenant: Tenant, owner: string): Promise<boolean> =>
  transact(tenant, system, async (tx) => {
    const poller = await tx.find(Pollers, { id: 1 });
    if (poller?.owner !== owner) return false;
    const untilMs = now() + leaseMs;
    tx.update(Pollers, { ...poller, leaseUntilMs: untilMs, resumeAt: timestamp(new Date(untilMs + secondMs)) });
    return true;
  });

const release = (tenant: Tenant, owner: string, isNobodyLeft: boolean): Promise<void> =>
  transact(tenant, system, async (tx) => {
    const poller = await tx.find(Pollers, { id: 1 });
    if (poller?.owner !== owner) return;
    tx.update(Pollers, { ...poller, leaseUntilMs: 0, resumeAt: isNobodyLeft ? null : tx.now });
  });

/** Begins and ends polls as accounts come and go. Returns whether none is left. */
async function keepPolling(tenant: Tenant, owner: string, polls: Polls, deadlineMs: number): Promise<boolean> {
  let renewAtMs = now() + renewEveryMs;
  while (now() < deadlineMs) {
    if (now() >= renewAtMs) {
      if (!(await renewLease(tenant, owner))) return false;
      renewAtMs = now() + renewEveryMs;
    }
    const accounts = await polledAccounts(tenant);
    if (accounts.length === 0) return true;
    polls.follow(accounts);
    await sleep(lookEveryMs);
  }
  return false;
}

/** The bots that hear by polling and can be used. */
async function polledAccounts(tenant: Tenant): Promise<StoredAccount[]> {
  const tx = new UnitOfWork(tenant, system);
  const ids: { id: number }[] = [];
  for await (const { of } of flatten(entries(tx, Inbounds, { polled: true }))) ids.push({ id: Number(of.sk) });
  const accounts = await tx.findAll(Accounts, ids);
  return accounts.filter(({ state, kind, channel }) => state === 'active' && kind === 'bot' && channel === 'telegram');
}

/** The polls that are under way, by account and secret: a new token begins a new one. */
class Polls {
  readonly #tenant: Tenant;
  readonly #running = new Map<string, { end: AbortController; done: Promise<void> }>();

  constructor(tenant: Tenant) {
    this.#tenant = tenant;
  }

  follow(accounts: readonly StoredAccount[]): void {
    const wanted = new Map(accounts.map((account) => [`${account.id} ${account.secret}`, account]));
    for (const [name, { end }] of this.#running) if (!wanted.has(name)) end.abort();
    for (const [name, account] of wanted) {
      if (this.#running.has(name)) continue;
      const end = new AbortController();
      const done = poll(this.#tenant, account, end.signal)
        .catch((error: Error) => log().error('a bot is not polled for', error))
        .finally(() => this.#running.delete(name));
      this.#running.set(name, { end, done });
    }
  }

  async end(): Promise<void> {
    const running = [...this.#running.values()];
    for (const { end } of running) end.abort();
    await Promise.all(running.map(({ done }) => done));
  }
}

/** Asks Telegram for what people have written to a bot, one request after the other, until the signal is aborted. */
async function poll(tenant: Tenant, account: StoredAccount, signal: AbortSignal): Promise<void> {
  const token = await unlessUnreadable(accountSecret(tenant, account));
  if (token === undefined) return void (await restAfter(tenant, account, unreadableToken));
  const bot = openBotApi(token, {
    timeoutMs: (longPollSeconds + 10) * secondMs,
    maxResponseBytes,
    signal,
  });
  const inbound = await new UnitOfWork(tenant, system).find(Inbounds, { id: account.id });
  let offset = inbound?.offset;
  let restUntil = inbound?.restUntil ?? null;
  let limit = maxUpdates;
  /** Whether the bot is known to receive. If not, the first call does not wait for updates, and its answer tells. */
  let isHearing = inbound?.status === 'ok' && inbound.lastError === null;
  try {
    while (!signal.aborted) {
      const restMs = restUntil === null ? 0 : Date.parse(restUntil) - now();
      if (restMs > 0) await sleep(Math.min(restMs, budgetMs), signal).catch(() => {});
      if (restMs > budgetMs || signal.aborted) continue;
      const found = await ask(bot, offset, isHearing ? longPollSeconds : 0, limit);
      if (signal.aborted) return;
      if (found.kind === 'too-much' && limit > 1) {
        limit = 1;
        continue;
      }
      if (found.kind === 'failed') {
        isHearing = false;
        restUntil = await restAfter(tenant, account, found);
        if (restUntil === null) return;
        continue;
      }
      const updates = found.kind === 'too-much' ? [{ update_id: found.updateId }] : found.updates;
      for (const update of updates) {
        const pressed = pressIn(update);
        // The person waits for it; whether Telegram takes it or not, the button counts.
        if (pressed !== undefined) await bot.call('answerCallbackQuery', { callback_query_id: pressed });
        await receiveUpdate(tenant, account.id, update);
        offset = update.update_id + 1;
      }
      if (offset !== undefined && updates.length > 0) await keepOffset(tenant, account.id, offset);
      if (!isHearing) await noteSuccess(tenant, account.id);
      isHearing = true;
      restUntil = null;
      limit = maxUpdates;
    }
  } finally {
    await bot.close();
  }
}

type Found =
  | { kind: 'updates'; updates: { update_id: number }[] }
  /** Nobody can read what it says; of one update alone its id is known. */
  | { kind: 'too-much'; updateId: number }
  | ({ kind: 'failed' } & Failure);

const Updates = v.array(v.looseObject({ update_id: v.pipe(v.number(), v.safeInteger()) }));

async function ask(bot: BotApi, offset: number | undefined, seconds: number, limit: number): Promise<Found> {
  const asked = { timeout: seconds, limit, allowed_updates: allowedUpdates, ...(offset !== undefined && { offset }) };
  const answer = await bot.call('getUpdates', asked);
  if (answer.kind === 'result' && v.is(Updates, answer.result)) return { kind: 'updates', updates: answer.result };
  const updateId =
    answer.kind === 'unreadable' ? Number(/"update_id"\s*:\s*(\d{1,15})/.exec(answer.text)?.[1]) : Number.NaN;
  if (Number.isSafeInteger(updateId)) return { kind: 'too-much', updateId };
  // A single update that is too large is a failure: its id is unknown.
  if (isTooLarge(answer) && limit > 1) return { kind: 'too-much', updateId: Number.NaN };
  return { kind: 'failed', ...failureOf(answer) };
}

const isTooLarge = (answer: BotAnswer) =>
  answer.kind === 'unanswered' && answer.exchange.error === 'UND_ERR_RES_EXCEEDED_MAX_SIZE';

/** Stores an offset: all updates before it are stored, and are never requested again. */
const keepOffset = async (tenant: Tenant, id: number, offset: number): Promise<void> => {
  await writeIf({ key: keyOf(tenant, Inbounds, { id }), set: { offset }, if: { present: ['mode'] } });
};

/** Returns until when nobody is to ask again; null when this poll is over. */
const restAfter = (tenant: Tenant, { id, secret }: StoredAccount, failure: Failure): Promise<string | null> =>
  transact(tenant, system, async (tx) => {
    const [inbound, account] = [await tx.find(Inbounds, { id }), await tx.get(Accounts, { id })];
    // One that has a new secret meanwhile failed by the old one.
    if (inbound?.mode !== 'polling' || account.secret !== secret) return null;
    const restMs = Math.max(
      failure.waitMs,
      Math.min(rest.longestMs, rest.firstMs * 2 ** Math.min(inbound.failures, 10)),
    );
    const restUntil = failure.isRevoked ? null : notBefore(restMs);
    noteFailure(tx, account, inbound, failure, { restUntil });
    return restUntil;
  });

const noteSuccess = (tenant: Tenant, id: number) =>
  transact(tenant, system, async (tx) => {
    const inbound = await tx.find(Inbounds, { id });
    if (inbound?.mode !== 'polling' || (inbound.status === 'ok' && inbound.lastError === null)) return;
    tx.update(Inbounds, { ...inbound, status: 'ok', lastError: null, failures: 0, restUntil: null });
  });

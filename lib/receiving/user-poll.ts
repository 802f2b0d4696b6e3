import Long from 'long';
import { accountSecret, setAccountState } from '#lib/accounts/store.ts';
import { telegramApp } from '#lib/channels/telegram/app.ts';
import { telegram } from '#lib/channels/telegram/channel.ts';
import { readSession } from '#lib/channels/telegram/connection.ts';
import { RefusedCall } from '#lib/channels/telegram/refused-call.ts';
import { outcomeOf } from '#lib/channels/telegram/user.ts';
import { connectUser, type UserConnection } from '#lib/channels/telegram/user-connection.ts';
import { minuteMs, secondMs, shifted, timestamp } from '#lib/clock.ts';
import { Accounts, type StoredAccount } from '#lib/entities/account.ts';
import { Inbounds, type StoredInbound } from '#lib/entities/inbound.ts';
import { Peers } from '#lib/entities/peer.ts';
import { env } from '#lib/env.ts';
import { shownError } from '#lib/jobs/after.ts';
import { takeInHand } from '#lib/jobs/in-hand.ts';
import type { Outcome } from '#lib/jobs/sender.ts';
import { log } from '#lib/log.ts';
import { isUnreadable } from '#lib/secrets.ts';
import { entries } from '#lib/table/entries.ts';
import type { Key } from '#lib/table/keys.ts';
import { flatten } from '#lib/table/pages.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import { userPollTimeoutSeconds } from '#lib/timeouts.ts';
import { receiveDifference } from './telegram-difference.ts';

/** How long whoever sends on the account is waited for: it gives it free between any two batches. */
const patienceMs = 20 * secondMs;
/** Slices are fetched for so long; the last one has time to be stored. */
const budgetMs = (userPollTimeoutSeconds - 35) * secondMs;
/** Outlives every process that holds it. */
const leaseMs = (userPollTimeoutSeconds + 5) * secondMs;
/** When somebody had the account all the time. */
const busyMs = 5 * secondMs;
/** After a failed poll, doubling. */
const rest = { firstMs: 5 * secondMs, longestMs: 5 * minuteMs };
const tooLong = 'Telegram no longer knows all that has happened since the last look: some messages are missing';

/**
 * Asks what has happened in the account of a person, stores it, and has Telegram mark as read what was read here; on the account's one
 * connection, which nobody else uses meanwhile. The state moves only after what it brought is stored. Needs the key.
 */
export async function pollUser(tenant: Tenant, accountId: number): Promise<void> {
  const deadlineMs = Date.now() + budgetMs;
  if ((await dueAccount(tenant, accountId)) === undefined) return;
  const giveFree = await takeInHand({ tenant, channel: telegram.name, accountId }, leaseMs, patienceMs);
  if (!giveFree) return putOff(tenant, accountId);
  try {
    const due = await dueAccount(tenant, accountId);
    if (due) await poll(tenant, due, deadlineMs);
  } finally {
    await giveFree();
  }
}

interface Due {
  account: StoredAccount;
  inbound: StoredInbound;
}

/** The account, if it is to be asked now. */
async function dueAccount(tenant: Tenant, id: number): Promise<Due | undefined> {
  const tx = new UnitOfWork(tenant, system);
  const [account, inbound] = await Promise.all([tx.find(Accounts, { id }), tx.find(Inbounds, { id })]);
  const isAsked = account?.channel === telegram.name && account.kind === 'user' && account.state === 'active';
  if (!isAsked || inbound?.mode !== 'polling') return undefined;
  return inbound.lookAt === null || inbound.lookAt > timestamp() ? undefined : { account, inbound };
}

const putOff = (tenant: Tenant, id: number): Promise<void> =>
  transact(tenant, system, async (tx) => {
    const inbound = await tx.find(Inbounds, { id });
    if (inbound?.lookAt) tx.update(Inbounds, { ...inbound, lookAt: shifted(tx.now, busyMs) });
  });

/** Telegram has refused something, or not answered: the account fails, and not we. */
class Unanswered extends Error {}

const answered = <Answer>(call: Promise<Answer>): Promise<Answer> =>
  call.catch((cause) => {
    throw new Unanswered('no answer from Telegram', { cause });
  });

async function poll(tenant: Tenant, due: Due, deadlineMs: number): Promise<void> {
  const app = telegramApp();
  if (!app) return fail(tenant, due, { kind: 'failed', error: 'this deployment has no TELEGRAM_API_ID' });
  const session = readSession(await secretOf(tenant, due.account));
  if (!session) return fail(tenant, due, { kind: 'lost', state: 'disconnected' });
  try {
    const connection = await answered(connectUser(session, app));
    try {
      await ask(tenant, due, connection, deadlineMs);
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    await fail(tenant, due, outcomeOf(error.cause));
  }
}

/** One that cannot be read is none. */
const secretOf = (tenant: Tenant, account: StoredAccount): Promise<string> =>
  accountSecret(tenant, account).catch((error) => {
    if (isUnreadable(error)) return '';
    throw error;
  });

async function ask(tenant: Tenant, due: Due, connection: UserConnection, deadlineMs: number): Promise<void> {
  const { account } = due;
  let state = due.inbound.receivedTo;
  let lastError: string | undefined;
  for (let isMore = state !== null; state !== null && isMore; ) {
    const told = await answered(connection.differenceSince(state));
    if (told.kind === 'too-long') {
      log().warn('Telegram tells no longer what has happened in an account', { ...tenant, accountId: account.id });
      [state, lastError] = [null, tooLong];
      break;
    }
    await receiveDifference(tenant, account.id, told);
    ({ state, isMore } = told);
    if (!isMore) break;
    const isLate = Date.now() > deadlineMs;
    const reached = { receivedTo: state, ...(isLate && { lookAt: timestamp() }) };
    if (!(await keep(tenant, due, (inbound) => ({ ...inbound, ...reached }))) || isLate) return;
  }
  const receivedTo = state ?? (await answered(connection.state()));
  await markRead(tenant, account, connection);
  await keep(tenant, due, (inbound, now) => ({
    ...inbound,
    receivedTo,
    status: 'ok',
    // That messages are missing is true until somebody has seen it.
    lastError: lastError ?? (inbound.status === 'failing' ? null : inbound.lastError),
    failures: 0,
    lookAt: lookAgain(due, inbound, shifted(now, env('TELEGRAM_POLL_SECONDS') * secondMs)),
  }));
}

/** Has Telegram mark as read what was read here. */
async function markRead(tenant: Tenant, { id: accountId }: StoredAccount, connection: UserConnection): Promise<void> {
  const tx = new UnitOfWork(tenant, system);
  const keys: Key[] = [];
  for await (const { of } of flatten(entries(tx, Peers, { toRead: { accountId } }))) keys.push(of);
  for (const { name, userId, accessHash, readUpTo } of await tx.findAllByKey(Peers, keys)) {
    const peer = { userId, accessHash: Long.fromString(accessHash) };
    await answered(
      connection.markRead(peer, Number(readUpTo)).catch((error) => {
        // Somebody whom Telegram no longer knows holds up nobody else.
        if (!(error instanceof RefusedCall) || error.code !== 400) throw error;
      }),
    );
    await transact(tenant, system, async (unit) => {
      const row = await unit.find(Peers, { accountId, name });
      if (row?.readUpTo === readUpTo) unit.update(Peers, { ...row, readUpTo: null });
    });
  }
}

/** Changes how the account hears, unless it has another session or way by now. Returns whether it did. */
const keep = (
  tenant: Tenant,
  { account: { id, secret } }: Due,
  change: (inbound: StoredInbound, now: string, account: StoredAccount, tx: UnitOfWork) => StoredInbound,
): Promise<boolean> =>
  transact(tenant, system, async (tx) => {
    const [inbound, account] = [await tx.find(Inbounds, { id }), await tx.get(Accounts, { id })];
    if (inbound?.mode !== 'polling' || account.secret !== secret) return false;
    tx.update(Inbounds, change(inbound, tx.now, account, tx));
    return true;
  });

/** Somebody may have asked for an earlier look meanwhile. */
const lookAgain = ({ inbound: seen }: Due, { lookAt }: StoredInbound, next: string) =>
  lookAt === seen.lookAt ? next : lookAt;

/** The account does not hear, and why; one whose session has ended is disconnected. */
async function fail(tenant: Tenant, due: Due, outcome: Outcome): Promise<void> {
  await keep(tenant, due, (inbound, now, account, tx) => {
    const restMs = Math.min(rest.longestMs, rest.firstMs * 2 ** Math.min(inbound.failures, 10));
    const isLost = outcome.kind === 'lost';
    if (isLost) setAccountState(tx, account, outcome.state);
    const waitMs = outcome.kind === 'wait' ? Math.max(restMs, outcome.waitSeconds * secondMs) : restMs;
    return {
      ...inbound,
      status: 'failing',
      lastError: shownError(errorOf(outcome)),
      failures: inbound.failures + 1,
      lookAt: isLost ? null : lookAgain(due, inbound, shifted(now, waitMs)),
    };
  });
}

function errorOf(outcome: Outcome): string {
  if ('error' in outcome) return outcome.error;
  if (outcome.kind === 'lost') return `the session is ${outcome.state === 'banned' ? 'banned' : 'over'}: log in again`;
  return 'Telegram wants this account to wait';
}

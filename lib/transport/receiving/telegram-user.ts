import Long from 'long';
import { unlessUnreadable } from '#lib/aws/secrets.ts';
import { telegramApp } from '#lib/channels/telegram/app.ts';
import { readSession } from '#lib/channels/telegram/connection.ts';
import { RefusedCall } from '#lib/channels/telegram/refused-call.ts';
import { outcomeOf } from '#lib/channels/telegram/user.ts';
import { connectUser, type UserConnection } from '#lib/channels/telegram/user-connection.ts';
import { fromNow, now, secondMs } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { log } from '#lib/core/log.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import type { StoredAccount } from '#lib/entities/account.ts';
import { Peers } from '#lib/entities/peer.ts';
import { accountSecret } from '#lib/messages/accounts/store.ts';
import type { Outcome } from '#lib/messages/jobs/sender.ts';
import { entries } from '#lib/table/entries.ts';
import type { Key } from '#lib/table/keys.ts';
import { flatten } from '#lib/table/pages.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Due, fail, keep, keepHearing } from './due-account.ts';
import { receiveDifference } from './telegram-difference.ts';

const tooLong = 'Telegram no longer knows all that has happened since the last look: some messages are missing';

/** Telegram has refused something, or not answered: the account fails, and not we. */
class Unanswered extends Error {}

const answered = <Answer>(call: Promise<Answer>): Promise<Answer> =>
  call.catch((cause) => {
    throw new Unanswered('no answer from Telegram', { cause });
  });

/**
 * Asks Telegram what has happened, over the one connection that an account may have, and has it mark as read what was read here. The state
 * moves only after what it brought is stored.
 */
export async function pollTelegram(
  tenant: Tenant,
  due: Due,
  deadlineMs: number,
  isContended: () => Promise<boolean>,
): Promise<void> {
  const app = await telegramApp();
  if (!app) return failed(tenant, due, { kind: 'failed', error: 'this deployment has no TELEGRAM_API_ID' });
  const session = readSession(await secretOf(tenant, due.account));
  if (!session) return failed(tenant, due, { kind: 'lost', state: 'disconnected' });
  try {
    const connection = await answered(connectUser(session, app));
    try {
      await ask(tenant, due, connection, async () => now() > deadlineMs || (await isContended()));
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    await failed(tenant, due, outcomeOf(error.cause));
  }
}

const failed = (tenant: Tenant, due: Due, outcome: Outcome): Promise<void> =>
  fail(tenant, due, outcome, {
    lost: `the session is ${outcome.kind === 'lost' && outcome.state === 'banned' ? 'banned' : 'over'}: log in again`,
  });

/** One that cannot be read is none. */
const secretOf = async (tenant: Tenant, account: StoredAccount): Promise<string> =>
  (await unlessUnreadable(accountSecret(tenant, account))) ?? '';

async function ask(
  tenant: Tenant,
  due: Due,
  connection: UserConnection,
  isOver: () => Promise<boolean>,
): Promise<void> {
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
    const isPollOver = await isOver();
    const reached = { receivedTo: state, ...(isPollOver && { dueAt: fromNow(secondMs) }) };
    if (!(await keep(tenant, due, (inbound) => ({ ...inbound, ...reached }))) || isPollOver) return;
  }
  const receivedTo = state ?? (await answered(connection.state()));
  const reached = { receivedTo, ...(lastError !== undefined && { lastError }) };
  await keepHearing(tenant, due, reached, env('TELEGRAM_POLL_SECONDS'));
  // The account hears all the same, and the next look tries it again.
  await markRead(tenant, account, connection).catch((error: Error) =>
    log().warn('what was read here is not marked as read at Telegram', { ...tenant, accountId: account.id, error }),
  );
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

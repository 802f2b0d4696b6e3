import Long from 'long';
import { idOn } from '#lib/core/channel.ts';
import { fromNow, hourMs, nextDay, shifted, timestamp } from '#lib/core/clock.ts';
import { telegram } from '#lib/core/telegram-channel.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Accounts, type StoredAccount } from '#lib/entities/account.ts';
import type { StoredJob } from '#lib/entities/job.ts';
import type { StoredAttachment } from '#lib/entities/message.ts';
import { accountSecret } from '#lib/messages/accounts/store.ts';
import { maxWaitSeconds, waitFor } from '#lib/messages/jobs/outcomes.ts';
import type { Confirm, Outcome, Sender } from '#lib/messages/jobs/sender.ts';
import { contactOf } from '#lib/messages/recipient.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { sendAlbums } from './albums.ts';
import { telegramApp } from './app.ts';
import { readSession } from './connection.ts';
import { delivered, type Hand, randomId } from './once.ts';
import { findPeer, meetPeer, metToday, type Peer } from './peer.ts';
import { RefusedCall } from './refused-call.ts';
import { sendAlbum } from './user-album.ts';
import { connectUser, type UserConnection } from './user-connection.ts';
import { richOf } from './user-rich.ts';

const { newPeersPerDay } = telegram.kinds.user;

/** A user account, which writes by MTProto and can address people by username. */
export async function openUser(tenant: Tenant, account: StoredAccount, attachmentsOf: AttachmentsOf): Promise<Sender> {
  const app = await telegramApp();
  if (app === undefined)
    return answering({ kind: 'failed', error: 'user accounts cannot send: this deployment has no TELEGRAM_API_ID' });
  const session = readSession(await accountSecret(tenant, account));
  if (!session) return answering({ kind: 'lost', state: 'disconnected' });
  const connection = await connectUser(session, app);
  return {
    maxRepeats: Number.POSITIVE_INFINITY,
    send: (job, confirm) => send({ tenant, account, connection }, job, attachmentsOf, confirm).catch(outcomeOf),
    close: () => connection.close(),
  };
}

const answering = (outcome: Outcome): Sender => ({
  maxRepeats: Number.POSITIVE_INFINITY,
  send: async () => outcome,
  close: async () => {},
});

type AttachmentsOf = (job: StoredJob) => Promise<StoredAttachment[]>;

async function send(hand: Hand, job: StoredJob, attachmentsOf: AttachmentsOf, confirm: Confirm): Promise<Outcome> {
  const { tenant, account, connection } = hand;
  const tx = new UnitOfWork(tenant, system);
  const contact = await contactOf(tx, telegram.name, job);
  const person = {
    telegramUserId: job.target.telegramUserId ?? (contact && idOn(telegram, contact.identities)),
    username: job.target.username,
  };
  const known = await findPeer(tx, account.id, person);
  const peer = known ?? (await meet(tenant, account, connection, person.username));
  if ('kind' in peer) return peer;
  if (person.telegramUserId !== undefined && peer.userId !== person.telegramUserId)
    return { kind: 'failed', error: 'the username belongs to somebody else than the recipient, who has another id' };
  const to = { userId: peer.userId, accessHash: Long.fromString(peer.accessHash) };
  try {
    if (job.attachmentCount > 0)
      return await sendAlbums(job, await attachmentsOf(job), confirm, (album, caption, deadlineMs, isFirst) =>
        sendAlbum(hand, to, job, album, { caption, ...(isFirst && richOf(job)) }, deadlineMs),
      );
    const text = job.text ?? '';
    return await delivered(
      to,
      () => connection.sendText(to, { caption: text, ...richOf(job) }, randomId(hand, job)),
      () => connection.lastSent(to, ({ message }) => message === text.trim()),
    );
  } catch (error) {
    if (error instanceof RefusedCall && error.message === 'PEER_FLOOD') return pauseNewPeers(tenant, account);
    throw error;
  }
}

/** Looks the name up, within what an account may do on a day. */
async function meet(
  tenant: Tenant,
  { id }: StoredAccount,
  connection: UserConnection,
  username: string | undefined,
): Promise<Peer | Outcome> {
  if (username === undefined)
    return { kind: 'failed', error: 'this account has not met the user with this id: give a username' };
  const tx = new UnitOfWork(tenant, system);
  const [account, met] = await Promise.all([tx.get(Accounts, { id }), metToday(tx, id)]);
  const pausedUntil = account.newPeers?.pausedUntil;
  if (pausedUntil !== undefined && pausedUntil > timestamp())
    return { kind: 'not-yet', until: pausedUntil, isUnasked: true };
  if (met >= (account.pacing?.newPeersPerDay ?? newPeersPerDay))
    return { kind: 'not-yet', until: nextDay(), isUnasked: true };
  const found = await connection.resolve(username);
  if (!found) return { kind: 'failed', error: 'this username is not a person' };
  const peer = { userId: found.userId, accessHash: found.accessHash.toString() };
  await transact(tenant, system, (unit) => meetPeer(unit, id, username, peer));
  return peer;
}

const firstPauseHours = 24;
const maxPauseHours = 7 * 24;

/** Telegram takes the account for a spammer: it meets nobody for a day, and each time twice as long. */
const pauseNewPeers = (tenant: Tenant, { id }: StoredAccount): Promise<Outcome> =>
  transact(tenant, system, async (tx) => {
    const account = await tx.get(Accounts, { id });
    const hours = Math.min(maxPauseHours, (account.newPeers?.hours ?? firstPauseHours / 2) * 2);
    const until = shifted(tx.now, hours * hourMs);
    tx.update(Accounts, { ...account, newPeers: { pausedUntil: until, hours } });
    return { kind: 'not-yet', until };
  });

const lostSession = /^(AUTH_KEY_|SESSION_|USER_DEACTIVATED$)/;
const banned = /^(USER_DEACTIVATED_BAN|PHONE_NUMBER_BANNED)$/;

/**
 * Returns the outcome of a failed call. A call without an answer may be repeated, because Telegram recognizes repeated messages by their
 * random id.
 */
export function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof RefusedCall))
    return { kind: 'failed-for-now', error: `no answer from Telegram (${(error as Error).name})` };
  const { code, message } = error;
  const seconds = Number(/_(\d+)$/.exec(message)?.[1]);
  if (message.startsWith('SLOWMODE_WAIT_'))
    return { kind: 'not-yet', until: fromNow((Math.min(seconds, maxWaitSeconds) + 1) * 1000) };
  if (code === 420) return waitFor((seconds || 30) + Math.max(1, seconds * 0.05));
  if (banned.test(message)) return { kind: 'lost', state: 'banned' };
  if (lostSession.test(message) || code === 401) return { kind: 'lost', state: 'disconnected' };
  const text = `Telegram answered ${code}: ${message}`;
  return code < 0 || code >= 500 ? { kind: 'failed-for-now', error: text } : { kind: 'failed', error: text };
}

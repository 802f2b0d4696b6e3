import type * as v from 'valibot';
import { decrypt, encrypt } from '#lib/aws/secrets.ts';
import { type Channel, messaging, type Platform } from '#lib/core/channel.ts';
import type { Allowance, Descriptor } from '#lib/core/channel-descriptor.ts';
import { conflict, notFound } from '#lib/core/problem.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import {
  type Account,
  type AccountQuery,
  Accounts,
  maxAccounts,
  type PacingInput,
  type StoredAccount,
  storedPacing,
} from '#lib/entities/account.ts';
import { AccountHolders, Inbounds, noInbound, type StoredInbound } from '#lib/entities/inbound.ts';
import { serializeWriters } from '#lib/entities/write-barrier.ts';
import { readGroup } from '#lib/table/counters.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';

type Shown = v.InferOutput<typeof Account>;

/** Fields of a new account, with its secret in the clear. */
export interface NewAccount {
  channel: Platform;
  kind: StoredAccount['kind'];
  name: string;
  username: string | null;
  dailyLimit: number;
  pacing?: PacingInput;
  phoneMasked?: string;
  /** At the platform, where it was asked. */
  platformUserId?: string;
  secret: string;
}

/** Limit for the connected accounts of an environment. With disconnected ones, which are listed too, it is `maxAccounts`. */
export const maxConnected = 100;

/** Raises 409 `too_many_accounts` where an environment has as many accounts as it may have. */
export async function requireRoom(tx: UnitOfWork, { isNew }: { isNew: boolean }): Promise<void> {
  await serializeWriters(tx, 'accounts');
  // An unreadable account does not count.
  const reading = UnitOfWork.forAnswer(tx.tenant, tx.actor);
  const { items, hasMore } = await listPage(reading, Accounts, { limit: maxAccounts - 1 });
  const connected = items.filter(({ state }) => state !== 'disconnected').length;
  if (connected >= maxConnected || (isNew && hasMore))
    throw conflict(
      'too_many_accounts',
      `an environment has at most ${maxConnected} connected accounts, and ${maxAccounts} in all: disconnect one first`,
    );
}

/** Connects an account; its secret is kept encrypted. Raises 409 `account_exists` and `too_many_accounts`. Needs the key. */
export async function createAccount(
  tx: UnitOfWork,
  { secret, pacing, ...account }: NewAccount,
): Promise<StoredAccount> {
  const [id] = await Promise.all([tx.nextId(Accounts), requireRoom(tx, { isNew: true })]);
  const { channel, platformUserId } = account;
  if (platformUserId !== undefined) await claimHolder(tx, channel, platformUserId, id);
  return tx.create(Accounts, {
    phoneMasked: null,
    ...account,
    ...(pacing && { pacing: storedPacing(pacing) }),
    id,
    state: 'active',
    floodWaitUntil: null,
    secret: await encrypt(secret, secretContext(tx.tenant, id)),
    createdAt: tx.now,
  });
}

/** Nobody else in this environment is this account of the platform. Raises 409 `account_exists`. */
export async function claimHolder(tx: UnitOfWork, channel: Platform, userId: string, id: number): Promise<void> {
  const holder = await tx.find(AccountHolders, { channel, userId });
  if (holder)
    throw conflict(
      'account_exists',
      `account ${holder.id} already is this account of the platform: use it, or give it the new credential`,
      {
        accountId: holder.id,
      },
    );
  tx.create(AccountHolders, { id, channel, userId });
}

/** The account's token or session. Needs the key. */
export const accountSecret = (tenant: Tenant, { id, secret }: StoredAccount): Promise<string> =>
  decrypt(secret, secretContext(tenant, id));

/** Returns the encryption context of an account's secret. */
export const secretContext = ({ workspaceId, env }: Tenant, id: number) => ({
  workspace: String(workspaceId),
  env,
  account: String(id),
});

/** The account as stored. Raises 404, also for one of another channel. */
export async function getStoredAccount(tx: UnitOfWork, id: number, channel: Platform): Promise<StoredAccount> {
  const account = await tx.get(Accounts, { id }, () => notFound('account'));
  if (account.channel !== channel) throw notFound('account');
  return account;
}

/** The account with its exact counts. Raises 404. */
export async function getAccount(tx: UnitOfWork, id: number, channel: Platform): Promise<Shown> {
  const [account, counts, inbound] = await Promise.all([
    getStoredAccount(tx, id, channel),
    readCounts(tx),
    tx.find(Inbounds, { id }),
  ]);
  return shown(tx, account, { ...counts, inbound });
}

/** Accounts of one channel in descending order of id. */
export async function listAccounts(
  tx: UnitOfWork,
  channel: Platform,
  query: v.InferOutput<typeof AccountQuery>,
): Promise<Page<Shown>> {
  const { limit, after } = query;
  const [page, counts, beside] = await Promise.all([
    listPage(
      tx,
      Accounts,
      listingFrom(
        Accounts,
        { ...query, channel },
        {
          channel: (wanted) => ({ matches: (account) => account.channel === wanted }),
          status: (status) => ({ matches: (account) => statusOf(tx, account) === status }),
        },
      ),
    ),
    readCounts(tx),
    // Nearly always those of the same accounts, read at the same time.
    listPage(tx, Inbounds, { limit, after }),
  ]);
  const others = page.items.filter(({ id }) => id < (beside.nextCursor ?? 0));
  const all = [...beside.items, ...(await tx.findAll(Inbounds, others))];
  const inbounds = new Map(all.map((inbound) => [inbound.id, inbound]));
  const items = page.items.map((account) => shown(tx, account, { ...counts, inbound: inbounds.get(account.id) }));
  return { ...page, items };
}

/** Returns the number of messages sent on the day of the unit of work, by account id. */
export const readSentToday = (tx: UnitOfWork) => readGroup(tx, sentOn(tx.now));

const readQueued = (tx: UnitOfWork) => readGroup(tx, 'queued');

/** Returns how many jobs wait, by channel and account, without empty queues. */
export async function countedQueues(tx: UnitOfWork): Promise<(QueuePlace & { queued: number })[]> {
  const counts = await readQueued(tx);
  return [...counts].flatMap(([name, { queued = 0 }]) => {
    const [channel, accountId] = name.split('/');
    return queued === 0
      ? []
      : [{ channel: channel as Channel, accountId: accountId ? Number(accountId) : null, queued }];
  });
}

interface QueuePlace {
  channel: Channel;
  accountId: number | null;
}

/** `telegram/5`, `email/` */
const queueName = ({ channel, accountId }: QueuePlace) => `${channel}/${accountId ?? ''}`;

/** Returns the change that counts a job in (1) or out (-1) of its queue. */
export const queuedAs = (job: QueuePlace, delta: number) => ({
  group: 'queued',
  name: queueName(job),
  add: { queued: delta },
});

export function countQueued(tx: UnitOfWork, job: QueuePlace, delta: number): void {
  const { group, name, add } = queuedAs(job, delta);
  tx.count(group, name, add);
}

/** Counts a sent message of an account. */
export const countSent = (tx: UnitOfWork, accountId: number) =>
  tx.count(sentOn(tx.now), String(accountId), { sent: 1 }, accountId);

const sentOn = (time: string) => `sent/${time.slice(0, 10)}`;

/** The account waits, as its provider demanded. Emits account.flood_wait once per wait. */
export async function startFloodWait(
  tx: UnitOfWork,
  account: StoredAccount,
  { until, waitSeconds }: { until: string; waitSeconds: number },
): Promise<void> {
  if (account.floodWaitUntil !== null && account.floodWaitUntil >= until) return;
  const queued = await readQueued(tx);
  tx.update(Accounts, { ...account, floodWaitUntil: until });
  tx.emit({
    kind: 'account.flood_wait',
    subject: `account/${account.id}`,
    data: {
      account_id: String(account.id),
      channel: account.channel,
      wait_seconds: waitSeconds,
      until,
      queued_jobs: queued.get(queueName({ channel: account.channel, accountId: account.id }))?.['queued'] ?? 0,
    },
  });
}

/** The account can no longer be used, or can again. Emits account.status_changed. */
export function setAccountState(tx: UnitOfWork, account: StoredAccount, state: StoredAccount['state']): StoredAccount {
  if (account.state === state) return account;
  const changed = tx.update(Accounts, { ...account, state, ...(account.state === 'active' && { lostAt: tx.now }) });
  tx.emit({
    kind: 'account.status_changed',
    subject: `account/${account.id}`,
    data: {
      account_id: String(account.id),
      channel: account.channel,
      from_status: statusOf(tx, account),
      to_status: state,
    },
  });
  return changed;
}

/** Forgets the account's secret. Emits account.status_changed unless it was disconnected. */
export const disconnectAccount = (tx: UnitOfWork, account: StoredAccount): StoredAccount =>
  setAccountState(tx, tx.update(Accounts, { ...account, secret: '' }), 'disconnected');

async function readCounts(tx: UnitOfWork) {
  const [sent, queued] = await Promise.all([readSentToday(tx), readQueued(tx)]);
  return { sent, queued };
}

const statusOf = (tx: UnitOfWork, { state, floodWaitUntil }: StoredAccount): Shown['status'] =>
  state === 'active' && floodWaitUntil !== null && floodWaitUntil > tx.now ? 'flood_wait' : state;

function shown(
  tx: UnitOfWork,
  account: StoredAccount,
  { sent, queued, inbound }: Awaited<ReturnType<typeof readCounts>> & { inbound: StoredInbound | undefined },
): Shown {
  const status = statusOf(tx, account);
  const place = { channel: account.channel, accountId: account.id };
  return {
    ...account,
    status,
    floodWaitUntil: status === 'flood_wait' ? account.floodWaitUntil : null,
    sentToday: sent.get(String(account.id))?.['sent'] ?? 0,
    queuedCount: queued.get(queueName(place))?.['queued'] ?? 0,
    inbound: inbound ?? noInbound,
    pacing: { perMinute: null, newPeersPerDay: null, ...paceOf(account) },
  };
}

/** Returns what an account of its kind may do, and how it receives. */
export const allowanceOf = ({ channel, kind }: Pick<StoredAccount, 'channel' | 'kind'>): Allowance => {
  const { kinds }: Descriptor = messaging[channel];
  const allowance = kinds[kind];
  if (allowance === undefined) throw new Error(`${channel} has no accounts of kind ${kind}`);
  return allowance;
};

function paceOf(account: StoredAccount) {
  const { pacing, newPeersPerDay } = allowanceOf(account);
  return { ...pacing, ...(newPeersPerDay !== undefined && { newPeersPerDay }), ...account.pacing };
}

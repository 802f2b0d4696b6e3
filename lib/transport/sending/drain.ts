import { isDeepStrictEqual } from 'node:util';
import { isUnreadable } from '#lib/aws/secrets.ts';
import type { PacePolicy } from '#lib/core/channel-descriptor.ts';
import { userIdOn } from '#lib/core/channel-target.ts';
import { fromNow, nextDay, now, secondMs, sleep, timestamp } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { senderTimeoutSeconds } from '#lib/core/timeouts.ts';
import { Accounts, type StoredAccount } from '#lib/entities/account.ts';
import { Jobs, type StoredJob } from '#lib/entities/job.ts';
import { type AccountPlace, acquire, type Lease, release } from '#lib/messages/accounts/sender.ts';
import { allowanceOf, readSentToday } from '#lib/messages/accounts/store.ts';
import { abandoned, givesUpAt } from '#lib/messages/jobs/after.ts';
import { notAhead, paced, waitMs } from '#lib/messages/jobs/pace.ts';
import { claimJob, dueJobs } from '#lib/messages/jobs/queue.ts';
import type { Confirm, OpenSender, Sender } from '#lib/messages/jobs/sender.ts';
import { getJob, isWaiting } from '#lib/messages/jobs/store.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { outcomeBeforeSending } from './before.ts';
import { fail } from './end.ts';
import { settleMessageOf } from './settle.ts';

/** New attempts are begun for so long; then there is room for the last one to end. */
const budgetMs = (senderTimeoutSeconds - 28) * secondMs;
/** Outlives every process that holds it. */
const leaseMs = (senderTimeoutSeconds + 5) * secondMs;
/** A timer may be early by what two clocks differ. */
const earlyMs = secondMs;
const pageSize = 25;
/** How old what was read of the account may be: whether it may send, how fast and how much. */
const freshMs = secondMs;
/** Longer than this in all a turn does not sleep, which would keep others from being served: it ends until the pause is over. */
const longestPauseMs = 2 * secondMs;
/** Somebody is changing all that is due. */
const busyMs = 5 * secondMs;

/**
 * Sends what is due on an account, in order and at its pace, unless another process is at it. What becomes due meanwhile is sent
 * too: after giving the account free the queue is looked at once more, so no timer that found the account taken is lost. The
 * holder of one that cannot send looks no further, so whoever finds that one taken puts off its own jobs.
 */
export async function drainAccount(place: AccountPlace, jobIds: readonly number[], open: OpenSender): Promise<void> {
  const deadlineMs = now() + budgetMs;
  for (;;) {
    const lease = await acquire(place, leaseMs);
    if (!lease) return putOffIfBlocked(place, jobIds, deadlineMs);
    lease.pace = notAhead(lease.pace, now());
    const drain = new Drain(lease, deadlineMs, open);
    let end: End = { isDrained: false, resumeAt: null };
    try {
      end = await drain.run(jobIds);
    } finally {
      try {
        await drain.close();
      } finally {
        await release(lease, end.resumeAt);
      }
    }
    if (!end.isDrained || (await dueJobs(place.tenant, place.accountId, timestamp(), 1)).length === 0) return;
  }
}

/** `isDrained`: nothing was due. `resumeAt`: when the queue must be looked at again although no job's own timer says so. */
interface End {
  isDrained: boolean;
  resumeAt: string | null;
}

class Drain {
  readonly #lease: Lease;
  readonly #tenant: Tenant;
  readonly #deadlineMs: number;
  readonly #open: OpenSender;
  #sender: Sender | undefined;
  /** The secret that it was opened with. */
  #secret: string | undefined;
  #sleptMs = 0;

  constructor(lease: Lease, deadlineMs: number, open: OpenSender) {
    this.#lease = lease;
    this.#tenant = lease.tenant;
    this.#deadlineMs = deadlineMs;
    this.#open = open;
  }

  async run(jobIds: readonly number[]): Promise<End> {
    for (;;) {
      const { account, sentToday } = await readAccount(this.#lease);
      if (!account) return { isDrained: false, resumeAt: null };
      const jobs = await this.#due();
      const block = blockOf(account, sentToday);
      if (block) {
        await putOff(this.#lease, block, [...new Set([...jobs.map(({ id }) => id), ...jobIds])], this.#deadlineMs);
        return { isDrained: false, resumeAt: block.until };
      }
      if (jobs.length === 0) return { isDrained: true, resumeAt: null };
      const resumeAt = await this.#sendAll(account, jobs.slice(0, account.dailyLimit - sentToday));
      if (resumeAt !== null) return { isDrained: false, resumeAt };
    }
  }

  async close(): Promise<void> {
    await this.#sender?.close();
  }

  #due(): Promise<StoredJob[]> {
    return dueJobs(this.#tenant, this.#lease.accountId, fromNow(earlyMs), pageSize);
  }

  /** One after the other. Returns when to go on if the time is over or none can be taken, null when the account or the queue must be read again. */
  async #sendAll(account: StoredAccount, jobs: readonly StoredJob[]): Promise<string | null> {
    let readAtMs = now();
    let sender: Sender | undefined;
    let isAnyClaimed = false;
    const policy = policyOf(this.#tenant, account);
    for (const job of jobs) {
      const { id, queuedFor, target, recipient } = job;
      // A username may be `constructor`, which DynamoDB's marshaller takes for the class of the map.
      const peer = String(userIdOn(account.channel, target) ?? (target.username ? `@${target.username}` : recipient));
      const earlyByMs = new Date(queuedFor).getTime() - now();
      const pauseMs = Math.max(earlyByMs, waitMs(policy, this.#lease.pace, peer, now()));
      if (!this.#mayPause(Math.max(0, pauseMs))) return fromNow(pauseMs);
      if (pauseMs > 0) await sleep(pauseMs);
      // Not before something may leave: a session is not opened for nothing.
      sender ??= await this.#opened(account);
      if (now() - readAtMs >= freshMs) {
        const known = { ...account, secret: sender.secret?.() ?? account.secret };
        if (!isAsKnown(await findAccount(this.#lease), known)) return null;
        readAtMs = now();
      }
      const [claimed, unsent] = await Promise.all([
        claimJob(this.#tenant, id, this.#lease.untilMs),
        outcomeBeforeSending(this.#tenant, job),
      ]);
      if (!claimed) continue;
      isAnyClaimed = true;
      // Somebody may have tried it again by hand since the page was read.
      const instead =
        claimed.enrollmentId === job.enrollmentId ? unsent : await outcomeBeforeSending(this.#tenant, claimed);
      const outcome =
        abandoned(claimed, sender.maxRepeats) ??
        instead ??
        (await sender.send(claimed, (...arrived) => confirm(this.#tenant, claimed, ...arrived)));
      const isAsked = outcome !== instead && !(outcome.kind === 'not-yet' && outcome.isUnasked);
      if (isAsked) this.#lease.pace = paced(policy, this.#lease.pace, peer, now());
      const secret = sender.secret?.() ?? account.secret;
      await settleMessageOf(this.#tenant, { ...account, secret }, claimed, outcome);
      if (outcome.kind === 'wait' || outcome.kind === 'lost') return null;
    }
    return isAnyClaimed ? null : fromNow(busyMs);
  }

  #mayPause(pauseMs: number): boolean {
    this.#sleptMs += pauseMs;
    return this.#sleptMs <= longestPauseMs && pauseMs <= this.#deadlineMs - now();
  }

  /** With the secret that the account has now. */
  async #opened(account: StoredAccount): Promise<Sender> {
    if (this.#sender && (this.#sender.secret?.() ?? this.#secret) === account.secret) return this.#sender;
    const before = this.#sender;
    this.#sender = undefined;
    await before?.close();
    this.#secret = account.secret;
    this.#sender = await this.#open(this.#tenant, account).catch(unopened);
    return this.#sender;
  }
}

const confirm = (tenant: Tenant, { id }: StoredJob, ...[confirmedFiles, atPlatform]: Parameters<Confirm>) =>
  transact(tenant, system, async (tx) => {
    tx.update(Jobs, { ...(await getJob(tx, id)), confirmedFiles, atPlatform });
  });

type Account = Omit<AccountPlace, 'channel'>;

/** Nothing leaves the sandbox, whose accounts have no pace but one that they were given (contract 0.7). */
const unpaced: PacePolicy = { peerGapMs: 0, gapMs: 0 };

const policyOf = ({ env }: Tenant, account: StoredAccount): PacePolicy => ({
  ...(env === 'test' ? unpaced : allowanceOf(account).pacing),
  ...account.pacing,
});

async function readAccount({
  tenant,
  accountId: id,
}: Account): Promise<{ account: StoredAccount | undefined; sentToday: number }> {
  const [account, sent] = await Promise.all([
    findAccount({ tenant, accountId: id }),
    readSentToday(new UnitOfWork(tenant, system)),
  ]);
  // Nothing leaves the sandbox, so no day is ever full there (contract 0.7).
  return { account, sentToday: tenant.env === 'test' ? 0 : (sent.get(String(id))?.['sent'] ?? 0) };
}

const findAccount = ({ tenant, accountId: id }: Account): Promise<StoredAccount | undefined> =>
  new UnitOfWork(tenant, system).find(Accounts, { id });

/** Whether an account may still send as it might before. */
const isAsKnown = (account: StoredAccount | undefined, known: StoredAccount): boolean =>
  account !== undefined &&
  blockOf(account, 0) === undefined &&
  account.secret === known.secret &&
  account.dailyLimit === known.dailyLimit &&
  isDeepStrictEqual(account.pacing, known.pacing);

async function putOffIfBlocked(place: Account, jobIds: readonly number[], deadlineMs: number): Promise<void> {
  const { account, sentToday } = await readAccount(place);
  const block = account && blockOf(account, sentToday);
  if (block) await putOff(place, block, jobIds, deadlineMs);
}

/** The account cannot send now: its jobs wait as long, or give up. */
async function putOff(place: Account, { until }: Block, jobIds: readonly number[], deadlineMs: number): Promise<void> {
  for (const id of jobIds) {
    if (now() > deadlineMs) break;
    await transact(place.tenant, system, async (tx) => {
      const job = await getJob(tx, id);
      if (!isWaiting(tx, job) || job.isHeld) return;
      const account = await tx.get(Accounts, { id: place.accountId });
      // If the reason ends while they are put off one by one, the others stay due.
      if (until === null ? account.state === 'active' : until <= tx.now) return;
      const runAt = until ?? givesUpAt(job, account);
      if (runAt <= tx.now) await fail(tx, job, `the account was ${account.state} for 24 hours`);
      else if (job.runAt < runAt && job.queuedFor <= tx.now) tx.update(Jobs, { ...job, runAt, updatedAt: tx.now });
    });
  }
}

/**
 * A secret that cannot be read is wrong with this account for good, and shows in its messages, which use up their attempts. All
 * else is wrong with us: the queue delivers it again, and in the end its alarm rings.
 */
function unopened(error: Error): Sender {
  if (!isUnreadable(error)) throw error;
  log().error('an account cannot be opened', error);
  return {
    maxRepeats: Number.POSITIVE_INFINITY,
    send: async () => ({ kind: 'failed-for-now', error: `the account cannot be opened (${error.name})` }),
    close: async () => {},
  };
}

/** Why an account cannot send: until a time, or (null) until somebody connects it again. */
interface Block {
  until: string | null;
}

function blockOf({ state, floodWaitUntil, dailyLimit }: StoredAccount, sentToday: number): Block | undefined {
  const now = timestamp();
  if (state !== 'active') return { until: null };
  if (floodWaitUntil !== null && floodWaitUntil > now) return { until: floodWaitUntil };
  if (sentToday >= dailyLimit) return { until: nextDay() };
  return undefined;
}

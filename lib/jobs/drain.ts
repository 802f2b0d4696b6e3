import { setTimeout as sleep } from 'node:timers/promises';
import { Accounts, type StoredAccount } from '#lib/accounts/account.ts';
import { type AccountPlace, acquire, type Lease, release } from '#lib/accounts/sender.ts';
import { readSentToday } from '#lib/accounts/store.ts';
import { dayMs, secondMs, shifted, timestamp } from '#lib/clock.ts';
import { Transaction, transact } from '#lib/table/transaction.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import type { StoredJob } from './job.ts';
import { paced, waitMs } from './pace.ts';
import { claimJob, dueJobs } from './queue.ts';
import type { OpenSender, Outcome, Sender } from './sender.ts';
import { giveUp, patienceEnds, postpone, settle } from './settle.ts';
import { getJob, isWaiting } from './store.ts';

/** New attempts are begun for so long; the worker's time-out leaves room for the last one to end. */
const budgetMs = 12 * secondMs;
/** Outlives every process that holds it. */
const leaseMs = 45 * secondMs;
/** A wake-up may be early by what two clocks differ. */
const earlyMs = secondMs;
const pageSize = 25;

const interrupted = 'the sender was interrupted while sending: the message may or may not have been delivered';

/**
 * Sends what is due on an account, in order and at its pace, unless another process is at it. What becomes due meanwhile is sent
 * too: after giving the account free the queue is looked at once more, so no wake-up that found the account taken is lost.
 */
export async function drainAccount(place: AccountPlace, jobIds: readonly number[], open: OpenSender): Promise<void> {
  const deadlineMs = Date.now() + budgetMs;
  for (;;) {
    const lease = await acquire(place, leaseMs);
    if (!lease) return;
    const drain = new Drain(lease, deadlineMs, open);
    let end: End = { isDrained: false, resumeAt: null };
    try {
      end = await drain.run(jobIds);
    } finally {
      await drain.close();
      await release(lease, end.resumeAt);
    }
    if (!end.isDrained || (await dueJobs(place.tenant, place.accountId, timestamp(), 1)).length === 0) return;
  }
}

/** `isDrained`: nothing was due. `resumeAt`: when the queue must be looked at again although no job's own wake-up says so. */
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

  constructor(lease: Lease, deadlineMs: number, open: OpenSender) {
    this.#lease = lease;
    this.#tenant = lease.tenant;
    this.#deadlineMs = deadlineMs;
    this.#open = open;
  }

  async run(jobIds: readonly number[]): Promise<End> {
    for (;;) {
      const { account, sentToday } = await this.#account();
      if (!account) return { isDrained: false, resumeAt: null };
      const jobs = await this.#due();
      const block = blockOf(account, sentToday);
      if (block) return this.#wait(block, [...new Set([...jobs.map(({ id }) => id), ...jobIds])]);
      if (jobs.length === 0) return { isDrained: true, resumeAt: null };
      const resumeAt = await this.#sendAll(account, jobs.slice(0, account.dailyLimit - sentToday));
      if (resumeAt !== null) return { isDrained: false, resumeAt };
    }
  }

  close(): Promise<void> {
    return this.#sender?.close() ?? Promise.resolve();
  }

  async #account(): Promise<{ account: StoredAccount | undefined; sentToday: number }> {
    const tx = new Transaction(this.#tenant, system);
    const id = this.#lease.accountId;
    const [account, sent] = await Promise.all([tx.find(Accounts, { id }), readSentToday(tx)]);
    // Nothing leaves the sandbox, so no day is ever full there (contract 0.7).
    const sentToday = this.#tenant.env === 'test' ? 0 : (sent.get(String(id))?.sent ?? 0);
    return { account, sentToday };
  }

  #due(): Promise<StoredJob[]> {
    return dueJobs(this.#tenant, this.#lease.accountId, timestamp(new Date(Date.now() + earlyMs)), pageSize);
  }

  /** One after the other. Returns when to go on if the time is over, null when the account or the queue must be read again. */
  async #sendAll(account: StoredAccount, jobs: readonly StoredJob[]): Promise<string | null> {
    this.#sender ??= await this.#open(this.#tenant, account);
    const policy = { ...this.#sender.policy, ...account.pacing };
    for (const { id, queuedFor, target, recipient } of jobs) {
      const peer = String(target.telegramUserId ?? target.twitterUserId ?? target.username ?? recipient);
      const earlyByMs = new Date(queuedFor).getTime() - Date.now();
      const pauseMs = Math.max(earlyByMs, waitMs(policy, this.#lease.pace, peer, Date.now()));
      if (Date.now() + pauseMs > this.#deadlineMs) return timestamp(new Date(Date.now() + pauseMs + secondMs));
      if (pauseMs > 0) await sleep(pauseMs);
      const claimed = await claimJob(this.#tenant, id, this.#lease.untilMs);
      if (!claimed) continue;
      const outcome: Outcome =
        claimed.wasInterrupted && !this.#sender.isRepeatable
          ? { kind: 'failed', error: interrupted }
          : await this.#sender.send(claimed.job);
      this.#lease.pace = paced(policy, this.#lease.pace, peer, Date.now());
      await transact(this.#tenant, system, (tx) => settle(tx, account, id, outcome));
      if (outcome.kind === 'wait' || outcome.kind === 'lost') return null;
    }
    return null;
  }

  /** The account cannot send now: its jobs are told how long, or give up. */
  async #wait({ until }: Block, jobIds: readonly number[]): Promise<End> {
    for (const id of jobIds) {
      if (Date.now() > this.#deadlineMs) break;
      await transact(this.#tenant, system, async (tx) => {
        const job = await getJob(tx, id);
        if (!isWaiting(tx, job) || job.isHeld) return;
        const { state } = await tx.get(Accounts, { id: this.#lease.accountId });
        const runAt = until ?? patienceEnds(job);
        if (runAt <= tx.now) await giveUp(tx, job, state);
        else if (job.runAt < runAt && job.queuedFor <= tx.now) postpone(tx, job, runAt);
      });
    }
    return { isDrained: false, resumeAt: until };
  }
}

/** Why an account cannot send: until a time, or (null) until somebody connects it again. */
interface Block {
  until: string | null;
}

function blockOf({ state, floodWaitUntil, dailyLimit }: StoredAccount, sentToday: number): Block | undefined {
  const now = timestamp();
  if (state !== 'active') return { until: null };
  if (floodWaitUntil !== null && floodWaitUntil > now) return { until: floodWaitUntil };
  if (sentToday >= dailyLimit) return { until: `${shifted(now, dayMs).slice(0, 10)}T00:00:00Z` };
  return undefined;
}

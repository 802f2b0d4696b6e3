import { setTimeout as sleep } from 'node:timers/promises';
import { secondMs, timestamp } from '#lib/clock.ts';
import { Feed, type FeedEvent } from '#lib/events/feed.ts';
import { type Outbound, openOutbound } from '#lib/network/outbound.ts';
import { Transaction, transact } from '#lib/table/transaction.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import { attempt } from './attempt.ts';
import { type Backlog, readBacklog } from './backlog.ts';
import { Deliveries, type DueDelivery } from './delivery.ts';
import { Endpoints, type StoredEndpoint } from './endpoint.ts';
import { type Health, Healths, isSlow } from './health.ts';
import { acquire, type Lease, renewAfterMs } from './lease.ts';
import { clear, expandReplays } from './leftovers.ts';
import { findRegistry, secretsOf } from './registry.ts';
import { ReplayQueues } from './replays.ts';
import { LeaseLost, type Result, settle } from './settle.ts';
import { type Signer, signer } from './sign.ts';
import { newTally, type Tally } from './tally.ts';
import { instant, type Lane, laneOf, type Wake, Wakes } from './wake.ts';

const maxInFlight = 10;
const maxPerSecond = 50;
const maxSettled = 15;
/** How old what was read of the endpoint may be: url, secret, whether it is active. */
const freshMs = secondMs;
/** How often new work is looked for while slow attempts are under way. */
const pollMs = 250;
/** A further attempt this near is waited for. */
const nearMs = secondMs;

/**
 * Makes the due deliveries of an endpoint unless another process does: in event order per subject, at most ten at a time and fifty
 * a second. Goes on until nothing is due, the deadline has come or the breaker opens; what is left has its wake-up. Returns what
 * happened.
 */
export async function drain(tenant: Tenant, endpointId: number, lane: Lane, deadlineMs: number): Promise<Tally> {
  const lease = await acquire(tenant, endpointId);
  if (!lease) return newTally();
  const outbound = openOutbound();
  const work = new Drain(tenant, endpointId, lane, deadlineMs, lease, outbound);
  try {
    await work.run();
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
  } finally {
    await outbound.close();
  }
  return work.tally;
}

/** What there is to do next when nothing is in hand. */
type Rest = 'over' | 'deliver' | 'clear' | 'replay' | { sleepMs: number };

class Drain {
  readonly tally = newTally();
  readonly #tenant: Tenant;
  readonly #endpointId: number;
  readonly #lane: Lane;
  readonly #deadlineMs: number;
  readonly #owner: string;
  readonly #outbound: Outbound;

  #health: Health;
  #wake: Wake;
  #endpoint: StoredEndpoint | undefined;
  #signers: readonly [Signer, Signer?] | undefined;
  #backlog: Backlog = { first: [], retries: [], later: [], nextRetryAt: null };
  #readAtMs = 0;
  #renewedAtMs = Date.now();
  #nextStartMs = 0;
  #startsWithRetry = false;

  /** By delivery id: under way, or finished and not yet written. */
  readonly #inHand = new Map<number, DueDelivery>();
  readonly #inFlight = new Set<Promise<void>>();
  #finished: Result[] = [];
  #settling: Promise<void> | undefined;
  #fault: { error: unknown } | undefined;

  constructor(
    tenant: Tenant,
    endpointId: number,
    lane: Lane,
    deadlineMs: number,
    { owner, health, wake }: Lease,
    outbound: Outbound,
  ) {
    this.#tenant = tenant;
    this.#endpointId = endpointId;
    this.#lane = lane;
    this.#deadlineMs = deadlineMs;
    this.#owner = owner;
    this.#health = health;
    this.#wake = wake;
    this.#outbound = outbound;
  }

  async run(): Promise<void> {
    for (;;) {
      if (this.#fault) throw this.#fault.error;
      this.#settleFinished();
      if (this.#hasRoom() && Date.now() >= this.#nextStartMs) {
        const next = await this.#next();
        if (next) {
          this.#start(next);
          continue;
        }
      }
      if (this.#inHand.size > 0 || this.#isPacing()) await this.#progress();
      else if (!(await this.#rest())) return;
    }
  }

  /** Whether one more may be started now, but for the pace. After an opening of the breaker one at a time tries. */
  #hasRoom(): boolean {
    const { openings, openUntilMs } = this.#health;
    if (this.#isOver() || openUntilMs > Date.now()) return false;
    return this.#inHand.size < (openings > 0 ? 1 : maxInFlight);
  }

  /** More is at hand, a moment too early. */
  #isPacing(): boolean {
    const { first, retries } = this.#backlog;
    return this.#hasRoom() && Date.now() < this.#nextStartMs && first.length + retries.length > 0;
  }

  /** The rest is for the next process: the time is up, or the endpoint has changed lanes. */
  #isOver(): boolean {
    return Date.now() >= this.#deadlineMs || laneOf({ ...this.#wake, isSlow: this.#isSlow() }) !== this.#lane;
  }

  #isSlow(): boolean {
    return isSlow(this.#health, this.#wake.isSlow);
  }

  async #next(): Promise<DueDelivery | undefined> {
    if (Date.now() - this.#readAtMs >= freshMs) await this.#read();
    let next = this.#take();
    if (!next && Date.now() - this.#readAtMs >= pollMs) {
      await this.#read();
      next = this.#take();
    }
    return next;
  }

  async #read(): Promise<void> {
    // What is written while this reads may still look as if it were waiting.
    const inHand = new Set(this.#inHand.keys());
    const isFree = ({ id }: DueDelivery) => !inHand.has(id);
    const tx = new Transaction(this.#tenant, system);
    const [endpoint, registry, backlog] = await Promise.all([
      tx.find(Endpoints, { id: this.#endpointId }),
      findRegistry(tx),
      readBacklog(tx, this.#endpointId),
    ]);
    const secrets = registry ? await secretsOf(this.#tenant, registry, timestamp()) : [];
    this.#readAtMs = Date.now();
    this.#endpoint = endpoint;
    this.#signers = secrets.length > 0 ? (secrets.map(signer) as [Signer, Signer?]) : undefined;
    this.#backlog = { ...backlog, first: backlog.first.filter(isFree), retries: backlog.retries.filter(isFree) };
  }

  /** First attempts and retries take turns. A first attempt waits until the one before it of its subject is written. */
  #take(): DueDelivery | undefined {
    if (!this.#endpoint?.isActive || !this.#signers) return undefined;
    const { first, retries } = this.#backlog;
    const busy = new Set([...this.#inHand.values()].filter(isFirst).map(({ subject }) => subject));
    this.#startsWithRetry = !this.#startsWithRetry;
    for (const list of this.#startsWithRetry ? [retries, first] : [first, retries]) {
      for (const [index, entry] of list.entries()) {
        if (isFirst(entry) && busy.has(entry.subject)) continue;
        list.splice(index, 1);
        return entry;
      }
    }
    return undefined;
  }

  #start(delivery: DueDelivery): void {
    this.#nextStartMs = Math.max(this.#nextStartMs, Date.now()) + secondMs / maxPerSecond;
    this.#inHand.set(delivery.id, delivery);
    const work = this.#deliver(delivery)
      .then((result) => {
        this.#finished.push(result);
      })
      .catch((error: unknown) => {
        this.#fault ??= { error };
      })
      .finally(() => this.#inFlight.delete(work));
    this.#inFlight.add(work);
  }

  async #deliver(delivery: DueDelivery): Promise<Result> {
    const { url } = this.#endpoint as StoredEndpoint;
    const signers = this.#signers as [Signer, Signer?];
    const event = await this.#eventOf(delivery);
    if (!event) return { delivery, attempt: undefined };
    const made = await attempt(this.#outbound, url, delivery, event.body, signers);
    const { committedAt } = event;
    this.tally.attempts += 1;
    if (made.isSuccess) {
      this.tally.successes += 1;
      if (committedAt && delivery.replayOf === null)
        this.tally.latenciesMs.push(Math.max(0, Date.now() - new Date(committedAt).getTime()));
    }
    return { delivery, attempt: made };
  }

  async #eventOf({ id, sequence }: DueDelivery): Promise<(Pick<FeedEvent, 'body'> & Partial<FeedEvent>) | undefined> {
    const tx = new Transaction(this.#tenant, system);
    if (sequence !== null) return tx.find(Feed, { sequence });
    const body = (await tx.find(Deliveries, { endpointId: this.#endpointId, id }))?.body;
    return body ? { body } : undefined;
  }

  /** Writes what has finished, one transaction at a time, and renews the lease in time. */
  #settleFinished(): void {
    const mustRenew = Date.now() - this.#renewedAtMs > renewAfterMs;
    if (this.#settling || (this.#finished.length === 0 && !mustRenew)) return;
    const results = this.#finished.splice(0, maxSettled);
    const { openings } = this.#health;
    this.#settling = settle(this.#tenant, this.#endpointId, this.#owner, results)
      .then(({ health, isActive }) => {
        this.#health = health;
        if (!isActive) this.#readAtMs = 0;
        this.#renewedAtMs = Date.now();
        this.tally.breakerOpenings += Math.max(0, health.openings - openings);
        for (const { delivery } of results) this.#inHand.delete(delivery.id);
      })
      .catch((error: unknown) => {
        this.#fault ??= { error };
      })
      .finally(() => {
        this.#settling = undefined;
      });
  }

  /** Waits until something is finished or written, another may start, or it is time to look for new work. */
  async #progress(): Promise<void> {
    const pauseMs = this.#hasRoom() ? Math.min(pollMs, Math.max(1, this.#nextStartMs - Date.now())) : pollMs;
    const late = new AbortController();
    const waits = [...this.#inFlight, sleep(pauseMs, undefined, { signal: late.signal }).catch(() => {})];
    if (this.#settling) waits.push(this.#settling);
    await Promise.race(waits);
    late.abort();
  }

  /** Nothing is in hand: goes on with what there is, or gives the endpoint free. Returns whether to go on. */
  async #rest(): Promise<boolean> {
    const rest = await transact(this.#tenant, system, (tx) => this.#decide(tx));
    if (rest === 'over') return false;
    if (rest === 'clear') await clear(this.#tenant, this.#endpointId, this.#backlog);
    if (rest === 'replay') await expandReplays(this.#tenant, this.#endpointId);
    if (typeof rest === 'object') await sleep(rest.sleepMs);
    // What was read is the past now.
    this.#readAtMs = 0;
    return true;
  }

  async #decide(tx: Transaction): Promise<Rest> {
    const id = this.#endpointId;
    const [wake, health, endpoint, replays] = await Promise.all([
      tx.find(Wakes, { id }),
      tx.find(Healths, { id }),
      tx.find(Endpoints, { id }),
      tx.find(ReplayQueues, { id }),
    ]);
    if (!wake || health?.owner !== this.#owner) throw new LeaseLost();
    // After the wake: who adds work writes it last, so that this commit fails or this query sees the work.
    const backlog = await readBacklog(tx, id);
    this.#backlog = backlog;
    this.#health = health;
    const dueCount = backlog.first.length + backlog.retries.length;
    if (replays) return 'replay';
    if (!endpoint?.isActive && dueCount + backlog.later.length > 0) return 'clear';
    if (!endpoint) {
      tx.delete(Wakes, wake);
      tx.delete(Healths, health);
      return 'over';
    }
    const now = Date.now();
    const isOpen = health.openUntilMs > now;
    if (dueCount > 0 && !isOpen && !this.#isOver()) return 'deliver';
    const nextRetryMs = backlog.nextRetryAt === null ? Number.POSITIVE_INFINITY : Date.parse(backlog.nextRetryAt);
    if (dueCount === 0 && !isOpen && !this.#isOver() && nextRetryMs - now <= nearMs)
      return { sleepMs: Math.max(1, nextRetryMs - now) };
    const at = dueCount > 0 ? instant(now) : backlog.nextRetryAt;
    const lookAt = wake.lookAt !== null && wake.lookAt > instant(now) ? wake.lookAt : null;
    const notBefore = isOpen ? instant(health.openUntilMs) : null;
    tx.update(Wakes, { ...wake, at, lookAt, notBefore, isSlow: this.#isSlow() });
    tx.update(Healths, { ...health, owner: null, leaseUntilMs: 0 });
    return 'over';
  }
}

const isFirst = ({ attemptCount }: DueDelivery) => attemptCount === 0;

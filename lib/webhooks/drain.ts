import { setTimeout as sleep } from 'node:timers/promises';
import { nextDay, secondMs, timestamp } from '#lib/clock.ts';
import { Deliveries, type DueDelivery } from '#lib/entities/delivery.ts';
import { Feed, type FeedEvent } from '#lib/entities/feed-event.ts';
import { Endpoints, type StoredEndpoint } from '#lib/entities/webhook.ts';
import { type Dispatch, Dispatches, earliest, type Lane, laneOf } from '#lib/entities/webhook-dispatch.ts';
import { type Health, Healths } from '#lib/entities/webhook-health.ts';
import { ReplayQueues } from '#lib/entities/webhook-replays.ts';
import { log } from '#lib/log.ts';
import { type Outbound, openOutbound } from '#lib/network/outbound.ts';
import { type Grant, settle as giveBack, left, today, topUp } from '#lib/quotas/quota.ts';
import { isOwnReason } from '#lib/table/set-aside.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import { attempt } from './attempt.ts';
import { type Backlog, readBacklog, type Waiting } from './backlog.ts';
import { type DeliveryMetrics, newDeliveryMetrics } from './delivery-metrics.ts';
import { instant } from './dispatch.ts';
import { isSlow } from './health.ts';
import { acquire, type Lease, renewAfterMs } from './lease.ts';
import { clear, expandReplays, isDue, passOverDelivery, passOverUnreadable, retrySuspects, skip } from './leftovers.ts';
import { findRegistry, secretsOf } from './registry.ts';
import { faults, LeaseLost, type Result, requireLease, settle, type Written } from './settle.ts';
import { type Signer, signer } from './sign.ts';
import { countWaiting, forgetWaiting, readWaiting } from './waiting.ts';

const maxInFlight = 10;
const maxPerSecond = 50;
const maxSettled = 15;
/** Attempts that are taken from the quota at a time; a worker that dies takes them along. */
const maxGrant = 100;
/** How old what was read of the endpoint may be: url, secret, whether it is active. */
const freshMs = secondMs;
/** How often new work is looked for while slow attempts are under way. */
const pollMs = 250;
/** A further attempt this near is waited for. */
const nearMs = secondMs;

/**
 * Makes the due deliveries of an endpoint unless another process does: in event order per subject, at most ten at a time and fifty
 * a second. Goes on until nothing is due, the deadline has come or the breaker opens; what is left has its timer. Returns what
 * happened.
 */
export async function drain(
  tenant: Tenant,
  endpointId: number,
  lane: Lane,
  deadlineMs: number,
): Promise<DeliveryMetrics> {
  const lease = await acquire(tenant, endpointId);
  if (!lease) return newDeliveryMetrics();
  const outbound = openOutbound();
  const work = new Drain(tenant, endpointId, lane, deadlineMs, lease, outbound);
  try {
    await work.run();
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
  } finally {
    await Promise.all([outbound.close(), work.giveBack()]);
  }
  return work.metrics;
}

/** What there is to do next when nothing is in hand. */
type Rest = 'over' | 'deliver' | 'suspects' | 'clear' | 'skip' | 'replay' | { sleepMs: number };

class Drain {
  readonly metrics = newDeliveryMetrics();
  readonly #tenant: Tenant;
  readonly #endpointId: number;
  readonly #lane: Lane;
  readonly #deadlineMs: number;
  readonly #owner: string;
  readonly #outbound: Outbound;

  #health: Health;
  #dispatch: Dispatch;
  #endpoint: StoredEndpoint | undefined;
  #isActive = true;
  #signers: readonly [Signer, Signer?] | undefined;
  #backlog: Backlog = { first: [], retries: [], later: [], nextRetryAt: null, suspects: [] };
  #readAtMs = 0;
  #renewedAtMs = Date.now();
  #nextStartMs = 0;
  #startsWithRetry = false;

  /** Attempts that may still be made today, of those taken from the tenant's quota. */
  #grant: Grant = { day: '', amount: 0 };
  /** The day whose attempts are used up. */
  #spentDay = '';

  /** By delivery id: begun, or finished and not yet written; what another worker began is known by its id alone. */
  readonly #inHand = new Map<number, Waiting | undefined>();
  /** Begun, and to be made when the pace allows it. */
  #ready: Waiting[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  #finished: Result[] = [];
  #writing: Promise<void> | undefined;
  #fault: { error: unknown } | undefined;

  constructor(
    tenant: Tenant,
    endpointId: number,
    lane: Lane,
    deadlineMs: number,
    { owner, health, dispatch }: Lease,
    outbound: Outbound,
  ) {
    this.#tenant = tenant;
    this.#endpointId = endpointId;
    this.#lane = lane;
    this.#deadlineMs = deadlineMs;
    this.#owner = owner;
    this.#health = health;
    this.#dispatch = dispatch;
    this.#outbound = outbound;
  }

  async run(): Promise<void> {
    for (const id of this.#health.begun) {
      this.#inHand.set(id, undefined);
      this.#finished.push({ id, fault: faults.interrupted });
    }
    for (;;) {
      if (this.#fault) throw this.#fault.error;
      if (this.#writing === undefined) this.#write(await this.#next());
      if (this.#ready.length > 0 && !this.#mustHold() && Date.now() >= this.#nextStartMs)
        this.#start(this.#ready.shift() as Waiting);
      else if (this.#inHand.size > 0 || this.#writing !== undefined) await this.#progress();
      else if (!(await this.#rest())) return;
    }
  }

  /** What has begun is not made after all: the endpoint was disabled, or its breaker has opened. */
  #mustHold(): boolean {
    return !this.#isActive || this.#health.openUntilMs > Date.now();
  }

  /** Returns the attempts that were not made to the day's quota. */
  async giveBack(): Promise<void> {
    await giveBack(this.#tenant, 'deliveries', this.#grant, 0).catch((error) =>
      log().warn('attempts that were not made stay counted', error as Error),
    );
  }

  /** Whether one more may be begun now. After an opening of the breaker one at a time tries. */
  #hasRoom(): boolean {
    const { openings, openUntilMs } = this.#health;
    if (this.#isOver() || this.#isSpent() || openUntilMs > Date.now()) return false;
    return this.#inHand.size < (openings > 0 ? 1 : maxInFlight);
  }

  /** The rest is for the next process: the time is up, or the endpoint has changed lanes. */
  #isOver(): boolean {
    return Date.now() >= this.#deadlineMs || laneOf({ ...this.#dispatch, isSlow: this.#isSlow() }) !== this.#lane;
  }

  #isSlow(): boolean {
    return isSlow(this.#health, this.#dispatch.isSlow);
  }

  #isSpent(): boolean {
    return this.#spentDay === today();
  }

  /** What may begin now: as many as there is room for and as the day's quota allows. */
  async #next(): Promise<Waiting[]> {
    if (!this.#hasRoom()) return [];
    if (Date.now() - this.#readAtMs >= freshMs) await this.#read();
    let next = this.#takeAll();
    if (next.length === 0 && Date.now() - this.#readAtMs >= pollMs) {
      await this.#read();
      next = this.#takeAll();
    }
    return this.#affordable(next);
  }

  #takeAll(): Waiting[] {
    const taken: Waiting[] = [];
    while (this.#hasRoom()) {
      const next = this.#take();
      if (!next) break;
      this.#inHand.set(next.id, next);
      taken.push(next);
    }
    return taken;
  }

  /** Attempts are taken from the quota for all that is due, not one by one. */
  async #affordable(wanted: Waiting[]): Promise<Waiting[]> {
    if (wanted.length > this.#grant.amount) {
      const { first, retries } = this.#backlog;
      const due = wanted.length + first.length + retries.length;
      this.#grant = await topUp(this.#tenant, 'deliveries', this.#grant, Math.min(maxGrant, due));
      if (this.#grant.amount < wanted.length) this.#spentDay = this.#grant.day;
    }
    const affordable = wanted.slice(0, this.#grant.amount);
    this.#grant.amount -= affordable.length;
    for (const { id } of wanted.slice(affordable.length)) this.#inHand.delete(id);
    return affordable;
  }

  async #read(): Promise<void> {
    // What is written while this reads may still look as if it were waiting.
    const inHand = new Set(this.#inHand.keys());
    const isFree = ({ id }: Waiting) => !inHand.has(id);
    const tx = new UnitOfWork(this.#tenant, system);
    const [endpoint, registry, backlog] = await Promise.all([
      tx.find(Endpoints, { id: this.#endpointId }),
      findRegistry(tx),
      readBacklog(tx, this.#endpointId),
    ]);
    const secrets = registry ? await secretsOf(this.#tenant, registry, timestamp()) : [];
    this.#readAtMs = Date.now();
    this.#endpoint = endpoint;
    this.#isActive = endpoint?.isActive === true;
    this.#signers = secrets.length > 0 ? (secrets.map(signer) as [Signer, Signer?]) : undefined;
    this.#backlog = { ...backlog, first: backlog.first.filter(isFree), retries: backlog.retries.filter(isFree) };
  }

  /** First attempts and retries take turns. A first attempt waits until the one before it of its subject is written. */
  #take(): Waiting | undefined {
    if (!this.#endpoint?.isActive || !this.#signers) return undefined;
    const { first, retries } = this.#backlog;
    const busy = new Set([...this.#inHand.values()].flatMap((one) => (one && isFirst(one) ? [one.subject] : [])));
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

  #start(delivery: Waiting): void {
    this.#nextStartMs = Math.max(this.#nextStartMs, Date.now()) + secondMs / maxPerSecond;
    const work = this.#deliver(delivery)
      .catch((error: unknown): Result => {
        log().error('an attempt could not be made', { deliveryId: delivery.deliveryId, error: error as Error });
        return { ...delivery, fault: faults.unsendable };
      })
      .then((result) => {
        this.#finished.push(result);
      })
      .finally(() => this.#inFlight.delete(work));
    this.#inFlight.add(work);
  }

  async #deliver(delivery: Waiting): Promise<Result> {
    const { id, entry } = delivery;
    const { url } = this.#endpoint as StoredEndpoint;
    const signers = this.#signers as [Signer, Signer?];
    const event = await this.#eventOf(delivery);
    if (!event) return { id, entry };
    const made = await attempt(this.#outbound, url, delivery, event.body, signers);
    const { committedAt } = event;
    this.metrics.attempts += 1;
    if (made.isSuccess) {
      this.metrics.successes += 1;
      if (committedAt && delivery.replayOf === null)
        this.metrics.latenciesMs.push(Math.max(0, Date.now() - new Date(committedAt).getTime()));
    }
    return { id, entry, attempt: made };
  }

  async #eventOf({ id, sequence }: DueDelivery): Promise<(Pick<FeedEvent, 'body'> & Partial<FeedEvent>) | undefined> {
    const tx = new UnitOfWork(this.#tenant, system);
    if (sequence !== null) return tx.find(Feed, { sequence });
    const body = (await tx.find(Deliveries, { endpointId: this.#endpointId, id }))?.body;
    return body ? { body } : undefined;
  }

  /** Writes what has finished and what begins, one transaction at a time, and renews the lease in time. */
  #write(beginning: readonly Waiting[]): void {
    const mustRenew = Date.now() - this.#renewedAtMs > renewAfterMs;
    const released = this.#mustHold() ? this.#ready.splice(0).map(({ id }) => id) : [];
    if (this.#finished.length + beginning.length + released.length === 0 && !mustRenew) return;
    const results = this.#finished.splice(0, maxSettled);
    const { openings } = this.#health;
    this.#writing = this.#record({ results, beginning: beginning.map(({ id }) => id), released })
      .then(({ health, isActive }) => {
        this.#health = health;
        this.#isActive = isActive;
        if (!isActive) this.#readAtMs = 0;
        this.#renewedAtMs = Date.now();
        this.metrics.breakerOpenings += Math.max(0, health.openings - openings);
        for (const id of [...results.map((result) => result.id), ...released]) this.#inHand.delete(id);
        this.#grant.amount += released.length;
        this.#ready.push(...beginning);
      })
      .catch((error: unknown) => {
        this.#fault ??= { error };
      })
      .finally(() => {
        this.#writing = undefined;
      });
  }

  /** A result that cannot be written for a reason of its own keeps no other from being written. */
  async #record(written: Written): ReturnType<typeof settle> {
    const write = (what: Written) => settle(this.#tenant, this.#endpointId, this.#owner, what);
    const { results = [], ...others } = written;
    try {
      return await write(written);
    } catch (error) {
      if (results.length === 0 || !isOfItself(error)) throw error;
    }
    for (const result of results) {
      const { id, entry } = result;
      const resting = this.#backlog.suspects.length;
      await firstOf(
        () => write({ results: [result] }),
        () => write({ results: [{ id, entry, fault: faults.unrecordable }] }),
        (error) => passOverDelivery(this.#tenant, this.#endpointId, this.#owner, result, error, resting),
      );
    }
    return write(others);
  }

  /** Waits until something is finished or written, another may start, or it is time to look for new work. */
  async #progress(): Promise<void> {
    const isPacing = this.#ready.length > 0;
    const pauseMs = isPacing ? Math.min(pollMs, Math.max(1, this.#nextStartMs - Date.now())) : pollMs;
    const late = new AbortController();
    const waits = [...this.#inFlight, sleep(pauseMs, undefined, { signal: late.signal }).catch(() => {})];
    if (this.#writing !== undefined) waits.push(this.#writing);
    await Promise.race(waits);
    late.abort();
  }

  /** Nothing is in hand: goes on with what there is, or gives the endpoint free. Returns whether to go on. */
  async #rest(): Promise<boolean> {
    const rest = await transact(this.#tenant, system, (tx) => this.#decide(tx));
    if (rest === 'over') return false;
    try {
      await this.#goOn(rest);
    } catch (error) {
      const [tenant, id, owner] = [this.#tenant, this.#endpointId, this.#owner];
      if (!isOfItself(error) || (await passOverUnreadable(tenant, id, owner, this.#backlog)) === 0) throw error;
    }
    // What was read is the past now.
    this.#readAtMs = 0;
    return true;
  }

  async #goOn(rest: Exclude<Rest, 'over'>): Promise<void> {
    const [tenant, id] = [this.#tenant, this.#endpointId];
    if (rest === 'suspects') await retrySuspects(tenant, id, this.#owner, this.#backlog);
    if (rest === 'clear') await clear(tenant, id, this.#owner, this.#backlog);
    if (rest === 'skip') await skip(tenant, id, this.#owner, this.#backlog);
    if (rest === 'replay') {
      // A replay that could not be made today would only be skipped again.
      if ((await left(tenant, 'deliveries')) > 0) await expandReplays(tenant, id);
      else this.#spentDay = today();
    }
    if (typeof rest === 'object') await sleep(rest.sleepMs);
  }

  async #decide(tx: UnitOfWork): Promise<Rest> {
    const id = this.#endpointId;
    const [dispatch, health, endpoint, replays, waiting] = await Promise.all([
      tx.find(Dispatches, { id }),
      tx.find(Healths, { id }),
      tx.find(Endpoints, { id }),
      tx.find(ReplayQueues, { id }),
      readWaiting(tx),
    ]);
    if (!dispatch) throw new LeaseLost();
    requireLease(health, this.#owner);
    // After the dispatch: who adds work writes it last, so that this commit fails or this query sees the work.
    const backlog = await readBacklog(tx, id);
    this.#backlog = backlog;
    this.#health = health;
    const dueCount = backlog.first.length + backlog.retries.length;
    if (backlog.suspects.some(isDue)) return 'suspects';
    const replaysAt = this.#isSpent() ? instant(Date.parse(nextDay())) : (replays?.notBefore ?? instant(0));
    if (replays && !(endpoint && replaysAt > instant(Date.now()))) return 'replay';
    if (!endpoint?.isActive && dueCount + backlog.later.length > 0) return 'clear';
    const suspectAt = backlog.suspects.reduce<string | null>((first, { at }) => earliest(first, at), null);
    if (!endpoint && suspectAt === null) {
      tx.delete(Dispatches, dispatch);
      tx.delete(Healths, health);
      forgetWaiting(tx, id);
      return 'over';
    }
    const now = Date.now();
    if (dueCount > 0 && this.#isSpent()) return 'skip';
    const isOpen = health.openUntilMs > now;
    if (dueCount > 0 && !isOpen && !this.#isOver()) return 'deliver';
    const nextRetryMs = backlog.nextRetryAt === null ? Number.POSITIVE_INFINITY : Date.parse(backlog.nextRetryAt);
    if (dueCount === 0 && !isOpen && !this.#isOver() && nextRetryMs - now <= nearMs)
      return { sleepMs: Math.max(1, nextRetryMs - now) };
    // What was counted by an older version, or not, is put right where nothing waits.
    const waitingCount = dueCount + backlog.later.length + backlog.suspects.length;
    if (waitingCount === 0) countWaiting(tx, id, -(waiting.get(id) ?? 0), 'finished');
    const next = earliest(earliest(backlog.nextRetryAt, suspectAt), replays ? replaysAt : null);
    const at = dueCount > 0 ? instant(now) : next;
    const lookAt = dispatch.lookAt !== null && dispatch.lookAt > instant(now) ? dispatch.lookAt : null;
    const notBefore = isOpen ? instant(health.openUntilMs) : null;
    tx.update(Dispatches, { ...dispatch, at, lookAt, notBefore, isSlow: this.#isSlow() });
    tx.update(Healths, { ...health, owner: null, leaseUntilMs: 0 });
    return 'over';
  }
}

/** Whether a write failed for what it holds, not for the state of the table or of others. */
const isOfItself = (error: unknown) => !(error instanceof LeaseLost) && isOwnReason(error);

/** Tries one after the other until one is not refused for what it holds. */
async function firstOf(...ways: ((error?: unknown) => Promise<unknown>)[]): Promise<void> {
  let refusal: unknown;
  for (const [index, way] of ways.entries()) {
    try {
      await way(refusal);
      return;
    } catch (error) {
      if (index === ways.length - 1 || !isOfItself(error)) throw error;
      refusal = error;
      log().error('the outcome of an attempt could not be recorded', error as Error);
    }
  }
}

const isFirst = ({ attemptCount }: DueDelivery) => attemptCount === 0;

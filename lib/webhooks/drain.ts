import { now, secondMs, sleep } from '#lib/core/clock.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import type { Lane } from '#lib/entities/webhook-dispatch.ts';
import type { Health } from '#lib/entities/webhook-health.ts';
import { openOutbound } from '#lib/network/outbound.ts';
import { transact } from '#lib/table/transact.ts';
import { AttemptQuota } from './attempt-quota.ts';
import type { Waiting } from './backlog.ts';
import { type DeliveryMetrics, newDeliveryMetrics } from './delivery-metrics.ts';
import { clear, skip } from './discard.ts';
import { decide, type Next } from './idle.ts';
import { acquire, renewAfterMs } from './lease.ts';
import { Pending } from './pending.ts';
import { failUnreadable, isPoison } from './poison.ts';
import { record } from './record.ts';
import { expandReplays } from './replay.ts';
import { Sending } from './sending.ts';
import { faults, LeaseLost } from './settle.ts';
import { isOver, type Shift } from './shift.ts';

/** Begun, or finished and not yet written: their results are written some at a time. */
const maxInHand = 25;
/** Limit of one transaction. */
const maxSettled = 15;
/** A result waits so long for others that are written with it. */
const gatheringMs = 200;
/** When fewer are ready to be sent, the next ones are begun. */
const fewReady = 5;
/** How old what was read of the endpoint may be: URL, secret, whether it is active. */
const freshMs = secondMs;
/** How often new work is looked for while slow attempts are under way. */
const pollMs = 250;

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
  const { owner, dispatch, health } = lease;
  const shift: Shift = { tenant, endpointId, owner, lane, deadlineMs, dispatch };
  const outbound = openOutbound();
  const quota = new AttemptQuota(tenant);
  const sending = new Sending(shift, outbound);
  try {
    await new Drain(shift, quota, sending, health).run();
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
  } finally {
    await Promise.all([outbound.close(), quota.giveBack()]);
  }
  return sending.metrics;
}

/** A delivery goes from pending to in hand (written as begun), is sent, and is let go when its result is written. */
class Drain {
  readonly #shift: Shift;
  readonly #quota: AttemptQuota;
  readonly #sending: Sending;
  readonly #pending: Pending;
  /** By delivery id: begun, or finished and not yet written, which is known by its id alone. */
  readonly #inHand = new Map<number, Waiting | undefined>();
  #health: Health;
  #renewedAtMs = now();
  #writing: Promise<void> | undefined;
  #fault: { error: unknown } | undefined;

  constructor(shift: Shift, quota: AttemptQuota, sending: Sending, health: Health) {
    this.#shift = shift;
    this.#quota = quota;
    this.#sending = sending;
    this.#pending = new Pending(shift);
    this.#health = health;
  }

  async run(): Promise<void> {
    for (const id of this.#health.begun) {
      this.#inHand.set(id, undefined);
      this.#sending.addResult({ id, fault: faults.interrupted });
    }
    for (;;) {
      if (this.#fault) throw this.#fault.error;
      if (this.#writing === undefined) this.#write(await this.#begin());
      if (this.#sending.startsInMs <= 0 && !this.#mustHold()) await this.#start();
      else if (this.#inHand.size > 0 || this.#writing !== undefined) await this.#progress();
      else if (!(await this.#goOn())) return;
    }
  }

  /** Starts an attempt, or learns that the endpoint is not what it was when that was begun. */
  async #start(): Promise<void> {
    if (this.#pending.isTargetOlderThan(freshMs)) await this.#pending.readTarget();
    else this.#sending.start(this.#pending.target);
  }

  /** Returns whether attempts that have begun must be released: the endpoint was disabled, or its breaker has opened. */
  #mustHold(): boolean {
    return !this.#pending.isActive || this.#health.openUntilMs > now();
  }

  /** Whether one more may be begun now. After an opening of the breaker one at a time tries. */
  #hasRoom(): boolean {
    const { openings, openUntilMs } = this.#health;
    if (isOver(this.#shift, this.#health) || this.#quota.isSpent || openUntilMs > now()) return false;
    return this.#inHand.size < (openings > 0 ? 1 : maxInHand);
  }

  /** Returns the deliveries that may begin now, within the room left and the day's quota. */
  async #begin(): Promise<Waiting[]> {
    if (this.#sending.readyCount >= fewReady || !this.#hasRoom()) return [];
    if (this.#pending.isOlderThan(freshMs)) await this.#pending.read(this.#inHand.keys(), this.#health);
    let next = this.#takeAll();
    if (next.length === 0 && this.#pending.isOlderThan(pollMs)) {
      await this.#pending.read(this.#inHand.keys(), this.#health);
      next = this.#takeAll();
    }
    const affordable = await this.#quota.take(next.length, this.#pending.dueCount);
    for (const { id } of next.slice(affordable)) this.#inHand.delete(id);
    return next.slice(0, affordable);
  }

  #takeAll(): Waiting[] {
    const taken: Waiting[] = [];
    for (const id of this.#sending.finishedIds) this.#inHand.set(id, undefined);
    while (this.#hasRoom()) {
      const next = this.#pending.take(this.#inHand.values());
      if (!next) break;
      this.#inHand.set(next.id, next);
      taken.push(next);
    }
    return taken;
  }

  /** Whether results are written though nothing else is: enough of them, or no others are about to come. */
  #mustSettle(): boolean {
    const { resultCount, oldestResultMs, hasFailed, isIdle } = this.#sending;
    if (resultCount === 0) return false;
    // A failure may open the breaker.
    return resultCount >= maxSettled || hasFailed || isIdle || oldestResultMs >= gatheringMs;
  }

  /** Writes what has finished and what begins, one transaction at a time, and renews the lease in time. */
  #write(beginning: readonly Waiting[]): void {
    const mustRenew = now() - this.#renewedAtMs > renewAfterMs;
    const released = this.#mustHold() ? this.#sending.release() : [];
    const isAlone = beginning.length + released.length === 0 && !mustRenew;
    if (isAlone && !this.#mustSettle()) return;
    const results = this.#sending.takeResults(maxSettled);
    for (const { id } of results) this.#inHand.set(id, undefined);
    const { openings } = this.#health;
    const written = { results, beginning: beginning.map(({ id }) => id), released };
    this.#writing = record(this.#shift, written)
      .then(({ health, isActive }) => {
        this.#health = health;
        this.#pending.isActive = isActive;
        if (!isActive) this.#pending.expire();
        this.#renewedAtMs = now();
        this.#sending.metrics.breakerOpenings += Math.max(0, health.openings - openings);
        for (const id of [...results.map((result) => result.id), ...released]) this.#inHand.delete(id);
        this.#quota.putBack(released.length);
        this.#sending.add(beginning);
      })
      .catch((error: unknown) => {
        this.#fault ??= { error };
      })
      .finally(() => {
        this.#writing = undefined;
      });
  }

  /** Waits until something is finished or written, another may start, or it is time to look for new work. */
  async #progress(): Promise<void> {
    const pauseMs = Math.min(pollMs, Math.max(1, this.#sending.startsInMs));
    const late = new AbortController();
    const waits = [...this.#sending.inFlight, sleep(pauseMs, late.signal).catch(() => {})];
    if (this.#writing !== undefined) waits.push(this.#writing);
    await Promise.race(waits);
    late.abort();
  }

  /** Nothing is in hand: goes on with what there is, or the turn has ended. Returns whether to go on. */
  async #goOn(): Promise<boolean> {
    const { tenant, endpointId, owner } = this.#shift;
    const decided = await transact(tenant, system, (tx) => decide(tx, this.#shift, this.#quota.isSpent));
    if (decided.next === undefined) return false;
    this.#health = decided.health;
    this.#pending.backlog = decided.backlog;
    try {
      await this.#do(decided.next);
    } catch (error) {
      if (!isPoison(error) || (await failUnreadable(tenant, endpointId, owner, this.#pending.backlog)) === 0)
        throw error;
    }
    this.#pending.expire();
    return true;
  }

  async #do(next: Next): Promise<void> {
    const { tenant, endpointId, owner } = this.#shift;
    const { backlog } = this.#pending;
    if (next === 'fail-unreadable') await failUnreadable(tenant, endpointId, owner, backlog);
    if (next === 'clear') await clear(tenant, endpointId, owner, backlog);
    if (next === 'skip') await skip(tenant, endpointId, owner, backlog);
    // A replay that could not be made today would only be skipped again.
    if (next === 'replay' && (await this.#quota.hasLeft())) await expandReplays(tenant, endpointId);
    if (typeof next === 'object') await sleep(next.sleepMs);
  }
}

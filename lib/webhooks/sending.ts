import { now, secondMs } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { system } from '#lib/core/tenant.ts';
import { Deliveries, type DueDelivery } from '#lib/entities/delivery.ts';
import { Feed, type FeedEvent } from '#lib/entities/feed-event.ts';
import type { Outbound } from '#lib/network/outbound.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { attempt, type Target } from './attempt.ts';
import type { Waiting } from './backlog.ts';
import { newDeliveryMetrics } from './delivery-metrics.ts';
import { faults, type Result } from './settle.ts';
import type { Shift } from './shift.ts';

/** To one endpoint. */
const maxPerSecond = 50;
const maxInFlight = 10;

/**
 * The attempts of a worker from when they are written as begun until their results are to be written: ten at a time and fifty a second
 * at most.
 */
export class Sending {
  readonly metrics = newDeliveryMetrics();
  readonly #shift: Shift;
  readonly #outbound: Outbound;
  /** Begun, and to be made when the pace allows it. */
  #ready: Waiting[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  #finished: Result[] = [];
  /** When the first of them came. */
  #finishedSinceMs = 0;
  #nextStartMs = 0;

  constructor(shift: Shift, outbound: Outbound) {
    this.#shift = shift;
    this.#outbound = outbound;
  }

  /** Attempts to make in this order. */
  add(deliveries: readonly Waiting[]): void {
    this.#ready.push(...deliveries);
  }

  /** Adds the result of an attempt that another worker began. */
  addResult(result: Result): void {
    if (this.#finished.length === 0) this.#finishedSinceMs = now();
    this.#finished.push(result);
  }

  /** The attempts that were not made yet are not made after all. Returns their deliveries. */
  release(): number[] {
    return this.#ready.splice(0).map(({ id }) => id);
  }

  /** The results that are not taken yet, so many at most. */
  takeResults(max: number): Result[] {
    return this.#finished.splice(0, max);
  }

  get finishedIds(): number[] {
    return this.#finished.map(({ id }) => id);
  }

  /** Whether one of the results is none of success. */
  get hasFailed(): boolean {
    return this.#finished.some(({ attempt }) => !attempt?.isSuccess);
  }

  get resultCount(): number {
    return this.#finished.length;
  }

  /** How long the first of the results waits. */
  get oldestResultMs(): number {
    return now() - this.#finishedSinceMs;
  }

  get readyCount(): number {
    return this.#ready.length;
  }

  /** Nothing is under way, nor will be by itself. */
  get isIdle(): boolean {
    return this.#ready.length + this.#inFlight.size === 0;
  }

  /** Returns the attempts in flight, which end one by one. */
  get inFlight(): Iterable<Promise<void>> {
    return this.#inFlight;
  }

  /** When the pace allows the next one that is ready; infinite when none is, or when as many are under way as may be. */
  get startsInMs(): number {
    const mayStart = this.#ready.length > 0 && this.#inFlight.size < maxInFlight;
    return mayStart ? this.#nextStartMs - now() : Number.POSITIVE_INFINITY;
  }

  /** Makes the next attempt that is ready. */
  start(target: Target | undefined): void {
    const delivery = this.#ready.shift();
    if (delivery === undefined) return;
    this.#nextStartMs = Math.max(this.#nextStartMs, now()) + secondMs / maxPerSecond;
    const work = this.#deliver(delivery, target)
      .catch((error: unknown): Result => {
        log().error('an attempt could not be made', { deliveryId: delivery.deliveryId, error: error as Error });
        return { ...delivery, fault: faults.unsendable };
      })
      .then((result) => this.addResult(result))
      .finally(() => this.#inFlight.delete(work));
    this.#inFlight.add(work);
  }

  async #deliver(delivery: Waiting, target: Target | undefined): Promise<Result> {
    const { id, entry } = delivery;
    if (target === undefined) throw new Error('the endpoint has no URL or no secret');
    const event = await this.#eventOf(delivery);
    if (!event) return { id, entry };
    this.metrics.attempts += 1;
    const made = await attempt(this.#outbound, target, delivery, event.body);
    const { committedAt } = event;
    if (made.isSuccess) {
      this.metrics.successes += 1;
      if (committedAt && delivery.replayOf === null)
        this.metrics.latenciesMs.push(Math.max(0, now() - new Date(committedAt).getTime()));
    }
    return { id, entry, attempt: made, url: target.url };
  }

  async #eventOf({ id, sequence }: DueDelivery): Promise<(Pick<FeedEvent, 'body'> & Partial<FeedEvent>) | undefined> {
    const { tenant, endpointId } = this.#shift;
    const tx = new UnitOfWork(tenant, system);
    if (sequence !== null) return tx.find(Feed, { sequence });
    const body = (await tx.find(Deliveries, { endpointId, id }))?.body;
    return body ? { body } : undefined;
  }
}

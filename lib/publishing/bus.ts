import { now, secondMs } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { log } from '#lib/core/log.ts';
import { measure } from '#lib/core/metrics.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { busTimeoutMs } from '#lib/core/timeouts.ts';
import { BusBacklogs, BusRetries } from '#lib/entities/bus-backlog.ts';
import type { FeedEvent } from '#lib/entities/feed-event.ts';
import { giveAgain, giveLeft, type LeftEvents, leave } from '#lib/publishing/feed/backlog.ts';
import { isPermanent, reasonOf } from '#lib/table/dead-letter.ts';
import { putEvents } from './bus-put.ts';

/** After a failure the publisher leaves all to the worker for so long, and does not wait for a bus that does not answer. */
const restMs = 30 * secondMs;
let restsUntilMs = 0;

/** Under these lies what publishers and worker of one deployment measure together. */
export const busDimensions = (table: string) => ({ service: 'event-bus', table });

/**
 * Puts what the publisher has numbered on the operator's event bus, if there is one. What the bus does not take at once is left to a
 * worker, so that webhooks do not wait for it. At least once: a call that died half-way is repeated.
 */
export async function putOnBus(tenant: Tenant, events: readonly FeedEvent[]): Promise<void> {
  const bus = env('EVENT_BUS');
  if (bus === undefined || events.length === 0) return;
  const leftMs = restsUntilMs - now();
  // More than the whole rest is left where the clock was set back.
  if (leftMs <= 0 || leftMs > restMs) {
    try {
      return await putEvents(tenant, events, bus, 'once', AbortSignal.timeout(busTimeoutMs));
    } catch (error) {
      restsUntilMs = now() + restMs;
      failed(error);
    }
  }
  await leave({ left: BusBacklogs }, tenant, events);
}

const backlog: LeftEvents = {
  left: BusBacklogs,
  retries: BusRetries,
  give: (tenant, events) => {
    const bus = env('EVENT_BUS');
    // The operator has taken it away meanwhile: nobody waits for what is left.
    return bus === undefined || events.length === 0 ? Promise.resolve() : putEvents(tenant, events, bus, 'again');
  },
};

/** Puts what was left of a tenant on the bus; out of reach, it is tried again when the lease of this turn is over. */
export const putLeft = (tenant: Tenant): Promise<void> => unlessOutOfReach(giveLeft(backlog, tenant));

/** Puts an event on the bus that it has refused. */
export const putAgain = (tenant: Tenant, sequence: number): Promise<void> =>
  unlessOutOfReach(giveAgain(backlog, tenant, sequence));

/** The rows say when the next try is: their message has nothing to wait for. */
async function unlessOutOfReach(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (isPermanent(error)) throw error;
    failed(error);
  }
}

function failed(error: unknown): void {
  log().error('events could not be put on the event bus and wait', { reason: reasonOf(error) });
  measure(busDimensions(env('TABLE_NAME')), { busFailures: 1 });
}

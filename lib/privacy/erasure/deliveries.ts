import { now, secondMs } from '#lib/core/clock.ts';
import { deliverTimeoutSeconds } from '#lib/core/timeouts.ts';
import { Deliveries } from '#lib/entities/delivery.ts';
import { Feed } from '#lib/entities/feed-event.ts';
import { Endpoints } from '#lib/entities/webhook.ts';
import { type Health, Healths } from '#lib/entities/webhook-health.ts';
import { entityPartition } from '#lib/table/entity.ts';
import { listAll } from '#lib/table/list.ts';
import { pages } from '#lib/table/pages.ts';
import type { Row } from '#lib/table/rows.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { isErased } from './events.ts';
import { type Count, type Part, type Place, pagesPerPart } from './part.ts';

/**
 * Waits for the attempts that were under way when the last event lost its data: they may have sent it before, and their answers are
 * written when they end. Whoever begins one later reads what the event has left.
 */
export async function awaitAttempts(tx: UnitOfWork, { place }: { place: Place }): Promise<Part> {
  const nowMs = now();
  const healths = (await listAll(tx, Healths)).filter((health) => mayBeWritten(health, nowMs));
  const begun = healths.flatMap((health) => health.begun.map((deliveryId) => `${health.id}/${deliveryId}`));
  const left = place.begun?.filter((one) => begun.includes(one)) ?? begun;
  return left.length === 0 ? { isLeft: false } : { isLeft: true, place: { begun: left, isWaiting: true } };
}

/** Returns whether the owner of the lease may still write. An owner that has not renewed it by then has ended. */
const mayBeWritten = ({ leaseUntilMs }: Health, now: number) => leaseUntilMs + deliverTimeoutSeconds * secondMs > now;

/** Number of events that are read together. */
const pageSize = 100;

/** Removes the answers of endpoints to events that are erased or expired, because an answer may repeat the data. */
export async function eraseResponses(tx: UnitOfWork, { place }: { place: Place }, count: Count): Promise<Part> {
  const endpoints = (await listAll(tx, Endpoints)).map(({ id }) => id).sort((a, b) => a - b);
  let read = 0;
  for (const endpointId of endpoints.filter((id) => id >= (place.endpointId ?? 0))) {
    let below = endpointId === place.endpointId ? place.below : undefined;
    const left = (): Part => ({ isLeft: true, place: { endpointId, ...(below !== undefined && { below }) } });
    for await (const page of pages({
      pk: entityPartition(tx.tenant, Deliveries, { endpointId }),
      limit: pageSize,
      below,
    })) {
      const answered = page.filter((row) => row['sequence'] && hasAnswer(row));
      // Read aside: all of them together would be kept in memory.
      const reading = new UnitOfWork(tx.tenant, tx.actor);
      const events = await reading.findAll(
        Feed,
        answered.map((row) => ({ sequence: row['sequence'] as number })),
      );
      const kept = new Set(events.filter((event) => !isErased(event)).map(({ sequence }) => sequence));
      for (const row of answered) {
        if (kept.has(row['sequence'] as number)) continue;
        if (!tx.hasRoom) return left();
        const delivery = tx.remember(Deliveries, row);
        const attempts = delivery.attempts.map((one) => ({ ...one, responseHeaders: noHeaders }));
        tx.update(Deliveries, { ...delivery, responseBody: null, attempts });
        count('deliveries');
        below = row.sk;
      }
      below = page.at(-1)?.sk;
      read += 1;
      if (read === pagesPerPart) return left();
    }
  }
  return { isLeft: false };
}

const noHeaders = '{}';

/** Whether a row keeps something that an endpoint has answered. */
const hasAnswer = ({ responseBody, attempts }: Row): boolean =>
  Boolean(responseBody) ||
  (attempts as { responseHeaders?: string }[]).some(({ responseHeaders = noHeaders }) => responseHeaders !== noHeaders);

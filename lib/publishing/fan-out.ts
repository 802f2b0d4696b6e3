import { log } from '#lib/core/log.ts';
import { system, type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { Deliveries, DeliveryIds } from '#lib/entities/delivery.ts';
import type { FeedEvent } from '#lib/entities/feed-event.ts';
import { Endpoints, isSubscribed, type StoredEndpoint } from '#lib/entities/webhook.ts';
import { Dispatches } from '#lib/entities/webhook-dispatch.ts';
import { FanOuts } from '#lib/entities/webhook-fan-out.ts';
import { leave } from '#lib/publishing/feed/backlog.ts';
import { entityPartition } from '#lib/table/entity.ts';
import { pages } from '#lib/table/pages.ts';
import { remaining, take } from '#lib/table/quota.ts';
import type { Row } from '#lib/table/rows.ts';
import { parseStored } from '#lib/table/stored.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { createDelivery, deliveryIdOf, type NewDelivery } from '#lib/webhooks/deliveries.ts';
import { dispatchNow } from '#lib/webhooks/dispatch.ts';
import { applyFilter, filterByTags, type TagsByContact, tagsOfContacts } from '#lib/webhooks/filter.ts';
import { maxWaiting, readWaiting } from '#lib/webhooks/waiting.ts';

/** A delivery takes four actions at most, and a transaction has a hundred. */
const chunkSize = 20;
/** Difference allowed between the clocks of two functions: shorter than the time between two calls of a caller. */
const skewMs = 5;

/** Number of deliveries that may still be made at once. Calls that share a room take from it. */
export interface Room {
  deliveries: number;
}

/**
 * Makes one delivery of each event per subscribed endpoint whose filter it passes, and lets the endpoints know. May be called again
 * with the same events at any point: a delivery is made once. The events of a tenant must come in their order, one call after the other. What is beyond
 * the day's attempts, or too much for an endpoint that does not keep up, is stored as skipped. What is beyond the room, and what
 * follows it, is left to a worker (`leave`); without one everything is made.
 */
export async function fanOut(tenant: Tenant, events: readonly FeedEvent[], room?: Room): Promise<void> {
  if (events.length === 0) return;
  const tx = new UnitOfWork(tenant, system);
  const rows: Row[] = [];
  for await (const page of pages({ pk: entityPartition(tenant, Endpoints), ascending: true })) rows.push(...page);
  if (rows.length === 0) return;
  if (room) {
    const wanted = rows.length * events.length;
    if (wanted > room.deliveries || (await tx.find(FanOuts, { id: 1 })))
      return leave({ left: FanOuts }, tenant, events);
    room.deliveries -= wanted;
  }
  // None are left, too, while workers hold what they have taken in advance: then some are skipped a little early.
  const [attemptsLeft, waiting] = await Promise.all([
    remaining(tenant, 'deliveries'),
    readWaiting(UnitOfWork.forAnswer(tenant, system), events.length),
  ]);
  const wanted = new Map<StoredEndpoint, readonly FeedEvent[]>();
  // One endpoint may be unreadable: the deliveries of the others are made first.
  const failures: unknown[] = [];
  for (const row of rows) {
    try {
      const endpoint = parseStored(Endpoints, row);
      wanted.set(endpoint, eventsFor(endpoint, events));
    } catch (error) {
      failures.push(error);
    }
  }
  let tags: Promise<TagsByContact> | undefined;
  const outcomes = await Promise.allSettled(
    [...wanted].map(async ([endpoint, some]) => {
      const tagIds = endpoint.filter?.contactTagIds;
      if (tagIds && some.length > 0) tags ??= tagsOfContacts(tenant, eventsToCheckTags(wanted));
      const subscribed = tagIds && tags ? filterByTags(tagIds, some, await tags) : some;
      const freeCount = maxWaiting + 1 - (waiting.get(endpoint.id) ?? 0);
      await fanOutTo(tenant, endpoint, subscribed, (index) =>
        !endpoint.isActive ? 'disabled' : attemptsLeft === 0 ? 'quota' : index >= freeCount ? 'backlog' : undefined,
      );
    }),
  );
  for (const outcome of outcomes) if (outcome.status === 'rejected') failures.push(outcome.reason);
  if (failures.length > 0) throw failures[0];
}

/** Returns the events of an endpoint's kinds that pass its filter. Conditions on tags are applied later. */
function eventsFor(endpoint: StoredEndpoint, events: readonly FeedEvent[]): readonly FeedEvent[] {
  const fromMs = endpoint.registeredAtMs - skewMs;
  const subscribed = events.filter(
    ({ event, committedAt }) => isSubscribed(endpoint, event) && new Date(committedAt).getTime() >= fromMs,
  );
  return applyFilter(endpoint, subscribed);
}

/** Returns the events whose contacts' tags are asked for, each once. */
const eventsToCheckTags = (wanted: ReadonlyMap<StoredEndpoint, readonly FeedEvent[]>) =>
  new Set([...wanted].flatMap(([{ filter }, some]) => (filter?.contactTagIds ? some : [])));

type Skipping = (index: number) => NewDelivery['skipped'];

/** Creates an endpoint's deliveries in chunks, one after the other, so that ids rise with the sequence even after a crash. */
async function fanOutTo(
  tenant: Tenant,
  endpoint: StoredEndpoint,
  subscribed: readonly FeedEvent[],
  skipping: Skipping,
): Promise<void> {
  // Skipped endpoints come last. Deliveries that an earlier call made are not counted again.
  const areSkipped = subscribed.length > 0 && skipping(subscribed.length - 1) !== undefined;
  const made = areSkipped ? await findMade(tenant, endpoint.id, subscribed) : [];
  const known = new Set(made.map(({ deliveryId }) => deliveryId));
  const missing = subscribed.filter(({ id }) => !known.has(deliveryIdOf(tenant, endpoint.id, id)));
  const wanted = missing.map((event, index) => ({ event, skipped: skipping(index) }));
  const skippedCount = wanted.filter(({ skipped }) => skipped).length;
  const { amount } = skippedCount === 0 ? { amount: 0 } : await take(tenant, 'skippedDeliveries', skippedCount);
  // Deliveries that are not stored can be read from the feed.
  const stored = wanted.slice(0, wanted.length - skippedCount + amount);
  if (stored.length < wanted.length)
    log().error('more deliveries were skipped today than are stored', {
      tenant: tenantKey(tenant),
      endpointId: endpoint.id,
      left: wanted.length - stored.length,
    });
  for (let start = 0; start < stored.length; start += chunkSize)
    await createAll(tenant, endpoint.id, stored.slice(start, start + chunkSize));
  // After the deliveries, not with them: a query may for a moment see one half of a transaction, and whoever sees the endpoint
  // woken must also see what for. A crash in between is repaired by the next call, even if that one finds the endpoint disabled.
  const waiting = stored.filter(({ skipped }) => !skipped).length;
  if (made.length + waiting > 0) await transact(tenant, system, (tx) => dispatchNow(tx, endpoint.id, waiting));
}

/** Returns the deliveries of the events that an earlier call has made. */
const findMade = (tenant: Tenant, endpointId: number, events: readonly FeedEvent[]) =>
  new UnitOfWork(tenant, system).findAll(
    DeliveryIds,
    events.map(({ id }) => ({ endpointId, deliveryId: deliveryIdOf(tenant, endpointId, id) })),
  );

/** Creates the deliveries that are not there yet. */
function createAll(
  tenant: Tenant,
  endpointId: number,
  deliveries: readonly { event: FeedEvent; skipped: NewDelivery['skipped'] }[],
): Promise<void> {
  const ids = deliveries.map(({ event }) => deliveryIdOf(tenant, endpointId, event.id));
  return transact(tenant, system, async (tx) => {
    const [known, dispatch] = await Promise.all([
      tx.findAll(
        DeliveryIds,
        ids.map((deliveryId) => ({ endpointId, deliveryId })),
      ),
      tx.find(Dispatches, { id: endpointId }),
      tx.reserveIds({ [Deliveries.name]: deliveries.length }),
    ]);
    // Its worker has taken everything away that belonged to the deleted endpoint.
    if (!dispatch) return;
    const made = new Set(known.map(({ deliveryId }) => deliveryId));
    for (const [index, { event, skipped }] of deliveries.entries()) {
      const deliveryId = ids[index] as string;
      if (!made.has(deliveryId)) await createDelivery(tx, { endpointId, deliveryId, event, skipped });
    }
  });
}

import { createHash, randomUUID } from 'node:crypto';
import type * as v from 'valibot';
import { dayMs, now, secondMs, shifted } from '#lib/core/clock.ts';
import { conflict, invalidField, notFound } from '#lib/core/problem.ts';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';
import {
  Deliveries,
  type Delivery,
  type DeliveryDetail,
  DeliveryIds,
  type DeliveryQuery,
  type ReplayFailed,
  type StoredDelivery,
} from '#lib/entities/delivery.ts';
import { Feed, type FeedEvent } from '#lib/entities/feed-event.ts';
import { maxWaitingReplays, ReplayQueues } from '#lib/entities/webhook-replays.ts';
import { matching } from '#lib/table/conditions.ts';
import { entries } from '#lib/table/entries.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import { lastIdBy } from '#lib/table/search-time.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { countReadUnits } from '#lib/table/usage.ts';
import { dispatchSoon, instant } from './dispatch.ts';
import { headersOf } from './headers.ts';
import { getStoredEndpoint } from './store.ts';
import { countMade, maxWaiting } from './waiting.ts';

type DeliveryView = v.InferOutput<typeof Delivery>;

/** Returns the UUID of the delivery of an event to an endpoint: the same, however often the event is fanned out. */
export function deliveryIdOf(tenant: Tenant, endpointId: number, eventId: string): string {
  const bytes = createHash('sha256')
    .update(`${tenantKey(tenant)}/${endpointId}/${eventId}`)
    .digest()
    .subarray(0, 16);
  // Version 8 of RFC 9562: the bits are the application's own.
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** A delivery takes six actions at most, and a transaction has a hundred. */
export const maxPerTransaction = 12;

/** Why a delivery was skipped. */
export const skippedFor = {
  disabled: 'the endpoint was disabled',
  quota: 'the delivery attempts of the day were used up',
  backlog: `more than ${maxWaiting.toLocaleString('en')} deliveries were waiting for the endpoint`,
} as const;
type SkippedFor = keyof typeof skippedFor;

export interface NewDelivery {
  endpointId: number;
  deliveryId: string;
  event: Pick<FeedEvent, 'id' | 'subject'> & { event: string; sequence: number | null };
  /** Undefined when it is to be made. */
  skipped: SkippedFor | undefined;
  replayOf?: Pick<StoredDelivery, 'id' | 'deliveryId'>;
  /** Body of a test delivery. */
  body?: string;
}

/** Writes a delivery, four actions at most; a pending one also needs its endpoint woken. Ids come from the counter `delivery`. */
export async function createDelivery(tx: UnitOfWork, input: NewDelivery): Promise<StoredDelivery> {
  const { endpointId, deliveryId, event, skipped, replayOf, body } = input;
  const status = skipped === undefined ? 'pending' : 'skipped';
  const id = await tx.nextId(Deliveries);
  tx.create(DeliveryIds, { deliveryId, endpointId, id, createdAt: tx.now });
  return tx.create(Deliveries, {
    id,
    deliveryId,
    endpointId,
    eventKind: event.event,
    eventId: event.id,
    sequence: event.sequence,
    subject: event.subject,
    status,
    attemptCount: 0,
    nextAttemptAt: status === 'pending' ? instant(now()) : null,
    failedAt: null,
    responseStatus: null,
    responseBody: null,
    error: skipped === undefined ? null : skippedFor[skipped],
    durationMs: null,
    replayOfId: replayOf?.id ?? null,
    replayOf: replayOf?.deliveryId ?? null,
    createdAt: tx.now,
    completedAt: status === 'skipped' ? tx.now : null,
    attempts: [],
    signed: null,
    body: body ?? null,
    isReplayed: false,
  });
}

/** Returns a delivery as lists show it, with times to the second. */
export const toDeliveryView = (delivery: StoredDelivery): DeliveryView => ({
  ...delivery,
  nextAttemptAt: delivery.nextAttemptAt && `${delivery.nextAttemptAt.slice(0, 19)}Z`,
});

/** Returns a page of an endpoint's deliveries that pass `isShown`, in descending order of id. Raises 404 for the endpoint. */
export async function listDeliveries(
  tx: UnitOfWork,
  endpointId: number,
  query: v.InferOutput<typeof DeliveryQuery>,
  isShown: (delivery: StoredDelivery) => boolean,
): Promise<Page<DeliveryView>> {
  const within = { endpointId };
  const { since, until } = query;
  const [above, last] = await Promise.all([
    since === undefined ? undefined : lastIdBy(tx, Deliveries, within, shifted(since, -secondMs)),
    until === undefined ? undefined : lastIdBy(tx, Deliveries, within, until),
  ]);
  const before = [query.after, last === undefined ? undefined : last + 1].filter((id) => id !== undefined);
  const after = before.length > 0 ? Math.min(...before) : undefined;
  const listing = listingFrom(
    Deliveries,
    { ...query, after },
    {
      status: (status) =>
        status === 'succeeded'
          ? { matches: (delivery) => delivery.status === status }
          : { where: { status: { endpointId, status } } },
      // Ids rise with time: it is in `above`.
      since: () => ({}),
      // It is in `after`.
      until: () => ({}),
    },
  );
  const [page] = await Promise.all([
    listPage(tx, Deliveries, {
      ...listing,
      ...matching(listing.matches ?? false, isShown),
      ...(above !== undefined && { above }),
      within,
    }),
    getStoredEndpoint(tx, endpointId),
  ]);
  return { ...page, items: page.items.map(toDeliveryView) };
}

/** Returns a delivery by its integer id or its UUID. Raises 404, for the endpoint first. */
async function getStoredDelivery(tx: UnitOfWork, endpointId: number, key: string): Promise<StoredDelivery> {
  const [, delivery] = await Promise.all([getStoredEndpoint(tx, endpointId), findDelivery(tx, endpointId, key)]);
  if (!delivery) throw notFound('delivery');
  return delivery;
}

async function findDelivery(tx: UnitOfWork, endpointId: number, key: string): Promise<StoredDelivery | undefined> {
  if (/^\d{1,10}$/.test(key)) return tx.find(Deliveries, { endpointId, id: Number(key) });
  const found = await tx.find(DeliveryIds, { endpointId, deliveryId: key.toLowerCase() });
  return found && tx.find(Deliveries, { endpointId, id: found.id });
}

/** Returns a delivery with its attempts and the last request. Raises 404. */
export async function getDelivery(
  tx: UnitOfWork,
  endpointId: number,
  key: string,
): Promise<v.InferOutput<typeof DeliveryDetail>> {
  const delivery = await getStoredDelivery(tx, endpointId, key);
  const requestBody = delivery.body ?? (await bodyOf(tx, delivery.sequence));
  const { signed, attemptCount } = delivery;
  return {
    ...toDeliveryView(delivery),
    attempts: delivery.attempts.map((one) => ({ ...one, responseHeaders: JSON.parse(one.responseHeaders) })),
    requestHeaders: signed && headersOf(delivery, attemptCount, signed),
    requestBody,
  };
}

/** Returns the exact text of an event, or null once it is no longer kept. */
async function bodyOf(tx: UnitOfWork, sequence: number | null): Promise<string | null> {
  if (sequence === null) return null;
  return (await tx.find(Feed, { sequence }))?.body ?? null;
}

/** Delivers a finished delivery's event once more, as a new delivery. Raises 404, and 409 while the first is not finished. */
export async function replayDelivery(tx: UnitOfWork, endpointId: number, key: string): Promise<DeliveryView> {
  const [original, endpoint] = await Promise.all([
    getStoredDelivery(tx, endpointId, key),
    getStoredEndpoint(tx, endpointId),
  ]);
  if (original.status === 'pending' || original.status === 'retrying')
    throw conflict('delivery_in_progress', 'the delivery is still being tried: wait until it has succeeded or failed');
  const replay = await repeat(tx, original, endpoint.isActive);
  await dispatchSoon(tx, endpointId);
  return toDeliveryView(replay);
}

/** Writes the new delivery that repeats one, at most six actions. A replay to a disabled endpoint is skipped. */
export async function repeat(tx: UnitOfWork, original: StoredDelivery, isActive: boolean): Promise<StoredDelivery> {
  const { endpointId, eventId: id, eventKind: event, sequence, subject, body } = original;
  if (!original.isReplayed) tx.update(Deliveries, { ...original, isReplayed: true });
  if (isActive) await countMade(tx, endpointId, 1);
  return createDelivery(tx, {
    endpointId,
    deliveryId: randomUUID(),
    event: { id, event, sequence, subject },
    skipped: isActive ? undefined : 'disabled',
    replayOf: original,
    ...(body !== null && { body }),
  });
}

const maxReplays = 1000;
/** A replay is 14 write units after its call, and counts as so many read units in the minute of its key. */
const unitsOfReplay = 70;
/** Waiting to be replayed, in one row that is written again with every dozen. */
const maxAgeDays = 30;

/**
 * Queues what failed or was skipped since a time, and was not replayed yet, for replay: at most a thousand, oldest first, and no more
 * than five thousand wait. Calling again goes on with the next ones. Raises 404, 400.
 */
export async function replayFailed(
  tx: UnitOfWork,
  endpointId: number,
  asked: v.InferOutput<typeof ReplayFailed>,
): Promise<{ queued: number }> {
  const { since } = asked;
  const [waiting] = await Promise.all([tx.find(ReplayQueues, { id: endpointId }), getStoredEndpoint(tx, endpointId)]);
  if (new Date(since).getTime() < now() - maxAgeDays * dayMs)
    throw invalidField('since', 'out_of_range', `since must be within the last ${maxAgeDays} days`);
  const known = waiting?.deliveryIds ?? [];
  const ids = (await readReplayable(tx, endpointId, asked, known)).slice(0, maxWaitingReplays - known.length);
  if (ids.length === 0) return { queued: 0 };
  tx.afterwards(async () => countReadUnits(ids.length * unitsOfReplay));
  if (waiting) tx.update(ReplayQueues, { ...waiting, deliveryIds: [...waiting.deliveryIds, ...ids] });
  else tx.create(ReplayQueues, { id: endpointId, deliveryIds: ids });
  await dispatchSoon(tx, endpointId);
  return { queued: ids.length };
}

async function readReplayable(
  tx: UnitOfWork,
  endpointId: number,
  { since, eventKind }: v.InferOutput<typeof ReplayFailed>,
  waiting: readonly number[],
) {
  const known = new Set(waiting);
  const ids: number[] = [];
  const range = { ascending: true, above: since, limit: maxReplays + known.size };
  for await (const page of entries(tx, Deliveries, { replayable: { endpointId } }, range)) {
    const wanted = page.filter((entry) => eventKind === undefined || entry['eventKind'] === eventKind);
    ids.push(...wanted.map((entry) => entry['id'] as number).filter((id) => !known.has(id)));
    if (ids.length >= maxReplays) break;
  }
  return ids.slice(0, maxReplays);
}

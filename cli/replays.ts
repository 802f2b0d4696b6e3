import { setTimeout as wait } from 'node:timers/promises';
import { ApiError, type CrmClient, type Schema } from '#client/index.ts';

/** What the API has repeated or tried out at an endpoint: no event of the feed says so. */
export interface Repeated {
  delivery: Schema<'Delivery'>;
  /** The event's exact text. */
  body: string;
  /** The `deliveryId` of the one that it repeats. */
  replayOf: string | null;
}

/** For each endpoint a call. */
const perEndpointMs = 1000;

/** Replays, and deliveries of `webhook.test`, that the registered endpoints get from now on. */
export async function* repeatedDeliveries(crm: CrmClient, signal: AbortSignal): AsyncGenerator<Repeated, void> {
  const newest = new Map<number, number>();
  for (let isFirst = true; ; isFirst = false) {
    let looked = 1;
    try {
      for await (const { id } of crm.list('/v1/webhooks', { signal })) {
        looked += 1;
        const known = newest.get(id) ?? (isFirst ? undefined : 0);
        const found = await deliveriesAfter(crm, id, known, signal);
        newest.set(id, found[0]?.id ?? known ?? 0);
        if (known === undefined) continue;
        for (const delivery of found.toReversed()) {
          if (delivery.replayOfId === null && delivery.eventKind !== 'webhook.test') continue;
          const { requestBody } = await deliveryOf(crm, id, delivery.id, signal);
          if (requestBody === null) continue;
          const original = delivery.replayOfId && (await deliveryOf(crm, id, delivery.replayOfId, signal));
          yield { delivery, body: requestBody, replayOf: original ? original.deliveryId : null };
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      // An endpoint was deleted, or the API is away, of which the feed's reader tells.
      if (error instanceof ApiError && error.status !== 404 && error.status !== 429 && error.status < 500) throw error;
    }
    await wait(Math.max(2, looked) * perEndpointMs, undefined, { signal });
  }
}

/** Newest first; only the newest one where none is known. */
async function deliveriesAfter(crm: CrmClient, id: number, known: number | undefined, signal: AbortSignal) {
  const found: Schema<'Delivery'>[] = [];
  const params = { path: { id }, query: { limit: known === undefined ? 1 : 25 } };
  for await (const delivery of crm.list('/v1/webhooks/{id}/deliveries', { params, signal })) {
    if (known !== undefined && delivery.id <= known) break;
    found.push(delivery);
    if (known === undefined) break;
  }
  return found;
}

const deliveryOf = (crm: CrmClient, id: number, deliveryId: number, signal: AbortSignal) =>
  crm.get('/v1/webhooks/{id}/deliveries/{deliveryId}', {
    params: { path: { id, deliveryId: String(deliveryId) } },
    signal,
  });

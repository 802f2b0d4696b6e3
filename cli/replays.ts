import { setTimeout as wait } from 'node:timers/promises';
import { ApiError, type CrmClient, type Schema } from '../client/index.ts';

type Delivery = Schema<'Delivery'>;

/** Replay or test of the API at an endpoint, which is not in the feed. */
interface Repeated {
  kind: string;
  /** The event's exact text. */
  body: string;
  /** The `deliveryId` of the one that it repeats. */
  replayOf: string | null;
}

/** For each endpoint a call. */
const perEndpointMs = 1000;

/** The newest delivery of every endpoint: by its id, 0 where there is none. */
export async function newestDeliveries(crm: CrmClient): Promise<Map<number, number>> {
  const newest = new Map<number, number>();
  for await (const { id } of crm.list('/v1/webhooks')) {
    const params = { path: { id }, query: { limit: 1 } };
    const { items } = await crm.get('/v1/webhooks/{id}/deliveries', { params });
    newest.set(id, items[0]?.id ?? 0);
  }
  return newest;
}

/** Replays, and deliveries of `webhook.test`, that the registered endpoints get after those. */
export async function* repeatedDeliveries(
  crm: CrmClient,
  newest: Map<number, number>,
  signal: AbortSignal,
): AsyncGenerator<Repeated, void> {
  for (;;) {
    let looked = 1;
    try {
      for await (const { id } of crm.list('/v1/webhooks', { signal })) {
        looked += 1;
        for (const delivery of await deliveriesAfter(crm, id, newest.get(id) ?? 0, signal)) {
          const repeated = await repeatedBy(crm, delivery, signal);
          newest.set(id, delivery.id);
          if (repeated) yield repeated;
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

/** Oldest first. */
async function deliveriesAfter(crm: CrmClient, id: number, known: number, signal: AbortSignal): Promise<Delivery[]> {
  const found: Delivery[] = [];
  for await (const delivery of crm.list('/v1/webhooks/{id}/deliveries', { params: { path: { id } }, signal })) {
    if (delivery.id <= known) break;
    found.push(delivery);
  }
  return found.reverse();
}

async function repeatedBy(
  crm: CrmClient,
  { id, endpointId, eventKind: kind, replayOfId }: Delivery,
  signal: AbortSignal,
): Promise<Repeated | undefined> {
  if (replayOfId === null && kind !== 'webhook.test') return undefined;
  const find = (deliveryId: number) =>
    crm.get('/v1/webhooks/{id}/deliveries/{deliveryId}', {
      params: { path: { id: endpointId, deliveryId: String(deliveryId) } },
      signal,
    });
  const { requestBody: body } = await find(id);
  if (body === null) return undefined;
  return { kind, body, replayOf: replayOfId === null ? null : (await find(replayOfId)).deliveryId };
}

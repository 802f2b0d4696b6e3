import { randomUUID } from 'node:crypto';
import type * as v from 'valibot';
import { oncePer } from '#lib/core/async.ts';
import { secondMs } from '#lib/core/clock.ts';
import { testTimeoutSeconds } from '#lib/core/timeouts.ts';
import { Deliveries, type TestedDelivery } from '#lib/entities/delivery.ts';
import { Healths } from '#lib/entities/webhook-health.ts';
import type { EventKind } from '#lib/events/kinds.ts';
import { exampleOf } from '#lib/events/kinds.ts';
import { openOutbound } from '#lib/network/outbound.ts';
import { reserve } from '#lib/table/quota.ts';
import { inSlot } from '#lib/table/slots.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Attempt, attempt, type Target } from './attempt.ts';
import { createDelivery, toDeliveryView } from './deliveries.ts';
import { endPause } from './pause.ts';
import { getRegistry, headersOfEndpoint, secretsOf } from './registry.ts';
import { finish, withAttempt } from './settle.ts';
import { type Signer, signer } from './sign.ts';
import { getStoredEndpoint } from './store.ts';

interface Sent {
  deliveryId: string;
  eventId: string;
  body: string;
  made: Attempt;
}

const once = oncePer<object, Sent>();

/**
 * Sends the example of an event kind now, once, and keeps it as a delivery. It counts for no failure of the endpoint, which
 * may be disabled; a success ends the pause of an endpoint that has failed. Raises 404, and 429 when the attempts of the day are used up or too many such calls are under way. Needs the key.
 */
export async function testEndpoint(
  tx: UnitOfWork,
  id: number,
  kind: EventKind,
  request: object,
): Promise<v.InferOutput<typeof TestedDelivery>> {
  const [endpoint, registry, health] = await Promise.all([
    getStoredEndpoint(tx, id),
    getRegistry(tx),
    tx.find(Healths, { id }),
  ]);
  const [secrets, headers] = await Promise.all([
    secretsOf(tx.tenant, endpoint.signing ?? registry, tx.now),
    headersOfEndpoint(tx.tenant, endpoint),
  ]);
  const target = { url: endpoint.url, headers, signers: secrets.map(signer) as [Signer, Signer?] };
  const { deliveryId, eventId, body, made } = await once(request, () =>
    inSlot(tx.tenant, testTimeoutSeconds * secondMs, () => send(tx, id, target, kind)),
  );
  const event = { id: eventId, event: kind, sequence: null, subject: `webhook/${id}` };
  const row = await createDelivery(tx, { endpointId: id, deliveryId, event, skipped: undefined, body });
  const delivery = finish(tx, withAttempt(row, made), made.isSuccess ? 'succeeded' : 'failed');
  if (health) {
    const lastSuccessAt = made.isSuccess ? tx.now : health.lastSuccessAt;
    const tested = { ...health, lastDeliveryAt: tx.now, lastSuccessAt };
    tx.update(Healths, made.isSuccess ? await endPause(tx, tested) : tested);
  }
  return { delivery: toDeliveryView(tx.update(Deliveries, delivery)) };
}

async function send(tx: UnitOfWork, endpointId: number, target: Target, kind: EventKind): Promise<Sent> {
  const deliveryId = randomUUID();
  const eventId = `evt_${randomUUID().replaceAll('-', '')}0`;
  const { data } = exampleOf(kind);
  const body = JSON.stringify({
    event: kind,
    id: eventId,
    timestamp: tx.now,
    sequence: null,
    livemode: tx.tenant.env === 'live',
    data: kind === 'webhook.test' ? { ...data, endpoint_id: String(endpointId) } : data,
  });
  await reserve(tx.tenant, 'deliveries', 1);
  const outbound = openOutbound();
  try {
    const delivery = {
      id: 0,
      deliveryId,
      eventKind: kind,
      sequence: null,
      subject: '',
      attemptCount: 0,
      replayOf: null,
    };
    return { deliveryId, eventId, body, made: await attempt(outbound, target, delivery, body) };
  } finally {
    await outbound.close();
  }
}

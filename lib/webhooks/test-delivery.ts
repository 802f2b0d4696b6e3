import { randomUUID } from 'node:crypto';
import type * as v from 'valibot';
import { exampleOf } from '#lib/events/examples.ts';
import type { EventKind } from '#lib/events/kinds.ts';

import { openOutbound } from '#lib/network/outbound.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { type Attempt, attempt } from './attempt.ts';
import { createDelivery, shownDelivery } from './deliveries.ts';
import { Deliveries, type TestedDelivery } from './delivery.ts';
import { Healths } from './health.ts';
import { getRegistry, secretsOf } from './registry.ts';
import { finished, recorded } from './settle.ts';
import { type Signer, signer } from './sign.ts';
import { getStoredEndpoint } from './store.ts';

interface Sent {
  deliveryId: string;
  eventId: string;
  body: string;
  made: Attempt;
}

/** A unit of work may run again after a conflict; what a request has sent stays sent. */
const sentFor = new WeakMap<object, Promise<Sent>>();

/**
 * Sends the example of an event kind now, once, and keeps it as a delivery. It counts for no failure of the endpoint, which
 * may be disabled. Raises 404. Needs `kms`.
 */
export async function testEndpoint(
  tx: Transaction,
  id: number,
  kind: EventKind,
  request: object,
): Promise<v.InferOutput<typeof TestedDelivery>> {
  const [{ url }, registry, health] = await Promise.all([
    getStoredEndpoint(tx, id),
    getRegistry(tx),
    tx.find(Healths, { id }),
  ]);
  const secrets = await secretsOf(tx.tenant, registry, tx.now);
  const sending = sentFor.get(request) ?? send(tx, id, url, kind, secrets.map(signer) as [Signer, Signer?]);
  sentFor.set(request, sending);
  const { deliveryId, eventId, body, made } = await sending;
  const event = { id: eventId, event: kind, sequence: null, subject: `webhook/${id}` };
  const row = await createDelivery(tx, { endpointId: id, deliveryId, event, status: 'pending', body });
  const delivery = finished(tx, recorded(row, made), made.isSuccess ? 'succeeded' : 'failed');
  if (health) {
    const lastSuccessAt = made.isSuccess ? tx.now : health.lastSuccessAt;
    tx.update(Healths, { ...health, lastDeliveryAt: tx.now, lastSuccessAt });
  }
  return { delivery: shownDelivery(tx.update(Deliveries, delivery)) };
}

async function send(
  tx: Transaction,
  endpointId: number,
  url: string,
  kind: EventKind,
  signers: readonly [Signer, Signer?],
): Promise<Sent> {
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
    return { deliveryId, eventId, body, made: await attempt(outbound, url, delivery, body, signers) };
  } finally {
    await outbound.close();
  }
}

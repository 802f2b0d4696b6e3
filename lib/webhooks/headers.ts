import type { DueDelivery } from '#lib/entities/delivery.ts';
import type { Signatures } from './sign.ts';

/** The headers of one attempt (base document, "Events"; contract section 14, "Sending"). */
export const headersOf = (
  { deliveryId, eventKind, replayOf }: Pick<DueDelivery, 'deliveryId' | 'eventKind' | 'replayOf'>,
  attempt: number,
  { timestamp, simple, previous, standard }: Signatures,
): Record<string, string> => ({
  'Content-Type': 'application/json',
  'User-Agent': 'crm-api-webhooks/1',
  'X-SVC-Event': eventKind,
  'X-SVC-Delivery': deliveryId,
  'X-SVC-Timestamp': String(timestamp),
  'X-SVC-Signature': simple,
  ...(previous !== null && { 'X-SVC-Signature-Previous': previous }),
  'X-SVC-Attempt': String(attempt),
  ...(replayOf !== null && { 'X-SVC-Replay-Of': replayOf }),
  'webhook-id': deliveryId,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': standard,
});

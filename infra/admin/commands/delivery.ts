import * as v from 'valibot';
import { id, text } from '#lib/core/schema.ts';
import { Delivery } from '#lib/entities/delivery.ts';
import { replayDelivery } from '#lib/webhooks/deliveries.ts';
import { asOperator, tenantFields } from './operator.ts';

/** A delivery by its UUID or its integer id, as in the API. */
const Replay = v.object({
  ...tenantFields,
  webhookId: id(),
  deliveryId: v.union([
    text(36),
    v.pipe(
      id(),
      v.transform((given) => String(given)),
    ),
  ]),
});

/** Prints the new delivery as the API shows it. */
const replay = async ({ webhookId, deliveryId, ...tenant }: v.InferOutput<typeof Replay>) =>
  v.parse(Delivery, await asOperator(tenant, (tx) => replayDelivery(tx, webhookId, deliveryId)));

export const commands = { replay: { input: Replay, run: replay } };

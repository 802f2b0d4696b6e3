import { exampleOf } from '#lib/events/examples.ts';
import { type EventKind, eventKinds } from '#lib/events/kinds.ts';
import { Event } from '#lib/events/list.ts';
import type { JsonSchema, SchemaComponents } from './schemas.ts';

const text = { type: 'string' };

/** What every delivery carries, by component name (contract section 14, "Sending"). */
export const deliveryHeaders = {
  DeliveryEvent: header('X-SVC-Event', 'The event kind'),
  DeliveryId: header(
    'X-SVC-Delivery',
    'Names this delivery: the same in every attempt, so that one can be told from a repetition',
    {
      type: 'string',
      format: 'uuid',
    },
  ),
  DeliveryAttempt: header('X-SVC-Attempt', 'From 1'),
  DeliveryTimestamp: header('X-SVC-Timestamp', 'Unix seconds of this attempt'),
  DeliverySignature: header(
    'X-SVC-Signature',
    '`sha256=` and the hexadecimal HMAC-SHA256 of the body, keyed with the secret as it is given',
  ),
  DeliverySignaturePrevious: header(
    'X-SVC-Signature-Previous',
    'The same with the secret before, during the grace of a rotation',
    text,
    false,
  ),
  DeliveryReplayOf: header(
    'X-SVC-Replay-Of',
    'The delivery that this one repeats',
    { type: 'string', format: 'uuid' },
    false,
  ),
  DeliveryWebhookId: header('webhook-id', 'X-SVC-Delivery, as Standard Webhooks name it'),
  DeliveryWebhookTimestamp: header('webhook-timestamp', 'X-SVC-Timestamp, as Standard Webhooks name it'),
  DeliveryWebhookSignature: header(
    'webhook-signature',
    'The signature of Standard Webhooks; two of them during the grace of a rotation',
  ),
};

function header(name: string, description: string, schema: JsonSchema = text, required = true) {
  return { name, in: 'header', required, description, schema };
}

const answers = {
  '2XX': { description: 'Taken; the whole answer must be there within 5 seconds' },
  '410': { description: 'The endpoint is disabled at once' },
  default: { description: 'Not taken: tried again, ten times within three days; `Retry-After` is respected' },
};

/** What an endpoint is sent: one operation for each event kind. */
export const webhooksOf = (components: SchemaComponents) =>
  Object.fromEntries(
    (Object.keys(eventKinds) as EventKind[]).map((kind) => [kind, { post: operationOf(kind, components) }]),
  );

const operationOf = (kind: EventKind, components: SchemaComponents) => ({
  operationId: `on${kind.replaceAll(/(?:^|[._])(.)/g, (_, letter: string) => letter.toUpperCase())}`,
  summary: eventKinds[kind],
  tags: ['webhooks'],
  security: [],
  parameters: Object.keys(deliveryHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  requestBody: {
    required: true,
    content: { 'application/json': { schema: bodyOf(kind, components), example: exampleOf(kind) } },
  },
  responses: answers,
});

/** A test is no event of the feed and has no number in it. */
function bodyOf(kind: EventKind, components: SchemaComponents): JsonSchema {
  const event = components.output(Event);
  if (kind !== 'webhook.test') return event;
  const schema = components.resolve(event) as { properties: JsonSchema };
  return { ...schema, properties: { ...schema.properties, sequence: { type: 'null' } } };
}

import * as v from 'valibot';
import { cursor } from '#lib/core/schema.ts';
import { type EventKind, eventKinds, exampleOf } from '#lib/events/kinds.ts';
import { eventKindNames } from '#lib/events/names.ts';
import { AnyEvent } from '#lib/publishing/feed/list.ts';
import type { JsonSchema } from './inner.ts';
import type { SchemaComponents } from './schemas.ts';

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

const pascalCase = (kind: string) => kind.replaceAll(/(?:^|[._])(.)/g, (_, letter: string) => letter.toUpperCase());

const { erased, truncated, ...head } = AnyEvent.entries;

/** A test is no event of the feed and has no number in it. */
const bodyOf = (kind: EventKind) =>
  v.pipe(
    v.object({
      ...head,
      event: v.literal(kind),
      ...(kind === 'webhook.test' ? { sequence: v.nullable(cursor()) } : {}),
      data: eventKinds[kind].data,
      truncated,
    }),
    v.examples([exampleOf(kind)]),
    v.title(`${pascalCase(kind)}Event`),
  );

const Event = v.pipe(
  v.variant('event', eventKindNames.map(bodyOf) as never),
  v.description('An event as it happened: `event` says which.'),
  v.title('Event'),
);

const ErasedEvent = v.pipe(
  v.object({ ...head, data: v.object({ contact_id: v.nullable(v.string()) }), erased: v.literal(true) }),
  v.description('What is left of an event whose contact was erased: look for `erased` before `event`.'),
  v.title('ErasedEvent'),
);

/** Tells the components what an event is, kind by kind; the API itself passes on whatever a newer version has written. */
export const describeEvents = (components: SchemaComponents) =>
  components.describe(
    v.pipe(
      v.union([Event, ErasedEvent]),
      v.description('What the feed lists and endpoints are sent.'),
      v.title('AnyEvent'),
    ),
  );

/** Not `webhooks`, whose operations openapi-generator would overwrite with these (its issue 20346). */
export const webhookTag = { name: 'webhook-events', description: 'What endpoints are sent' };

/** What an endpoint is sent: one operation for any event, and one for each kind. */
export const webhooksOf = (components: SchemaComponents) => ({
  event: operationOf('Event', 'Any of the events below', components.output(AnyEvent), exampleOf('message.created')),
  ...Object.fromEntries(
    eventKindNames.map((kind) => [
      kind,
      operationOf(pascalCase(kind), eventKinds[kind].description, components.output(bodyOf(kind)), exampleOf(kind)),
    ]),
  ),
});

const operationOf = (name: string, summary: string, schema: JsonSchema, example: object) => ({
  post: {
    operationId: `on${name}`,
    summary,
    tags: [webhookTag.name],
    security: [],
    parameters: Object.keys(deliveryHeaders).map((header) => ({ $ref: `#/components/parameters/${header}` })),
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: answers,
  },
});

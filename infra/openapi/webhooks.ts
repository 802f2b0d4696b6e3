import * as v from 'valibot';
import { cursor } from '#lib/core/schema.ts';
import { type EventKind, eventKinds, exampleOf } from '#lib/events/kinds.ts';
import { eventKindNames } from '#lib/events/names.ts';
import { AnyEvent } from '#lib/publishing/feed/list.ts';
import type { JsonSchema } from './inner.ts';
import type { SchemaComponents } from './schemas.ts';

const text = { type: 'string' };
const uuid = { type: 'string', format: 'uuid' };

/** The headers of every delivery, by component name (contract section 14, "Sending"). */
export const deliveryHeaders = {
  DeliveryEvent: header('X-SVC-Event'),
  DeliveryId: header('X-SVC-Delivery', uuid),
  DeliveryAttempt: header('X-SVC-Attempt'),
  DeliveryTimestamp: header('X-SVC-Timestamp'),
  DeliverySignature: header('X-SVC-Signature'),
  DeliverySignaturePrevious: header('X-SVC-Signature-Previous', text, false),
  DeliveryReplayOf: header('X-SVC-Replay-Of', uuid, false),
  DeliveryWebhookId: header('webhook-id'),
  DeliveryWebhookTimestamp: header('webhook-timestamp'),
  DeliveryWebhookSignature: header('webhook-signature'),
};

function header(name: string, schema: JsonSchema = text, required = true) {
  return { name, in: 'header', required, schema };
}

const answers = {
  '2XX': { description: 'The event was taken. The whole answer must arrive within 5 seconds.' },
  '410': { description: 'The receiver is gone for good: the endpoint is disabled at once.' },
  default: {
    description:
      'The event was not taken. It is sent again, ten times within about three days, and `Retry-After` is respected.',
  },
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
  v.description('An event. `event` says of which kind it is.'),
  v.title('Event'),
);

const ErasedEvent = v.pipe(
  v.object({ ...head, data: v.object({ contact_id: v.nullable(v.string()) }), erased: v.literal(true) }),
  v.description('An event whose data was erased with its contact. Look for `erased` before `event`.'),
  v.title('ErasedEvent'),
);

/** New kinds come without notice: whoever reads a page by this document reads them, too. */
const OtherEvent = v.pipe(
  v.object({ ...head, event: v.string(), data: v.record(v.string(), v.unknown()) }),
  v.description('An event of a kind that this document does not name.'),
  v.title('OtherEvent'),
);

/** Tells the components what an event is, kind by kind; the API itself passes on whatever a newer version has written. */
export const describeEvents = (components: SchemaComponents) =>
  components.describe(
    v.pipe(
      v.union([Event, ErasedEvent, OtherEvent]),
      v.description('An entry of the feed, and the body of a delivery.'),
      v.title('AnyEvent'),
    ),
  );

/** Not `webhooks`, whose operations openapi-generator would overwrite with these (its issue 20346). */
export const webhookTag = { name: 'webhook-events', description: 'Requests that webhook endpoints receive.' };

/** Returns the webhooks of the document: one operation for any event, and one for each kind. */
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

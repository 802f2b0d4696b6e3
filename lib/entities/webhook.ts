import * as v from 'valibot';
import { channels } from '#lib/core/channel.ts';
import { pairs } from '#lib/core/metadata.ts';
import {
  atMost,
  checked,
  choice,
  count,
  id,
  idInput,
  integer,
  line,
  listInput,
  nullableText,
  objectInput,
  openChoice,
  paging,
  pattern,
  queryBoolean,
  shownOnce,
  storedChoice,
  time,
} from '#lib/core/schema.ts';
import { changedFieldNames, eventFieldName } from '#lib/events/changes.ts';
import { eventKindNames } from '#lib/events/names.ts';
import { entity } from '#lib/table/entity.ts';
import { signingSecret } from './webhook-registry.ts';

export const everyKind = '*';
const subscribed = [everyKind, ...eventKindNames] as const;

/** More than there are, because one may be named twice. */
const maxKinds = 100;
const maxChannels = 20;
const maxFields = 50;
const maxTags = 20;
export const maxUrlLength = 2048;
const url = () => line(maxUrlLength);
const description = () => nullableText(200);

/** Which events of its kinds an endpoint is sent (contract section 25). A list that is empty, because its tags were deleted, holds of none. */
const EndpointFilter = v.pipe(
  v.object({
    changedFields: v.exactOptional(v.array(v.string())),
    channels: v.exactOptional(v.array(storedChoice(channels))),
    contactTagIds: v.exactOptional(v.array(id())),
  }),
  v.title('EndpointFilter'),
);
export type EndpointFilter = v.InferOutput<typeof EndpointFilter>;

const stored = {
  id: id(),
  url: v.string(),
  description: v.nullable(v.string()),
  eventKinds: v.array(openChoice(subscribed)),
  filter: v.nullable(EndpointFilter),
  isActive: v.boolean(),
  createdAt: time(),
  updatedAt: v.nullable(time()),
};

const shown = {
  ...stored,
  /** Names of its own headers. */
  headers: v.array(v.string()),
  ownSecret: v.boolean(),
  status: v.picklist(['healthy', 'degraded', 'disabled']),
  consecutiveFailures: count(),
  lastDeliveryAt: v.nullable(time()),
  lastSuccessAt: v.nullable(time()),
  /** Until then nothing is sent, after ten failures in a row. */
  pausedUntil: v.nullable(time()),
  secretHint: v.string(),
};

/** A webhook endpoint (contract section 14). */
export const Endpoint = v.pipe(v.object(shown), v.title('Endpoint'));
/** The answer to its creation, which alone shows the secret. */
export const EndpointWithSecret = v.pipe(v.object({ ...shown, secret: shownOnce() }), v.title('EndpointWithSecret'));

const fieldNames = new Set(changedFieldNames);
/** Returns the slug in the name of a custom field, as `changed` of events has it. */
export const slugIn = (name: string): string | undefined => /^fields\.(.+)$/.exec(name)?.[1];
const fieldName = () =>
  v.pipe(
    pattern(
      /^(fields\.)?[a-z][a-z0-9_]{0,63}$/,
      64,
      '1 to 64 letters, digits and _, of a custom field fields. and its slug',
      eventFieldName,
    ),
    checked<string>(
      'picklist',
      (name) => fieldNames.has(name) || slugIn(name) !== undefined,
      'must be a field that events name as changed, such as stage or assigned_to_user_id',
    ),
    v.examples(['stage']),
  );
/** Null is no condition, where one was. */
const condition = <Item extends v.GenericSchema>(item: Item, max: number, what: string) =>
  v.exactOptional(v.nullable(v.pipe(listInput(item, max, `${what}s`), v.minLength(1, `must have at least 1 ${what}`))));

const SetEndpointFilter = v.pipe(
  objectInput({
    changedFields: condition(fieldName(), maxFields, 'field'),
    channels: condition(choice(channels), maxChannels, 'channel'),
    contactTagIds: condition(idInput(), maxTags, 'tag'),
  }),
  v.title('SetEndpointFilter'),
);
export type SetEndpointFilter = v.InferOutput<typeof SetEndpointFilter>;

export const maxHeaders = 10;
/** Headers that we or HTTP itself set, and those of one hop (RFC 9110, 7.6.1). */
const reserved =
  /^(host|content-.*|transfer-.*|x-svc-.*|webhook-.*|connection|keep-alive|proxy-.*|te|trailers?|upgrade|expect)$/i;
const headerName = v.pipe(
  v.string(),
  v.regex(/^[\w!#$%&'*+.^`|~-]{1,64}$/, 'must have names of 1 to 64 letters, digits and marks that HTTP allows'),
  checked<string>('not_allowed', (name) => !reserved.test(name), 'must not name a header that deliveries set'),
);
const headerValue = pattern(/^[ -~]+$/, 1024, 'a text of printable ASCII characters');
const isEachNamedOnce = (headers: object) => {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return new Set(names).size === names.length;
};
/** Null removes one, where it was. */
const SetHeaders = v.pipe(
  atMost(2 * maxHeaders, 'headers', pairs(headerName, v.nullable(headerValue))),
  checked<Record<string, string | null>>('not_allowed', isEachNamedOnce, 'must name a header once, in one spelling'),
);

const fields = {
  url: url(),
  description: v.optional(description()),
  eventKinds: v.optional(
    v.pipe(listInput(choice(subscribed), maxKinds, 'kinds'), v.minLength(1, 'must have at least 1 kind')),
  ),
  filter: v.optional(v.nullable(SetEndpointFilter)),
  headers: v.optional(v.nullable(SetHeaders)),
};

export const CreateEndpoint = v.pipe(
  v.object({ ...fields, ownSecret: v.optional(v.boolean()) }),
  v.title('CreateEndpoint'),
);
export const PatchEndpoint = v.pipe(
  v.object({ ...fields, url: v.optional(fields.url), isActive: v.optional(v.boolean()) }),
  v.title('PatchEndpoint'),
);
export const EndpointQuery = v.object({ ...paging, isActive: v.optional(queryBoolean()) });

const maxGraceMinutes = 1440;
export const RotateSecret = v.pipe(
  v.object({ graceMinutes: v.optional(integer(0, maxGraceMinutes), maxGraceMinutes) }),
  v.title('RotateSecret'),
);
export const RotatedSecret = v.pipe(
  v.object({
    secret: shownOnce(),
    secretHint: v.string(),
    previousValidUntil: v.nullable(time()),
    endpointIds: v.array(id()),
  }),
  v.title('RotatedSecret'),
);

/** An event kind as subscribers read about it. */
export const EventKindList = v.pipe(
  v.object({
    items: v.array(
      v.pipe(
        v.object({
          kind: openChoice(eventKindNames),
          description: v.string(),
          example: v.record(v.string(), v.unknown()),
        }),
        v.title('EventKindDescription'),
      ),
    ),
  }),
  v.title('EventKindList'),
);

export const TestEndpoint = v.pipe(
  v.object({ eventKind: v.optional(choice(eventKindNames), 'webhook.test') }),
  v.title('TestEndpoint'),
);

/**
 * An endpoint that subscribes to events. At most twenty in a tenant. How deliveries fare is kept apart, in its
 * Health.
 */
export const Endpoints = entity({
  name: 'webhook',
  schema: v.object({
    ...stored,
    filter: v.optional(v.nullable(EndpointFilter), null),
    /** Own headers of its deliveries; the values are encrypted. */
    headers: v.optional(v.array(v.object({ name: v.string(), value: v.string() })), []),
    /** Its own secret, instead of the one that the registry has for all. */
    signing: v.optional(v.nullable(v.object(signingSecret)), null),
    /** Epoch milliseconds: it is sent what is committed from then on. */
    registeredAtMs: v.optional(v.number(), 0),
  }),
});
export type StoredEndpoint = v.InferOutput<(typeof Endpoints)['schema']>;

export const isSubscribed = ({ eventKinds: wanted }: StoredEndpoint, kind: string) =>
  wanted.some((one) => one === everyKind || one === kind);

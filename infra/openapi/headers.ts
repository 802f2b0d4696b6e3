const integer = { type: 'integer', format: 'int64' };
const text = { type: 'string' };

/** Response headers by component name. */
export const headers = {
  'X-RateLimit-Limit': { description: 'Requests allowed per minute; a costly one counts as several', schema: integer },
  'X-RateLimit-Remaining': {
    description: 'Requests left in this minute, after what this call took of the table',
    schema: integer,
  },
  'X-RateLimit-Reset': { description: 'Unix second at which the next minute begins', schema: integer },
  'X-Request-Id': { description: "Names this request; a caller's own X-Request-Id is echoed", schema: text },
  'X-Api-Revision': { description: 'Revision of this description', schema: text },
  'X-Ignored-Parameters': {
    description: 'Unknown parameters and fields that were ignored: the first 20, then `+3 more`',
    schema: text,
  },
  'Idempotency-Replayed': { description: 'true when this is the kept answer of an earlier call', schema: text },
  'Retry-After': { description: 'Seconds to wait', schema: integer },
  ETag: { description: 'The version of the resource, for If-Match and If-None-Match', schema: text },
  Location: { description: 'Path of what was made', schema: { type: 'string', format: 'uri-reference' } },
};

type HeaderName = keyof typeof headers;

export const everyAnswer: readonly HeaderName[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Api-Revision',
];

export const headerRefs = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Request headers by component name. */
export const parameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Makes a repetition of this call safe for 24 hours: it answers what the first call answered',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
    example: '3f1c9d0e-contact-import-17',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'An ETag: the change is refused with 412 when the resource has changed since',
    schema: text,
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'An ETag: the answer is 304 when the resource has not changed since',
    schema: text,
  },
};

export const parameterRef = (name: keyof typeof parameters) => ({ $ref: `#/components/parameters/${name}` });

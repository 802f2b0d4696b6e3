const integer = { type: 'integer', format: 'int64' };
const text = { type: 'string' };

/** Response headers by component name. */
export const headers = {
  'X-RateLimit-Limit': { schema: integer },
  'X-RateLimit-Remaining': {
    schema: integer,
  },
  'X-RateLimit-Reset': { schema: integer },
  'X-Request-Id': { schema: text },
  'X-Api-Revision': { schema: text },
  'X-Ignored-Parameters': {
    schema: text,
  },
  'Idempotency-Replayed': { schema: text },
  'Retry-After': { schema: integer },
  ETag: { schema: text },
  Location: { schema: { type: 'string', format: 'uri-reference' } },
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
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
    example: '3f1c9d0e-contact-import-17',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    schema: text,
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    schema: text,
  },
};

export const parameterRef = (name: keyof typeof parameters) => ({ $ref: `#/components/parameters/${name}` });

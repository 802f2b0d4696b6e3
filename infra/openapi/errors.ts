import { unauthorizedReasons } from '#lib/keys/identify.ts';
import { conflict, type ErrorCode, fieldCodes, invalidField, notFound, Problem, statusOf } from '#lib/problem.ts';
import type { JsonSchema } from './schemas.ts';

interface ErrorResponse {
  /** Its name among the components. */
  name: string;
  status: number;
  code: ErrorCode;
  description: string;
  details: JsonSchema;
  example: Problem;
}

const text = { type: 'string' };
const nothing = { type: 'null', description: 'Nothing more to say' };
const object = (properties: Record<string, JsonSchema>, others = false): JsonSchema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
  ...(others ? { additionalProperties: true } : {}),
});

const field = object({ field: text, code: { ...text, enum: fieldCodes }, message: text });
const fields = object({ fields: { type: 'array', items: field } });
const reason = object({ reason: text }, true);
const reasons = (...values: readonly string[]) => object({ reason: { ...text, enum: values } });
const explained = (value: string, description: string) => ({ reason: { const: value, description } });

/** Every error answer of the API, with what `details` holds (contract 0.5). */
export const errorResponses: readonly ErrorResponse[] = [
  {
    name: 'BadRequest',
    status: 400,
    code: 'bad_request',
    description: 'The query or the body failed validation, or breaks a rule',
    details: { anyOf: [fields, reason] },
    example: invalidField('name', 'too_long', 'name must have at most 200 characters'),
  },
  {
    name: 'Unauthorized',
    status: 401,
    code: 'unauthorized',
    description: 'The bearer key is missing or invalid',
    details: reasons(...Object.keys(unauthorizedReasons)),
    example: new Problem('unauthorized', 'send a key as a bearer token', { reason: 'missing_key' }),
  },
  {
    name: 'Forbidden',
    status: 403,
    code: 'forbidden',
    description: 'The key lacks the scope, may not be used from this address, or reaches for more than it has',
    details: {
      anyOf: [
        object({ reason: { const: 'missing_scope' }, requiredScopes: { type: 'array', items: text } }),
        object(explained('ip_not_allowed', 'The key may not be used from this address')),
        object({
          ...explained('stronger_key', 'The key of the call would be exceeded, or is by the one to be changed'),
          field: { ...text, enum: ['scopes', 'rateLimitPerMinute', 'expiresAt', 'ipAllowlist'] },
        }),
        object(explained('live_key', 'A test key cannot change or revoke a live key')),
      ],
    },
    example: new Problem('forbidden', 'this key lacks the scope deals:write', {
      reason: 'missing_scope',
      requiredScopes: ['deals:write'],
    }),
  },
  {
    name: 'NotFound',
    status: 404,
    code: 'not_found',
    description: 'There is no such resource in this workspace',
    details: nothing,
    example: notFound('contact'),
  },
  {
    name: 'Conflict',
    status: 409,
    code: 'conflict',
    description: 'The state of the resource, or another call with this Idempotency-Key, does not allow it',
    details: reason,
    example: conflict(
      'idempotency_key_reused',
      'this Idempotency-Key was used with another query or body, or by another API key',
    ),
  },
  {
    name: 'StaleVersion',
    status: 412,
    code: 'conflict',
    description: 'The resource has changed since the ETag in If-Match',
    details: reasons('stale_version'),
    example: new Problem('conflict', 'the resource has changed since this ETag', { reason: 'stale_version' }),
  },
  {
    name: 'RateLimited',
    status: 429,
    code: 'rate_limited',
    description:
      'The key has used up its requests of this minute, or the workspace a quota of this day in UTC, or what is asked for must wait',
    details: {
      ...object({ retryAfterSeconds: { type: 'integer', format: 'int32' } }),
      properties: {
        retryAfterSeconds: { type: 'integer', format: 'int32' },
        reason: {
          ...text,
          enum: ['daily_quota', 'too_many_at_once', 'code_sent_lately'],
          description: 'Absent when the requests of this minute are used up',
        },
      },
    },
    example: new Problem('rate_limited', 'too many requests in this minute', { retryAfterSeconds: 17 }),
  },
  {
    name: 'InternalError',
    status: 500,
    code: 'internal_error',
    description: 'Our fault; safe to try again with back-off',
    details: nothing,
    example: new Problem('internal_error', 'something went wrong'),
  },
  {
    name: 'Unavailable',
    status: 503,
    code: 'internal_error',
    description: 'Busy for the moment; nothing was done; try again after Retry-After',
    details: nothing,
    example: new Problem('internal_error', 'the service is busy; try again', null, { status: 503 }),
  },
];

/** The envelope that all of them share (base document, "Errors"). */
export const errorEnvelope: JsonSchema = {
  type: 'object',
  required: ['error', 'message', 'details'],
  properties: {
    error: { ...text, enum: Object.keys(statusOf) },
    message: { ...text, description: 'An explanation for people' },
    details: { description: 'What programs can use of it, by status; null when there is nothing' },
  },
};

/** The envelope of one of them. */
export const errorSchema = ({ code, details }: ErrorResponse): JsonSchema => ({
  allOf: [{ $ref: '#/components/schemas/Error' }, { type: 'object', properties: { error: { const: code }, details } }],
});

import * as v from 'valibot';
import { unauthorizedReasons } from '#lib/auth/identify-key.ts';
import { messaging } from '#lib/core/channel.ts';
import type { Descriptor } from '#lib/core/channel-descriptor.ts';
import {
  badRequest,
  conflict,
  type ErrorCode,
  fieldCodes,
  invalidField,
  notFound,
  Problem,
  rateLimited,
  statusOf,
} from '#lib/core/problem.ts';
import { badRequestReasons, conflictReasons, rateReasons } from '#lib/core/reasons.ts';
import { count, storedChoice } from '#lib/core/schema.ts';
import { scopes } from '#lib/core/scopes.ts';
import type { SchemaComponents } from './schemas.ts';

interface ErrorResponse {
  /** Its name among the components. */
  name: string;
  status: number;
  code: ErrorCode;
  description: string;
  examples: Record<string, Problem>;
}

const refusals: Record<string, [message: string, details?: Record<string, unknown>]> = {
  missing_scope: ['this key lacks the scope deals:write', { requiredScopes: ['deals:write'] }],
  ip_not_allowed: ['this key may not be used from this address'],
  stronger_key: ['the new key would have a later expiry than this one', { field: 'expiresAt' }],
  live_key: ['a test key cannot change a live key'],
};

/** Of a contact that is nobody on a channel. */
const identityReasons = Object.fromEntries(
  Object.values<Descriptor>(messaging).map(({ name, title, hasUsernames }) => [
    `no_${name}_identity`,
    `the contact has ${hasUsernames ? 'neither an id nor a username' : 'no id'} on ${title}`,
  ]),
);

/** Further ones may come (contract section 21). */
const listed = (reasons: Record<string, string>): string =>
  Object.entries(reasons)
    .map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
    .join('\n');

/** Every error answer of the API, with an example of each form that it has (contract 0.5). */
export const errorResponses: readonly ErrorResponse[] = [
  {
    name: 'BadRequest',
    status: 400,
    code: 'bad_request',
    description: `The query or the body failed validation (\`details.fields\`), or breaks a rule (\`details.reason\`):\n\n${listed({ ...badRequestReasons, ...identityReasons })}`,
    examples: {
      fields: invalidField('name', 'too_long', 'name must have at most 200 characters'),
      rule: badRequest('won_is_panel_only', 'deals are won in the panel'),
    },
  },
  {
    name: 'Unauthorized',
    status: 401,
    code: 'unauthorized',
    description: 'The bearer key is missing or invalid; `details.reason` says why',
    examples: Object.fromEntries(
      Object.entries(unauthorizedReasons).map(([reason, message]) => [
        reason,
        new Problem('unauthorized', message, { reason }),
      ]),
    ),
  },
  {
    name: 'Forbidden',
    status: 403,
    code: 'forbidden',
    description:
      'The key lacks the scope, may not be used from this address, or reaches for more than it has; `details.reason` says which',
    examples: Object.fromEntries(
      Object.entries(refusals).map(([reason, [message, more]]) => [
        reason,
        new Problem('forbidden', message, { reason, ...more }),
      ]),
    ),
  },
  {
    name: 'NotFound',
    status: 404,
    code: 'not_found',
    description: 'There is no such resource in this workspace',
    examples: { contact: notFound('contact') },
  },
  {
    name: 'Conflict',
    status: 409,
    code: 'conflict',
    description: `The state of the resource, or another call with this Idempotency-Key, does not allow it; \`details.reason\` says why:\n\n${listed(conflictReasons)}`,
    examples: {
      idempotency_key_reused: conflict(
        'idempotency_key_reused',
        'this Idempotency-Key was used with another query or body, or by another API key',
      ),
      ambiguous_match: conflict('ambiguous_match', 'several contacts have this e-mail address', {
        contactIds: [7, 12],
      }),
    },
  },
  {
    name: 'StaleVersion',
    status: 412,
    code: 'conflict',
    description: 'The resource has changed since the ETag in If-Match',
    examples: {
      stale_version: new Problem('conflict', 'the resource has changed since this ETag', { reason: 'stale_version' }),
    },
  },
  {
    name: 'RateLimited',
    status: 429,
    code: 'rate_limited',
    description: `The key has used up its requests of this minute, without a \`details.reason\`, or:\n\n${listed(rateReasons)}`,
    examples: {
      minute: rateLimited('too many requests in this minute', 17),
      daily_quota: rateLimited('the 2000 recipients of this day are used up', 3600, 'daily_quota'),
    },
  },
  {
    name: 'InternalError',
    status: 500,
    code: 'internal_error',
    description: 'Our fault; safe to try again with back-off',
    examples: { internal_error: new Problem('internal_error', 'something went wrong') },
  },
  {
    name: 'Unavailable',
    status: 503,
    code: 'internal_error',
    description: 'Busy for the moment; nothing was done; try again after Retry-After',
    examples: { busy: new Problem('internal_error', 'the service is busy; try again', null, { status: 503 }) },
  },
];

export const examplesOf = ({ examples }: ErrorResponse) =>
  Object.fromEntries(
    Object.entries(examples).map(([name, { message, body }]) => [name, { summary: message, value: body }]),
  );

const described = <Schema extends v.GenericSchema>(schema: Schema, description: string) =>
  v.optional(v.pipe(schema, v.description(description)));

const FieldError = v.pipe(
  v.object({ field: v.string(), code: storedChoice(fieldCodes), message: v.string() }),
  v.title('FieldError'),
);

const ErrorDetails = v.pipe(
  v.looseObject({
    fields: described(v.array(FieldError), 'What is wrong with which field, nested as `items[3].phone`'),
    reason: described(v.string(), 'Why, as one word for programs'),
    requiredScopes: described(v.array(storedChoice(scopes)), 'With reason `missing_scope`: one of these is needed'),
    retryAfterSeconds: described(count(), 'With 429: try again after so many seconds'),
  }),
  v.metadata({ additionalProperties: true }),
  v.description('What programs can use of an error; a reason may come with more, as its operation says'),
  v.title('ErrorDetails'),
);

const ApiError = v.pipe(
  v.object({
    error: storedChoice(Object.keys(statusOf)),
    message: v.pipe(v.string(), v.description('An explanation for people')),
    details: v.nullable(ErrorDetails),
  }),
  v.description('Every error has this form'),
  v.title('ApiError'),
);

/** Tells the components what an error is, field by field (base document, "Errors"). */
export const describeErrors = (components: SchemaComponents) => components.describe(ApiError);

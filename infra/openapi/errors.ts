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
import { count, storedChoice } from '#lib/core/schema.ts';
import { scopes } from '#lib/core/scopes.ts';
import * as texts from './descriptions/errors.ts';
import type { SchemaComponents } from './schemas.ts';

interface ErrorResponse {
  /** Its name among the components. */
  name: string;
  status: number;
  code: ErrorCode;
  description: string;
  examples: Record<string, Problem>;
}

/** Examples of a 403. */
const refusals: Record<string, [message: string, details?: Record<string, unknown>]> = {
  missing_scope: ['this key lacks the scope deals:write: use a key that has it', { requiredScopes: ['deals:write'] }],
  ip_not_allowed: ['the ipAllowlist of the key leaves out your address: call from an allowed one, or change the list'],
  stronger_key: [
    'the key would be stronger than the calling key in expiresAt: ask for less, or use a stronger key',
    { field: 'expiresAt' },
  ],
  live_key: ['a test key cannot change a live key: use a live key'],
};

const identityReasons = Object.fromEntries(
  Object.values<Descriptor>(messaging).map(({ name, title, hasUsernames }) => [
    `no_${name}_identity`,
    texts.noIdentity(title, hasUsernames),
  ]),
);

/** The reasons of an answer, as its description lists them. Further ones may come (contract section 21). */
const listed = (reasons: Record<string, string>): string =>
  Object.entries(reasons)
    .map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
    .join('\n');

const { stale_version, ...conflictReasons } = texts.conflict;

/** Every error answer of the API, with an example of each form that it has (contract 0.5). */
export const errorResponses: readonly ErrorResponse[] = [
  {
    name: 'BadRequest',
    status: 400,
    code: 'bad_request',
    description: `The call is wrong, and repeating it will not help. \`details.fields\` names the fields that are wrong, or \`details.reason\` the rule that was broken:\n\n${listed({ ...texts.badRequest, ...identityReasons })}`,
    examples: {
      fields: invalidField('name', 'too_long', 'name must have at most 200 characters'),
      rule: badRequest(
        'won_is_panel_only',
        'a deal is won only in the panel, because that books revenue: ask a member to win it there',
      ),
    },
  },
  {
    name: 'Unauthorized',
    status: 401,
    code: 'unauthorized',
    description: `The key is missing or does not work. \`details.reason\` says why:\n\n${listed(texts.unauthorized)}`,
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
    description: `The key works, but may not do this. \`details.reason\` says why:\n\n${listed(texts.forbidden)}`,
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
    description: 'There is no such resource in this workspace. One of another workspace looks the same.',
    examples: { contact: notFound('contact') },
  },
  {
    name: 'Conflict',
    status: 409,
    code: 'conflict',
    description: `The call is right, but the state of the resource does not allow it now. \`details.reason\` says why:\n\n${listed(conflictReasons)}`,
    examples: {
      idempotency_key_reused: conflict(
        'idempotency_key_reused',
        'this Idempotency-Key was used with another query or body, or by another API key: use a new one',
      ),
      ambiguous_match: conflict('ambiguous_match', '2 contacts have this email: merge them, or change one by its id', {
        contactIds: [7, 12],
      }),
    },
  },
  {
    name: 'StaleVersion',
    status: 412,
    code: 'conflict',
    description: `The resource has changed since the version that the call names.\n\n${listed({ stale_version })}`,
    examples: {
      stale_version: new Problem(
        'conflict',
        'the resource has changed since this ETag: read it again, and repeat your change',
        { reason: 'stale_version' },
      ),
    },
  },
  {
    name: 'RateLimited',
    status: 429,
    code: 'rate_limited',
    description: `Too many calls. Wait for \`Retry-After\`. Without a \`details.reason\` the key has used up its requests of this minute; otherwise:\n\n${listed(texts.rateLimited)}`,
    examples: {
      minute: rateLimited('the 600 points of this minute are used up: wait for Retry-After', 17),
      daily_quota: rateLimited(
        'the 2000 recipients of today are used up: wait until midnight UTC, or ask the operator for more',
        3600,
        'daily_quota',
      ),
    },
  },
  {
    name: 'InternalError',
    status: 500,
    code: 'internal_error',
    description:
      'Something went wrong on our side. Repeat the call with backoff; a write with an `Idempotency-Key` is safe to repeat.',
    examples: {
      internal_error: new Problem(
        'internal_error',
        'an unexpected error occurred: retry with backoff, and report the X-Request-Id if it stays',
      ),
    },
  },
  {
    name: 'Unavailable',
    status: 503,
    code: 'internal_error',
    description: 'The service is busy and has done nothing. Repeat the call after `Retry-After`.',
    examples: {
      busy: new Problem(
        'internal_error',
        'the service is busy and has done nothing: try again after Retry-After',
        null,
        { status: 503 },
      ),
    },
  },
];

export const examplesOf = ({ examples }: ErrorResponse) =>
  Object.fromEntries(
    Object.entries(examples).map(([name, { message, body }]) => [name, { summary: message, value: body }]),
  );

const FieldError = v.pipe(
  v.object({ field: v.string(), code: storedChoice(fieldCodes), message: v.string() }),
  v.title('FieldError'),
);

const ErrorDetails = v.pipe(
  v.looseObject({
    fields: v.optional(v.array(FieldError)),
    reason: v.optional(v.string()),
    docs: v.optional(v.string()),
    requiredScopes: v.optional(v.array(storedChoice(scopes))),
    retryAfterSeconds: v.optional(count()),
  }),
  v.metadata({ additionalProperties: true }),
  v.description('What a program can use of an error. A reason may come with more fields, as its page says.'),
  v.title('ErrorDetails'),
);

const ApiError = v.pipe(
  v.object({
    error: storedChoice(Object.keys(statusOf)),
    message: v.string(),
    details: v.nullable(ErrorDetails),
  }),
  v.description('Every error of the API has this form.'),
  v.title('ApiError'),
);

/** Tells the components what an error is, field by field (base document, "Errors"). */
export const describeErrors = (components: SchemaComponents) => components.describe(ApiError);

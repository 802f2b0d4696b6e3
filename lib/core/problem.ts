import type { BadRequestReason, ConflictReason, RateReason } from './reasons.ts';

/** The closed list of error codes (base document, "Errors") and the status each has unless a case names another. */
export const statusOf = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  rate_limited: 429,
  internal_error: 500,
} as const;

export type ErrorCode = keyof typeof statusOf;

/** Codes of a problem with one field (contract 0.5). */
export const fieldCodes = [
  'required',
  'too_short',
  'too_long',
  'out_of_range',
  'invalid_enum',
  'invalid_format',
  'invalid_type',
  'unknown_reference',
  'not_allowed',
  'too_many',
] as const;
export type FieldCode = (typeof fieldCodes)[number];

export interface FieldError {
  field: string;
  code: FieldCode;
  message: string;
}

/** Details of a refusal for programs. */
interface Details {
  fields?: readonly FieldError[];
  [name: string]: unknown;
}

/** A refusal that the caller sees: a public sentence and structured details; the private reason is its `cause`. */
export class Problem extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: Details | null;
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    message: string,
    details: Details | null = null,
    options: { status?: number; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.status = options.status ?? statusOf[code];
    this.details = details;
    this.headers = options.headers ?? {};
  }

  /** The envelope (base document, "Errors"), with the path of the page that explains its reason. */
  get body() {
    const { code: error, message, details } = this;
    const reason = details?.['reason'];
    return {
      error,
      message,
      details: reason === undefined ? details : { ...details, docs: `/docs/#/errors/${reason}` },
    };
  }
}

/** Missing and foreign look the same (contract 0.1). */
export const notFound = (what: string) => new Problem('not_found', `${what} not found`);

/** A 400 for a rule that is not about one field (contract 0.5). */
export const badRequest = (reason: BadRequestReason, message: string, context: Record<string, unknown> = {}) =>
  new Problem('bad_request', message, { reason, ...context });

/** As many as somebody reads, and so many bytes of JSON: a control character in a name takes six. */
const maxFields = 50;
const maxFieldsBytes = 32_768;

/** A 400 that names the fields: the first of them, where they are many. */
export function invalidFields(fields: readonly FieldError[]): Problem {
  const named = fields.slice(0, maxFields);
  while (named.length > 1 && Buffer.byteLength(JSON.stringify(named)) > maxFieldsBytes) named.pop();
  const [first, ...others] = named;
  const more = fields.length - named.length;
  const message =
    first !== undefined && others.length === 0
      ? first.message
      : `${fields.length} fields are invalid: correct those in details.fields${more > 0 ? `, and ${more} more` : ''}`;
  return new Problem('bad_request', message, { fields: named });
}

export const invalidField = (field: string, code: FieldCode, message: string) =>
  invalidFields([{ field, code, message }]);

/** Returns a problem with its fields named as they stand in a larger body: `items[3].phone`, `create.phone`. */
export function problemAt(place: string, problem: Problem): Problem {
  const fields = problem.details?.fields;
  if (!fields) return problem;
  const named = fields.map(({ field, code, message }) => ({
    field: `${place}.${field}`,
    code,
    message: message.startsWith(`${field} `) ? `${place}.${message}` : message,
  }));
  const [first] = named;
  const message = named.length === 1 && first ? first.message : problem.message;
  return new Problem(problem.code, message, { ...problem.details, fields: named }, { status: problem.status });
}

/** A reference in a body to something that is not there (contract 0.1). */
export const unknownReference = (field: string) =>
  invalidField(field, 'unknown_reference', `${field} refers to nothing in this workspace: use an existing id`);

/** A 409 with one of its reasons. */
export const conflict = (reason: ConflictReason, message: string, context: Record<string, unknown> = {}) =>
  new Problem('conflict', message, { reason, ...context });

/** A 429: try again after so many seconds. */
export const rateLimited = (message: string, retryAfterSeconds: number, reason?: RateReason) =>
  new Problem(
    'rate_limited',
    message,
    { ...(reason !== undefined && { reason }), retryAfterSeconds },
    { headers: { 'Retry-After': String(retryAfterSeconds) } },
  );

/** A 503: nothing was done; try again after so many seconds. */
export const unavailable = (retryAfterSeconds: number, cause?: unknown) =>
  new Problem('internal_error', 'the service is busy and has done nothing: try again after Retry-After', null, {
    status: 503,
    headers: { 'Retry-After': String(retryAfterSeconds) },
    cause,
  });

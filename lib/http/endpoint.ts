import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import middy from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type * as v from 'valibot';
import { env } from '#lib/env.ts';
import { recordAudit } from '#lib/events/outbox.ts';
import { type Allowance, type Caller, countAnonymous, identify, KnownKeyRefused } from '#lib/keys/identify.ts';
import { log } from '#lib/log.ts';
import { MetricUnit, measure } from '#lib/metrics.ts';
import { clientAddress, isWithin } from '#lib/network/addresses.ts';
import { badRequest, notFound, Problem, unavailable } from '#lib/problem.ts';
import type { Reply } from './idempotency.ts';
import { auditEntry, type Call, execute, type Operation } from './operation.ts';
import type { Input, RequestFacts, Route } from './route.ts';

type Event = APIGatewayProxyEventV2;
type Result = APIGatewayProxyStructuredResultV2;

/** What the middlewares hand on to each other. */
interface Progress extends Record<string, unknown> {
  startedAt: number;
  facts: RequestFacts;
  caller?: Caller;
  allowance?: Allowance;
  bodyProblem?: Problem;
  rawBody: string;
}

type Request = middy.Request<Event, Result, Error, Context, Progress>;
type Middleware = middy.MiddlewareObj<Event, Result, Error, Context, Progress>;

export type Endpoint = ((event: Event, context: Context) => Promise<Result>) & { route: Route; operation: Operation };

const apiRevision = '1.2.0';
const maxBodyBytes = 1024 * 1024;

/** A function that runs out of time answers in the envelope; API Gateway's own answer would not be. */
const beforeTimeout = {
  timeoutEarlyInMillis: 500,
  timeoutEarlyResponse: () => {
    throw unavailable(1, new Error('the function ran out of time'));
  },
};

/**
 * One endpoint: the route as data and the work. The fixed order of every request lives here: request id, key, address, scope,
 * rate limit, body, then `execute` (parse, idempotency, work, response parse), then headers (contract section 0).
 */
export function endpoint<Query extends v.GenericSchema, Body extends v.GenericSchema, Response extends v.GenericSchema>(
  route: Route<Query, Body, Response>,
  work: (input: Input<v.InferOutput<Query>, v.InferOutput<Body>>) => Promise<v.InferInput<Response>>,
): Endpoint {
  const operation = { route, work } as unknown as Operation;
  const handler = middy<Event, Result, Error, Context, Progress>(beforeTimeout)
    .use(answering(operation.route))
    .use(identifying(operation.route))
    .use(readingBody(operation.route))
    .handler(async (event, context) => {
      const progress = progressOf(context);
      return render(await execute(operation, progress.caller as Caller, callOf(event, progress), progress.facts));
    });
  return Object.assign(handler as unknown as (event: Event, context: Context) => Promise<Result>, {
    route: operation.route,
    operation,
  });
}

/** A route that needs no key: the work answers from the request alone. */
export function publicEndpoint<Response extends v.GenericSchema>(
  route: Route<v.GenericSchema, v.GenericSchema, Response> & { scope: 'public' },
  work: (event: Event) => Promise<v.InferInput<Response>>,
): Endpoint {
  const handler = middy<Event, Result, Error, Context, Progress>(beforeTimeout)
    .use(answering(route as unknown as Route))
    .use(identifying(route as unknown as Route))
    .handler(async (event) => render({ status: route.status, body: JSON.stringify(await work(event)), headers: {} }));
  const operation = { route, work } as unknown as Operation;
  return Object.assign(handler as unknown as (event: Event, context: Context) => Promise<Result>, {
    route: operation.route,
    operation,
  });
}

/** A request whose caller is known, to an endpoint with a protocol of its own. */
export interface IdentifiedRequest {
  caller: Caller;
  facts: RequestFacts;
  /** By lower-case name. */
  headers: Record<string, string | undefined>;
  /** The decoded body, or why it could not be read. */
  body: unknown;
  bodyProblem: Problem | undefined;
  /** Counts one more request against the key's minute. Raises 429. */
  count(): Promise<void>;
}

/** A route whose answers have their own form (MCP); key, address, rate limit and headers are as everywhere. */
export function protocolEndpoint(route: Route, work: (request: IdentifiedRequest) => Promise<Reply>): Endpoint {
  const handler = middy<Event, Result, Error, Context, Progress>(beforeTimeout)
    .use(answering(route))
    .use(identifying(route))
    .use(readingBody(route))
    .handler(async (event, context) => {
      const { caller, facts, bodyProblem } = progressOf(context);
      const headers = lowerCased(event.headers);
      const { body } = callOf(event, progressOf(context));
      const count = async () => {
        const { allowance } = await identify(headers['authorization'], facts.ip);
        progressOf(context).allowance = allowance;
        if (allowance.exceeded) throw rateLimited(allowance);
      };
      return render(await work({ caller: caller as Caller, facts, headers, body, bodyProblem, count }));
    });
  const operation: Operation = { route, work: async () => undefined };
  return Object.assign(handler as unknown as (event: Event, context: Context) => Promise<Result>, { route, operation });
}

/**
 * The route for whatever no other matches: who calls is asked under `/v1` only (contract 0.1, 0.9). It is given `methodsOf`
 * because that loads the OpenAPI document, which no other function shall carry.
 */
export function unroutedEndpoint(route: Route & { scope: 'public' }, methodsOf: (path: string) => string[]): Endpoint {
  const keyed = identifying({ ...route, scope: 'any' });
  const open = identifying(route);
  const handler = middy<Event, Result, Error, Context, Progress>(beforeTimeout)
    .use(answering(route))
    .use({ before: (request) => (/^\/v1(\/|$)/.test(request.event.rawPath) ? keyed : open).before?.(request) })
    .handler(async (event) => {
      const allowed = methodsOf(event.rawPath);
      if (allowed.length === 0) throw notFound('path');
      throw new Problem(
        'bad_request',
        `this path answers ${allowed.join(', ')}`,
        { reason: 'method_not_allowed', allowed },
        {
          status: 405,
          headers: { Allow: allowed.join(', ') },
        },
      );
    });
  const operation: Operation = { route, work: async () => undefined };
  return Object.assign(handler as unknown as (event: Event, context: Context) => Promise<Result>, { route, operation });
}

/** Middy gives the handler no `request`, so the progress travels with the context. */
const progressKey = Symbol('progress');
const progressOf = (context: Context) => (context as unknown as Record<symbol, Progress>)[progressKey] as Progress;

/** First in, last out: the request's facts before, the headers of every answer and the log line after. */
function answering(route: Route): Middleware {
  const finish = (request: Request, answer: Result) => {
    request.response = withHeaders(route, request, answer);
    report(route, request);
  };
  return {
    before: (request) => {
      const { event, context } = request;
      const headers = lowerCased(event.headers);
      const { sourceIp, method, path } = event.requestContext.http;
      const given = headers['x-request-id'];
      const facts: RequestFacts = {
        requestId: given !== undefined && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : newRequestId(),
        method,
        path: event.rawPath || path,
        ip: clientAddress(sourceIp, headers['x-forwarded-for'], trustedProxies()),
        userAgent: headers['user-agent'] ?? null,
      };
      Object.assign(request.internal, { startedAt: performance.now(), facts, rawBody: '' });
      Object.assign(context, { [progressKey]: request.internal });
    },
    after: (request) => finish(request, request.response as Result),
    onError: async (request) => {
      const { caller, facts } = request.internal;
      const problem = problemOf(request.error);
      const keyed = caller ?? (problem instanceof KnownKeyRefused ? problem : undefined);
      const isAudited =
        problem.status === 401 || problem.status === 403 || (route.method !== 'GET' && problem.status !== 429);
      if (keyed && isAudited && problem.status < 500) {
        await recordAudit(
          keyed.tenant,
          { type: 'api_key', id: keyed.keyId },
          auditEntry(route, keyed.keyId, facts, problem.status),
        ).catch((error) => log().error('the audit entry of a refusal is lost', error as Error));
      }
      if (problem.status >= 500)
        log().error('the request failed', {
          requestId: facts.requestId,
          error: (problem.cause ?? request.error) as Error,
        });
      finish(request, render({ status: problem.status, body: JSON.stringify(problem.body), headers: problem.headers }));
    },
  };
}

/** Who is it, from where, may they, and how much is left. */
function identifying(route: Route): Middleware {
  return {
    before: async ({ event, internal }) => {
      const authorization = lowerCased(event.headers)['authorization'];
      if (route.scope === 'public' && authorization === undefined) {
        internal.allowance = await countAnonymous(internal.facts.ip);
        if (internal.allowance.exceeded) throw rateLimited(internal.allowance);
        return;
      }
      try {
        const { caller, allowance } = await identify(authorization, internal.facts.ip);
        Object.assign(internal, { caller, allowance });
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        internal.allowance = await countAnonymous(internal.facts.ip);
        if (internal.allowance.exceeded) throw rateLimited(internal.allowance);
        if (route.scope === 'public') return;
        throw error;
      }
      const { caller, allowance } = internal as { caller: Caller; allowance: Allowance };
      if (allowance.exceeded) throw rateLimited(allowance);
      if (caller.ipAllowlist.length > 0 && !isWithin(caller.ip, caller.ipAllowlist)) {
        throw new Problem('forbidden', 'this key may not be used from this address', { reason: 'ip_not_allowed' });
      }
      if (route.scope !== 'public' && route.scope !== 'any' && !caller.scopes.includes(route.scope)) {
        throw new Problem('forbidden', `this key lacks the scope ${route.scope}`, {
          reason: 'missing_scope',
          requiredScopes: [route.scope],
        });
      }
    },
  };
}

/** Decodes the JSON body; what is wrong with it is told later, after a missing resource (contract 0.5). */
function readingBody(route: Route): Middleware {
  const parser = httpJsonBodyParser();
  return {
    before: async (request) => {
      const { event, internal } = request;
      if (!route.body || !event.body) return;
      const bytes = Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8');
      internal.rawBody = bytes.toString();
      if (bytes.length > maxBodyBytes) {
        internal.bodyProblem = badRequest('body_too_large', 'the body is larger than 1 MiB');
        return;
      }
      if (!/^application\/json\s*(;|$)/i.test(lowerCased(event.headers)['content-type']?.trim() ?? '')) {
        internal.bodyProblem = badRequest(
          'unsupported_content_type',
          'send the body with Content-Type: application/json',
        );
        return;
      }
      try {
        if (!isUtf8(bytes)) throw new SyntaxError('not UTF-8');
        await parser.before?.(request as never);
        if (/\\ud[89a-f]/i.test(internal.rawBody) && !isWellFormed(event.body))
          throw new SyntaxError('half a character');
      } catch {
        internal.bodyProblem = badRequest('malformed_json', 'the body is not valid JSON');
      }
    },
  };
}

/** JSON can escape what neither UTF-8 nor the table can hold. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, inner]) => name.isWellFormed() && isWellFormed(inner));
}

function callOf(event: Event, progress: Progress): Call {
  const headers = lowerCased(event.headers);
  return {
    path: (event.pathParameters ?? {}) as Record<string, string>,
    query: (event.queryStringParameters ?? {}) as Record<string, string>,
    // An empty body counts as {}; a body that says null is one of the wrong type.
    body: progress.rawBody === '' ? {} : event.body,
    bodyProblem: progress.bodyProblem,
    idempotencyKey: headers['idempotency-key'],
    ifMatch: headers['if-match'],
    ifNoneMatch: headers['if-none-match'],
  };
}

const render = (reply: Reply): Result => ({
  statusCode: reply.status,
  headers: { ...(reply.body === '' ? {} : { 'Content-Type': 'application/json' }), ...reply.headers },
  body: reply.body,
});

function withHeaders({ scope }: Route, { internal, event }: Request, answer: Result): Result {
  const { allowance, facts } = internal;
  return {
    ...answer,
    headers: {
      ...answer.headers,
      'X-Request-Id': facts.requestId,
      'X-Api-Revision': apiRevision,
      ...(event.requestContext.http.method === 'GET' && scope !== 'keys:manage' ? {} : { 'Cache-Control': 'no-store' }),
      ...(allowance && {
        'X-RateLimit-Limit': String(allowance.limit),
        'X-RateLimit-Remaining': String(allowance.remaining),
        'X-RateLimit-Reset': String(allowance.resetAt),
      }),
    },
  };
}

function rateLimited(allowance: Allowance): Problem {
  const retryAfterSeconds = Math.max(1, allowance.resetAt - Math.floor(Date.now() / 1000));
  return new Problem(
    'rate_limited',
    'too many requests in this minute',
    { retryAfterSeconds },
    {
      headers: { 'Retry-After': String(retryAfterSeconds) },
    },
  );
}

/** Throttling and time-outs of the table are worth a retry; anything else unexpected is ours. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const { name = '', $retryable } = error as { name?: string; $retryable?: unknown };
  if ($retryable || /Throttl|ProvisionedThroughput|RequestLimit|TimeoutError|ECONNREFUSED|ECONNRESET/.test(name))
    return unavailable(1, error);
  return new Problem('internal_error', 'an unexpected error occurred; it is safe to retry with back-off', null, {
    cause: error,
  });
}

function report(route: Route, { internal, response }: Request): void {
  const durationMs = performance.now() - internal.startedAt;
  const status = response?.statusCode ?? 0;
  const { facts, caller } = internal;
  log().info('request', {
    requestId: facts.requestId,
    method: facts.method,
    route: route.path,
    status,
    durationMs: Math.round(durationMs * 10) / 10,
    ...(caller && { keyId: caller.keyId, workspaceId: caller.tenant.workspaceId, env: caller.tenant.env }),
  });
  measure(
    { route: `${route.method} ${route.path}` },
    {
      latency: { unit: MetricUnit.Milliseconds, value: durationMs },
      serverErrors: { unit: MetricUnit.Count, value: status >= 500 ? 1 : 0 },
      clientErrors: { unit: MetricUnit.Count, value: status >= 400 && status < 500 ? 1 : 0 },
    },
  );
}

const newRequestId = () =>
  BigInt(`0x${randomUUID().replaceAll('-', '')}`)
    .toString(36)
    .padStart(26, '0')
    .slice(0, 26)
    .toUpperCase();

const lowerCased = (headers: Record<string, string | undefined> = {}) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const trustedProxies = () =>
  env('TRUSTED_PROXIES')
    .split(',')
    .map((range) => range.trim())
    .filter((range) => range !== '');

import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type * as v from 'valibot';
import type { Caller } from '#lib/core/caller.ts';
import { notFound, Problem, unavailable } from '#lib/core/problem.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { measured } from '#lib/table/usage.ts';
import { answering, render } from './answer.ts';
import { decodedBody, readingBody } from './body.ts';
import type { Reply } from './idempotency.ts';
import { countOnceMore, identifying, reserveItems, reservingItems } from './identify.ts';
import { answerOf, auditEntry, type Call, execute, type Operation, readBody } from './operation.ts';
import {
  callerOf,
  type Event,
  type Progress,
  progressOf,
  type RequestContext,
  type RequestStep,
  type Result,
} from './progress.ts';
import { refusing } from './refuse.ts';
import type { Input, RequestFacts, Route } from './route.ts';

/** The Lambda handler of one route. */
export interface RouteHandler {
  (event: Event, context: Context): Promise<Result>;
  route: Route;
}

/** One whose work MCP and others can call as well, without HTTP. */
export interface Endpoint extends RouteHandler {
  operation: Operation;
}

/** A function that runs out of time answers in the envelope; API Gateway's own answer would not be. */
const beforeTimeout = {
  timeoutEarlyInMillis: 500,
  timeoutEarlyResponse: () => {
    throw unavailable(1, new Error('the function ran out of time'));
  },
};

/** Returns the Lambda handler of a route: the fixed order of steps around its work. */
export function handlerOf(
  route: Route,
  steps: readonly RequestStep[],
  work: (event: Event, progress: Progress) => Promise<Reply>,
): RouteHandler {
  const handler = middy<Event, Result, Error, RequestContext>(beforeTimeout).handler(async (event, context) =>
    render(await work(event, progressOf(context))),
  );
  for (const step of [answering(route), refusing(route), ...steps]) handler.use(step);
  return Object.assign((event: Event, context: Context) => measured(() => handler(event, context)), { route });
}

/**
 * One endpoint: the route as data and the work. The fixed order of every request lives here: request id, key, address, scope,
 * rate limit, body, then `execute` (parse, idempotency, work, response parse), then headers (contract section 0).
 */
export function endpoint<
  Query extends v.GenericSchema,
  Body extends v.GenericSchema,
  Response extends v.GenericSchema,
  Path extends string,
  Text extends string = never,
>(
  route: Route<Query, Body, Response, Path, Text>,
  work: (input: Input<v.InferOutput<Query>, v.InferOutput<Body>, Path, Text>) => Promise<v.InferInput<Response>>,
): Endpoint {
  const operation: Operation = { route, work };
  const steps = [identifying(() => route.scope, route.roles), readingBody(route), reservingItems()];
  const handler = handlerOf(route, steps, (event, progress) =>
    execute(operation, callerOf(progress), callOf(event, progress), progress.facts),
  );
  return Object.assign(handler, { operation });
}

/** A route that needs no key, and whose answer nothing in the request changes. */
export const publicEndpoint = <Response extends v.GenericSchema>(
  route: Route<v.GenericSchema, v.GenericSchema, Response> & { scope: 'public' },
  work: () => Promise<v.InferInput<Response>>,
): RouteHandler =>
  handlerOf(route, [identifying(() => 'public')], async () => ({
    status: route.status,
    body: JSON.stringify(await work()),
    headers: {},
  }));

/** Request of a caller who is not identified. */
export interface OpenRequest<Body> {
  body: Body;
  facts: RequestFacts;
  /** By lower-case name. */
  headers: Record<string, string | undefined>;
  reply: Input<unknown, unknown>['reply'];
  /** Records the call as somebody's, once the work knows whose it is. */
  record(tx: UnitOfWork, by: Pick<Caller, 'keyId' | 'actor'>): void;
}

/** A route with a body that needs no key, as who signs in has none: calls count against the client's address, and no answer is kept. */
export const openEndpoint = <Body extends v.GenericSchema, Response extends v.GenericSchema>(
  route: Route<v.GenericSchema, Body, Response> & { scope: 'public'; body: Body },
  work: (request: OpenRequest<v.InferOutput<Body>>) => Promise<v.InferInput<Response>>,
): RouteHandler =>
  handlerOf(route, [identifying(() => 'public'), readingBody(route)], async (_, { facts, ...given }) => {
    const { value, ignored } = readBody(route, given);
    const record: OpenRequest<unknown>['record'] = (tx, by) => tx.audit(auditEntry(route, by, facts, route.status));
    const reply: Input<unknown, unknown>['reply'] = { ignored };
    const { headers } = given;
    const result = await work({ body: value as v.InferOutput<Body>, facts, headers, reply, record });
    return answerOf(route, {}, facts, reply, result);
  });

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
  /** Reserves points for the items of a batch until the request has ended. */
  reserve(body: unknown): Promise<void>;
}

/** A route whose answers have their own form (MCP); key, address, rate limit and headers are as everywhere. */
export const protocolEndpoint = (route: Route, work: (request: IdentifiedRequest) => Promise<Reply>): RouteHandler =>
  handlerOf(route, [identifying(() => route.scope), readingBody(route)], (_, progress) => {
    const { facts, headers, body, bodyProblem } = progress;
    const count = () => countOnceMore(progress);
    const reserve = (batch: unknown) => reserveItems(progress, batch);
    return work({ caller: callerOf(progress), facts, headers, body, bodyProblem, count, reserve });
  });

/** A call of a platform that tells us something. */
export interface HookRequest {
  /** The path variables. */
  path: Record<string, string>;
  /** By lower-case name. */
  headers: Record<string, string | undefined>;
  /** Decodes the body, once it is known who calls; undefined for what nobody can read. */
  readBody(): unknown;
}

/** A route that platforms post to: they prove themselves to the work, and count against no key and no address (contract 22.2). */
export const hookEndpoint = <Response extends v.GenericSchema>(
  route: Route<v.GenericSchema, v.GenericSchema, Response> & { scope: 'public'; isUndocumented: true },
  work: (request: HookRequest) => Promise<v.InferInput<Response>>,
): RouteHandler =>
  handlerOf(route, [], async (event, { headers }) => {
    const readBody = () => {
      const read = decodedBody(event, { headers });
      return 'body' in read ? read.body : undefined;
    };
    const answer = await work({ path: given(event.pathParameters), headers, readBody });
    return { status: route.status, body: JSON.stringify(answer), headers: {} };
  });

/**
 * The route for whatever no other matches: who calls is asked under `/v1` only (contract 0.1, 0.9). It is given `methodsOf`
 * because that loads the OpenAPI document, which no other function shall carry.
 */
export const unroutedEndpoint = (
  route: Route & { scope: 'public' },
  methodsOf: (path: string) => string[],
): RouteHandler =>
  handlerOf(
    route,
    [identifying(({ rawPath }) => (/^\/v1(\/|$)/.test(rawPath) ? 'any' : 'public'))],
    async ({ rawPath, requestContext: { http } }) => {
      const allowed = methodsOf(rawPath);
      if (allowed.length === 0) throw unknownPath(rawPath, methodsOf);
      const hasErasure = http.method === 'DELETE' && methodsOf(`${rawPath}/erasure`).length > 0;
      const methods = `${allowed.join(', ')}${hasErasure ? `, or POST ${rawPath}/erasure, which removes it for good` : ''}`;
      const details = { reason: 'method_not_allowed', allowed };
      const answer = { status: 405, headers: { Allow: allowed.join(', ') } };
      throw new Problem('bad_request', `this path does not take this method: use ${methods}`, details, answer);
    },
  );

/** A known path with a final slash says how it is written. */
function unknownPath(path: string, methodsOf: (path: string) => string[]): Problem {
  if (path === '/') return new Problem('not_found', 'path not found: the reference is at /docs/');
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  const bare = path.slice(0, end);
  return bare !== path && methodsOf(bare).length > 0
    ? new Problem('not_found', 'path not found: leave out the final /')
    : notFound('path');
}

function callOf(
  { pathParameters, queryStringParameters, rawQueryString }: Event,
  { headers, isStrict, body, bodyProblem }: Progress,
): Call {
  const names = [...new URLSearchParams(rawQueryString).keys()];
  return {
    path: given(pathParameters),
    query: given(queryStringParameters),
    repeated: new Set(names.filter((name, index) => names.indexOf(name) < index)),
    isStrict,
    body,
    bodyProblem,
    idempotencyKey: headers['idempotency-key'],
    ifMatch: headers['if-match'],
    ifNoneMatch: headers['if-none-match'],
  };
}

/** Assigned one by one, a name like `__proto__` would be lost. */
const given = (values: Record<string, string | undefined> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

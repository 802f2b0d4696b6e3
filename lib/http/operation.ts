import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { type Caller, callerName } from '#lib/core/caller.ts';
import {
  boundNames,
  entriesOf,
  fieldErrors,
  parseFields,
  requireKnown,
  requireOnce,
  unknownFields,
} from '#lib/core/fields.ts';
import { expanded, includedIn, withIncluded } from '#lib/core/include.ts';
import { conflict, invalidField, invalidFields, notFound, Problem } from '#lib/core/problem.ts';
import { isShownOnce, isUnkept, maxId, takesSeveral } from '#lib/core/schema.ts';
import { firstCharacters } from '#lib/core/text.ts';
import { defaultTimeoutSeconds } from '#lib/core/timeouts.ts';
import { AuditEvents } from '#lib/entities/audit-event.ts';
import { IdPool } from '#lib/table/ids.ts';
import { eventPrefix } from '#lib/table/outbox.ts';
import { transactCall } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { answerText, etagOf, matchesTag, namesTag } from './answer-text.ts';
import { type Claim, claim, keepRefusal, keepWith, type Reply, release } from './idempotency.ts';
import { withoutCredentials } from './log.ts';
import { answersTag, type Input, isWrite, type Params, type RequestFacts, type Route, type Texts } from './route.ts';

/** A route with its work, callable by HTTP and by MCP alike. */
export interface Operation {
  route: Route;
  work(input: Input<unknown, unknown>): Promise<unknown>;
}

/** Call before its validation. */
export interface Call {
  /** Path variables as text. */
  path: Record<string, string>;
  query: Record<string, string>;
  /** The parameters of the query that are given more than once. */
  repeated?: ReadonlySet<string>;
  /** Whether an unknown parameter or field is a 400 instead of ignored (`Prefer: handling=strict`). */
  isStrict?: boolean;
  /** The body, or why it could not be read. */
  body: unknown;
  bodyProblem?: Problem | undefined;
  idempotencyKey?: string | undefined;
  ifMatch?: string | undefined;
  ifNoneMatch?: string | undefined;
}

/**
 * Runs one operation in the fixed order: parse, idempotency, work, response parse, commit. Raises Problems; an answer under an
 * idempotency key is kept when the contract says so (0.3).
 */
export async function execute(operation: Operation, caller: Caller, call: Call, facts: RequestFacts): Promise<Reply> {
  const { route } = operation;
  const parsed = await parse(operation, caller, call);
  const run = (claim: Claim | undefined) =>
    isWrite(route)
      ? commitWork(operation, caller, call, facts, claim, parsed)
      : readWork(operation, caller, call, facts, parsed);
  if (call.idempotencyKey === undefined || !isWrite(route)) return run(undefined);

  const claimed = await claim(caller.tenant, call.idempotencyKey, {
    ...facts,
    keyId: callerName(caller),
    query: unlessDefault(route, parsed.query),
    body: withoutUnkept(route, call.body),
    timeoutSeconds: route.timeoutSeconds ?? defaultTimeoutSeconds,
  });
  if ('replay' in claimed) {
    await requireStillPermitted(route, caller, parsed);
    return withoutSecrets(route, claimed.replay);
  }
  try {
    return await run(claimed.claim);
  } catch (error) {
    if (error instanceof Problem && [404, 409, 412].includes(error.status)) {
      await keepRefusal(claimed.claim, {
        status: error.status,
        body: JSON.stringify(error.body),
        headers: error.headers,
      });
    } else {
      await release(claimed.claim);
    }
    throw error;
  }
}

/** One of several writes that are done as one. */
export interface Step {
  operation: Operation;
  call: Call;
  facts: RequestFacts;
}

/**
 * Does several writes to one resource in their order in one unit of work: all happen or none. All are parsed before any is
 * done; the audit trail names the first, whose route says how the resource is shown.
 */
export async function executeTogether(
  steps: readonly [Step, ...Step[]],
  caller: Caller,
): Promise<{ answers: Reply[]; shown: unknown }> {
  const parsed: Parsed[] = [];
  for (const { operation, call } of steps) parsed.push(await parse(operation, caller, call));
  const [{ operation, facts }] = steps;
  const { route } = operation;
  const { params, texts } = parsed[0] as Parsed;
  return transactCall(
    caller.tenant,
    caller.actor,
    async (tx) => {
      tx.refusesArchived = true;
      const answers: Reply[] = [];
      for (const [index, step] of steps.entries()) {
        const of = parsed[index] as Parsed;
        const reply: Input<unknown, unknown>['reply'] = { ignored: [...of.ignored] };
        const { answer } = await perform(step.operation, { tx, caller, request: step.facts, reply, ...of });
        answers.push(answer);
      }
      record(tx, auditEntry(route, caller, facts, route.status, params['id']));
      const shown = v.parse(route.representation ?? route.response, await route.current?.(tx, params, texts, caller));
      return { answers, shown };
    },
    idsOf(caller),
  );
}

/** Does the work, and makes its answer. What `execute` and `executeTogether` share: nothing is done that the caller may not do. */
async function perform(
  { route, work }: Operation,
  input: Input<unknown, unknown>,
): Promise<{ result: unknown; answer: Reply }> {
  await route.permit?.(input);
  const include = includedIn(input.query, input.body);
  const own = await work(input);
  const result = route.expand ? await expanded(input.tx, route.expand, own, include) : own;
  return { result, answer: answerOf(route, input.params, input.request, input.reply, result, include) };
}

/**
 * Checks a kept answer: it was permitted then, but the caller's rights may be fewer now. No other change is a reason to
 * refuse it.
 */
async function requireStillPermitted(route: Route, caller: Caller, { params, body }: Parsed): Promise<void> {
  try {
    await route.permit?.({ tx: new UnitOfWork(caller.tenant, caller.actor), caller, params, body });
  } catch (error) {
    if (!(error instanceof Problem) || error.status === 403) throw error;
  }
}

interface Parsed {
  params: Params;
  texts: Texts;
  query: unknown;
  body: unknown;
  ignored: string[];
}

/** The call as its route takes it. Raises 400, 404 and 412. */
async function parse(operation: Operation, caller: Caller, call: Call): Promise<Parsed> {
  const { params, texts } = pathParams(operation.route, call.path);
  const query = parseQuery(operation.route, call.query, call.repeated);
  if (call.isStrict) requireKnown(query.ignored, 'query.');
  const body = await parseBody(operation, caller, call, params, texts);
  return { params, texts, query: query.value, body: body.value, ignored: [...query.ignored, ...body.ignored] };
}

async function readWork(
  operation: Operation,
  caller: Caller,
  call: Call,
  request: RequestFacts,
  parsed: Parsed,
): Promise<Reply> {
  const tx = UnitOfWork.forAnswer(caller.tenant, caller.actor);
  const reply: Input<unknown, unknown>['reply'] = { ignored: [...parsed.ignored] };
  const { answer } = await perform(operation, { tx, caller, request, reply, ...parsed });
  const tag = answer.headers['ETag'];
  if (tag && call.ifNoneMatch !== undefined && namesTag(call.ifNoneMatch, tag))
    return { status: 304, body: '', headers: answer.headers };
  return answer;
}

/** The work and its commit, repeated on fresh reads when somebody else was faster. */
async function commitWork(
  operation: Operation,
  caller: Caller,
  call: Call,
  request: RequestFacts,
  claim: Claim | undefined,
  parsed: Parsed,
): Promise<Reply> {
  const { isStrict = false } = call;
  return transactCall(
    caller.tenant,
    caller.actor,
    async (tx) => {
      if (call.ifMatch !== undefined)
        await requireMatch(operation.route, tx, caller, call.ifMatch, parsed.params, parsed.texts);
      tx.refusesArchived = true;
      const reply: Input<unknown, unknown>['reply'] = { ignored: [...parsed.ignored] };
      const { result, answer } = await perform(operation, { tx, caller, request, reply, claim, isStrict, ...parsed });
      record(tx, auditEntry(operation.route, caller, request, answer.status, parsed.params['id'] ?? idOf(result)));
      if (claim) await keepWith(tx, claim, withoutSecrets(operation.route, answer));
      // So that the panel tells its own changes from those of others.
      return caller.session ? { ...answer, headers: { ...answer.headers, 'X-Events': eventPrefix(tx.id) } } : answer;
    },
    idsOf(caller),
  );
}

/** The ids of a call, with one for its audit entry whenever it fetches any. */
const idsOf = ({ tenant }: Caller) => ({ ids: new IdPool(tenant, AuditEvents) });

function record(tx: UnitOfWork, entry: ReturnType<typeof auditEntry>): void {
  const id = tx.spareId(AuditEvents);
  tx.audit(id === undefined ? entry : { ...entry, id });
}

/** The answer as it may be kept and given again: what is shown once is not in it. */
function withoutSecrets({ response }: Route, answer: Reply): Reply {
  const secrets = Object.entries(entriesOf(response)).flatMap(([name, schema]) => (isShownOnce(schema) ? [name] : []));
  if (secrets.length === 0 || answer.status >= 400) return answer;
  const shown = JSON.parse(answer.body) as Record<string, unknown>;
  for (const name of secrets) shown[name] = null;
  return { ...answer, body: JSON.stringify(shown) };
}

/** The body as two calls under one key are compared by it. */
function withoutUnkept({ body }: Route, given: unknown): unknown {
  const unkept = Object.entries(entriesOf(body)).flatMap(([name, schema]) => (isUnkept(schema) ? [name] : []));
  if (unkept.length === 0) return given;
  return Object.fromEntries(Object.entries(given as object).filter(([name]) => !unkept.includes(name)));
}

const idOf = (result: unknown) => {
  const id = (result as { id?: unknown } | null)?.id;
  return typeof id === 'number' ? id : undefined;
};

/** Returns the answer of the work in its sent form. Throws when it is not what the route declares. */
export function answerOf(
  route: Route,
  params: Params,
  request: RequestFacts,
  reply: Input<unknown, unknown>['reply'],
  result: unknown,
  include: readonly string[] = [],
): Reply {
  const parsed = v.safeParse(route.response, result);
  if (!parsed.success) {
    throw new Error(
      `${route.method} ${route.path} answers what its schema refuses: ${v.getDotPath(parsed.issues[0])} ${parsed.issues[0].type}`,
    );
  }
  const status = reply.status ?? route.status;
  const shown = withIncluded(parsed.output, result, include);
  const body = answerText(shown);
  const headers: Record<string, string> = {};
  // What is added makes no writer's tag stale: `If-Match` is about the resource without it.
  const { volatile, reported = [] } = route;
  if (answersTag(route))
    headers['ETag'] = etagOf(route.made ? v.parse(route.made, parsed.output) : shown, {
      ...(volatile && { volatile }),
      reported: [...reported, ...include],
    });
  if (status === 201 || status === 202) {
    headers['Location'] =
      route.location?.(parsed.output, params) ?? `${request.path.replace(/\/$/, '')}/${idOf(parsed.output) ?? ''}`;
  }
  if (reply.cookie) headers['Set-Cookie'] = reply.cookie;
  if (reply.location) headers['Location'] = reply.location;
  if (reply.ignored.length > 0) headers['X-Ignored-Parameters'] = boundNames(reply.ignored).join(',');
  return { status, body, headers };
}

/** More than any id has, and far less than DynamoDB takes in a key. */
const maxTextIdCharacters = 100;

function pathParams(route: Route, path: Call['path']): { params: Params; texts: Texts } {
  const params: Record<string, number> = {};
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(path)) {
    if (route.textParams?.includes(name) && value.length <= maxTextIdCharacters) texts[name] = value;
    else if (/^[1-9]\d{0,9}$/.test(value) && Number(value) <= maxId) params[name] = Number(value);
    else throw notFound('resource');
  }
  return { params, texts };
}

/** `key` of `metadata.key` and of `metadata[key]`, which is how generated clients write an object in a query. */
function metadataKeyOf(name: string): string | undefined {
  const [, dotted, bracketed] = /^metadata(?:\.(.*)|\[(.*)\])$/s.exec(name) ?? [];
  return dotted ?? bracketed;
}

/** The query as the route takes it, and the names that it does not know. Raises 400, also for one value given twice. */
export function parseQuery(
  route: Route,
  query: Call['query'],
  repeated: ReadonlySet<string> = new Set(),
): { value: unknown; ignored: string[] } {
  const entries = entriesOf(route.query);
  const input: Record<string, unknown> = {};
  const ignored: string[] = [];
  const metadata = new Map<string, string>();
  const twice = new Set<string>();
  for (const [name, value] of Object.entries(query)) {
    const key = 'metadata' in entries ? metadataKeyOf(name) : undefined;
    if (key !== undefined) {
      if (metadata.has(key) || repeated.has(name)) twice.add(`query.metadata.${key}`);
      if (value.trim() !== '') metadata.set(key, value);
    } else if (!Object.hasOwn(entries, name) || name === 'metadata') ignored.push(name);
    else if (repeated.has(name) && !takesSeveral(entries[name] as v.GenericSchema)) twice.add(`query.${name}`);
    else if (value.trim() !== '') input[name] = value;
  }
  requireOnce(twice);
  if (metadata.size > 0) input['metadata'] = Object.fromEntries(metadata);
  if (route.query === undefined) return { value: {}, ignored };
  const parsed = v.safeParse(route.query, input);
  if (!parsed.success) throw invalidFields(fieldErrors(parsed.issues, 'query.'));
  return { value: parsed.output, ignored };
}

/** Undefined for a query that says no more than none does. */
const unlessDefault = (route: Route, query: unknown) =>
  isDeepStrictEqual(query, parseQuery(route, {}).value) ? undefined : query;

/** The body as the route takes it. Raises 400. */
export function readBody(
  route: Route,
  { body, bodyProblem, isStrict }: Pick<Call, 'body' | 'bodyProblem' | 'isStrict'>,
) {
  if (!route.body) return { value: undefined, ignored: [] };
  if (bodyProblem) throw bodyProblem;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidField('body', 'invalid_type', 'the body must be a JSON object');
  }
  const ignored = unknownFields(route.body, body);
  const value = parseFields(route.body, body, route.readOnly);
  if (isStrict) requireKnown(ignored);
  return { value, ignored };
}

async function parseBody(operation: Operation, caller: Caller, call: Call, params: Params, texts: Texts) {
  const { route } = operation;
  try {
    return readBody(route, call);
  } catch (problem) {
    // Missing and stale resources are answered before a bad body (contract 0.5, 0.9).
    const tx = new UnitOfWork(caller.tenant, caller.actor);
    await route.exists?.(tx, params);
    if (call.ifMatch !== undefined) await requireMatch(route, tx, caller, call.ifMatch, params, texts);
    else await route.current?.(tx, params, texts, caller);
    throw problem;
  }
}

async function requireMatch(
  route: Route,
  tx: UnitOfWork,
  caller: Caller,
  ifMatch: string,
  params: Params,
  texts: Texts,
): Promise<void> {
  if (!route.current) return;
  const current = await route.current(tx, params, texts, caller);
  const tag = etagOf(v.parse(route.representation ?? route.response, current), route);
  if (!matchesTag(ifMatch, tag)) {
    const { code, message, details } = conflict(
      'stale_version',
      'the resource has changed since this ETag: read it again, and repeat your change',
    );
    throw new Problem(code, message, details, { status: 412 });
  }
}

/** MCP puts an argument into the path, and nothing between bounds it as API Gateway bounds a URL. */
const maxAuditCharacters = 500;

/** `contact` of `contacts`, `company` of `companies`. */
const singular = (nouns: string) => (nouns.endsWith('ies') ? `${nouns.slice(0, -3)}y` : nouns.replace(/s$/, ''));

/** One line of the audit trail (contract sections 18 and 27); of a longer path its beginning. */
export function auditEntry(
  route: Route,
  { keyId, actor }: Pick<Caller, 'keyId' | 'actor'>,
  request: RequestFacts,
  status: number,
  resourceId?: number,
) {
  const called = firstCharacters(withoutCredentials(request.path), maxAuditCharacters);
  const path = route.path === '$default' ? called : route.path;
  const segments =
    path
      .replace(/^\/((v1|panel)\/)?/, '')
      .split(/\/(?:\{|\d)/)[0]
      ?.split('/')
      .filter((segment) => segment !== 'batch' && segment !== 'upsert') ?? [];
  return {
    keyId,
    memberId: actor.type === 'user' ? actor.id : null,
    method: request.method,
    path: called,
    status,
    ip: request.ip,
    userAgent: request.userAgent,
    requestId: request.requestId,
    resourceType: singular(segments.join('_').replaceAll('-', '_')),
    resourceId: resourceId ?? null,
  };
}

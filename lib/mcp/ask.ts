import { requireScope } from '#lib/core/caller.ts';
import { entriesOf } from '#lib/core/fields.ts';
import { invalidField, Problem } from '#lib/core/problem.ts';
import { firstCharacters } from '#lib/core/text.ts';
import type { Endpoint, IdentifiedRequest } from '#lib/http/endpoint.ts';
import type { Reply } from '#lib/http/idempotency.ts';
import { type Call, execute, executeTogether, type Step } from '#lib/http/operation.ts';
import { auditRefusal, problemOf } from '#lib/http/refuse.ts';
import { isWrite, type Route } from '#lib/http/route.ts';
import { isObject } from './message.ts';
import type { Arguments, Ask, Update, View } from './tool.ts';

type Request = Pick<IdentifiedRequest, 'caller' | 'facts' | 'reserve'>;

/**
 * The caller's operations, called as HTTP would: the same scopes, validation, idempotency keys, audit trail and errors. What
 * no operation took is found by the names that `taken` lacks. A tool may use the operations that it declares, no others.
 */
export function asking({ caller, facts, reserve }: Request, declared: readonly Endpoint[]) {
  const taken = new Set<string>();
  const ignored = new Set<string>();

  const read = ({ status, body, headers }: Reply): View => {
    for (const name of (headers['X-Ignored-Parameters'] ?? '').split(',')) {
      if (name !== '') ignored.add(name);
    }
    const shown = JSON.parse(body) as View;
    if (status >= 400) throw new Problem(shown.error, shown.message, shown.details, { status });
    return shown;
  };

  const step = (of: Endpoint, args: Arguments): Step => {
    const { route, operation } = of;
    if (!declared.includes(of)) throw new Error(`the tool does not declare ${route.method} ${route.path}`);
    requireScope(route, caller);
    const { call, path, names } = callOf(route, args);
    for (const name of names) taken.add(name);
    return { operation, call, facts: { ...facts, method: route.method, path } };
  };

  const audited = async <Result>(of: Endpoint, args: Arguments, work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      const { status } = problemOf(error);
      if (isWrite(of.route) && status < 500 && status !== 429) {
        const { path } = callOf(of.route, args);
        await auditRefusal(caller, of.route, { ...facts, method: of.route.method, path }, status);
      }
      throw error;
    }
  };

  const ask: Ask = (of, args) =>
    audited(of, args, async () => {
      const { operation, call, facts } = step(of, args);
      if (call.idempotencyKey !== undefined) taken.add('idempotencyKey');
      await reserve(call.body);
      return read(await execute(operation, caller, call, facts));
    });

  const update: Update = (parts) =>
    audited(...parts[0], async () => {
      const [first, ...others] = parts.map((part) => step(...part));
      const { shown, answers } = await executeTogether([first as Step, ...others], caller);
      return { shown, answers: answers.map(read) };
    });

  return { ask, update, taken, ignored };
}

/** The arguments as the request that HTTP would carry. */
function callOf(route: Route, args: Arguments): { call: Call; path: string; names: string[] } {
  const variables = [...route.path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name as string);
  const path = Object.fromEntries(variables.map((name) => [name, textOf(args[name])]));
  const query = given(route.query && { ...entriesOf(route.query) }, args, variables);
  const body = given(route.body && { ...entriesOf(route.body) }, args, variables);
  const missing = variables.find((name) => args[name] === undefined || args[name] === null);
  if (missing) throw invalidField(missing, 'required', `${missing} is required`);
  return {
    call: {
      path,
      query: queryOf(query),
      body,
      idempotencyKey:
        !isWrite(route) || args['idempotencyKey'] === undefined ? undefined : textOf(args['idempotencyKey']),
    },
    path: route.path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? '')),
    names: [...variables, ...Object.keys(query), ...Object.keys(body)],
  };
}

const given = (entries: object | undefined, args: Arguments, taken: readonly string[]): Arguments =>
  Object.fromEntries(
    Object.entries(args).filter(([name]) => entries && Object.hasOwn(entries, name) && !taken.includes(name)),
  );

/** About what API Gateway lets a whole URL have, and more than any parameter needs. */
const maxQueryCharacters = 8000;

function queryOf({ metadata = null, ...others }: Arguments): Record<string, string> {
  if (metadata !== null && !isObject(metadata))
    throw invalidField('query.metadata', 'invalid_type', 'query.metadata must be an object');
  const pairs = Object.entries(metadata ?? {}).map(([key, value]) => [`metadata.${key}`, value] as const);
  return Object.fromEntries(
    [...Object.entries(others), ...pairs]
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, queryTextOf(name, value)]),
  );
}

function queryTextOf(name: string, value: unknown): string {
  const text = textOf(value);
  if (text.length <= maxQueryCharacters) return text;
  const field = `query.${firstCharacters(name, 100)}`;
  throw invalidField(field, 'too_long', `${field} must have at most ${maxQueryCharacters} characters`);
}

/** A list as a query has it. One in a list is none: joined level by level it would cost its size as often as it is deep. */
const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.map(plainTextOf).join(',') : plainTextOf(value);

const plainTextOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

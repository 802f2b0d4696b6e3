import * as v from 'valibot';
import type { RouteFunction } from '#infra/functions.ts';
import { maxMetadataFilters } from '#lib/core/metadata.ts';
import { statusOf } from '#lib/core/problem.ts';
import { maxId } from '#lib/core/schema.ts';
import { scopesOf } from '#lib/core/scopes.ts';
import { answersTag, isWrite, type Route } from '#lib/http/route.ts';
import { errorResponses } from './errors.ts';
import { exampleOf } from './examples.ts';
import { everyAnswer, headerRefs, parameterRef } from './headers.ts';
import type { JsonSchema } from './inner.ts';
import type { SchemaComponents } from './schemas.ts';

/** One route as an OpenAPI operation. */
export function operationOf({ name, domain, route }: RouteFunction, components: SchemaComponents) {
  const { body, scope, summary } = route;
  return {
    operationId: name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
    tags: [domain],
    summary,
    description: descriptionOf(route),
    ...(scope === 'public' ? { security: [] } : {}),
    'x-required-scopes': scopesOf(route),
    parameters: [...pathParameters(route), ...queryParameters(route, components), ...headerParameters(route)],
    ...(body ? { requestBody: { required: true, content: json(components.input(body), body, components) } } : {}),
    responses: responsesOf(route, components),
  };
}

const hasResource = ({ path }: Route) => path.includes('{');

const quoted = (name: string) => `\`${name}\``;

function descriptionOf(route: Route): string {
  const elsewhere = Object.entries(route.readOnly ?? {}).map(([field, pointer]) => `- \`${field}\`: ${pointer}`);
  const paragraphs = [
    scopesOf(route).length > 0 ? `Requires the scope ${scopesOf(route).map(quoted).join(', or ')}.` : '',
    route.scope === 'any' ? 'Any valid key may call it.' : '',
    route.scope === 'public' ? 'Needs no key.' : '',
    elsewhere.length > 0 ? `Not changed here:\n${elsewhere.join('\n')}` : '',
  ];
  return paragraphs.filter((paragraph) => paragraph !== '').join('\n\n');
}

/** Ids of the world of the examples, by what stands before them in a path. */
const idsInPaths: Readonly<Record<string, number>> = {
  accounts: 2,
  agents: 1,
  attachments: 77,
  contacts: 7,
  conversations: 14,
  deals: 31,
  erasures: 9,
  invoices: 42,
  jobs: 9120,
  keys: 17,
  logins: 8,
  members: 3,
  messages: 4711,
  pipelines: 1,
  sequences: 6,
  tags: 4,
  tasks: 58,
  threads: 12,
  transactions: 310,
  webhooks: 5,
};

function pathParameters({ path, textParams }: Route) {
  return [...path.matchAll(/(?<=\/)([^/]+)\/\{([^{}/]+)\}/g)].map(([, above = '', name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: textParams?.includes(name)
      ? { type: 'string' }
      : { type: 'integer', format: 'int64', minimum: 1, maximum: maxId },
    ...(textParams?.includes(name) ? {} : { example: idsInPaths[above] ?? 1 }),
  }));
}

function queryParameters({ query }: Route, components: SchemaComponents) {
  if (!query) return [];
  const { properties = {}, required = [] } = components.resolve(components.input(query)) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description ? { description } : {}),
    ...(name === 'metadata' ? metadataFilter(schema) : { schema }),
  }));
}

/** `metadata[<key>]=<value>`; that `metadata.<key>=<value>` says the same stands in the description, since OpenAPI has no word for it. */
const metadataFilter = (schema: JsonSchema) => ({
  style: 'deepObject',
  explode: true,
  schema: { ...schema, maxProperties: maxMetadataFilters },
  example: { externalId: 'crm-7' },
});

function headerParameters(route: Route) {
  if (!isWrite(route)) return hasResource(route) ? [parameterRef('IfNoneMatch')] : [];
  if (route.scope === 'public') return [];
  return [parameterRef('IdempotencyKey'), ...(route.current ? [parameterRef('IfMatch')] : [])];
}

function responsesOf(route: Route, components: SchemaComponents) {
  const { response, responseOf = {}, status, otherStatuses = [] } = route;
  const statuses = [...new Set([status, ...otherStatuses])];
  const successes = statuses.map((code) => {
    const shown = responseOf[code] ?? response;
    const content = json(components.output(shown), shown, components);
    return [code, { description: sentences[code], headers: successHeaders(route, code), content }];
  });
  const unchanged = !isWrite(route) && hasResource(route) ? [[304, unchangedAnswer]] : [];
  const errors = errorResponses
    .filter(({ name }) => mayAnswer(route).has(name))
    .map(({ name, status }) => [status, { $ref: `#/components/responses/${name}` }]);
  return Object.fromEntries([...successes, ...unchanged, ...errors]);
}

const sentences = {
  200: 'The call was done.',
  201: 'The resource was created. `Location` names it.',
  202: 'The call was accepted and is done soon after.',
} as const;
const unchangedAnswer = {
  description: 'The resource has not changed since the ETag that you sent.',
  headers: headerRefs([...everyAnswer, 'ETag']),
};

function successHeaders(route: Route, status: number) {
  return headerRefs([
    ...everyAnswer,
    ...(answersTag(route) ? (['ETag'] as const) : []),
    ...(status === 200 ? [] : (['Location'] as const)),
    ...(isWrite(route) && route.scope !== 'public' ? (['Idempotency-Replayed'] as const) : []),
    'X-Ignored-Parameters',
  ]);
}

/** The names of the error answers that a route can give: those every route has, those of its features, its own. */
function mayAnswer(route: Route): Set<string> {
  const own = errorResponses.filter(({ code, status }) => route.errors.includes(code) && statusOf[code] === status);
  const always = ['RateLimited', 'InternalError', 'Unavailable'];
  const keyed = route.scope === 'public' ? [] : ['Unauthorized', 'Forbidden'];
  // Strict handling refuses unknown parameters everywhere.
  const parsed = route.query || route.body || route.path.startsWith('/v1/') ? ['BadRequest'] : [];
  const named = hasResource(route) ? ['NotFound'] : [];
  const written = isWrite(route) && route.scope !== 'public' ? ['BadRequest', 'Conflict'] : [];
  const versioned = route.current ? ['StaleVersion'] : [];
  return new Set([...always, ...keyed, ...parsed, ...named, ...written, ...versioned, ...own.map(({ name }) => name)]);
}

function json(schema: JsonSchema, source: v.GenericSchema, components: SchemaComponents) {
  const example = exampleOf(schema, components);
  const parsed = v.safeParse(source, example);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new Error(
      `the example does not fit its schema (${v.getDotPath(issue)}: ${issue.message}); give it one with v.examples`,
    );
  }
  return { 'application/json': { schema, example } };
}

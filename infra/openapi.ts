import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadRoutes, type RouteFunction } from '#infra/functions.ts';
import { apiRevision } from '#lib/revision.ts';
import { withNamedEnums } from './openapi/enums.ts';
import { describeErrors, errorResponses, examplesOf } from './openapi/errors.ts';
import { everyAnswer, headerRefs, headers, parameters } from './openapi/headers.ts';
import { operationOf } from './openapi/operation.ts';
import { SchemaComponents } from './openapi/schemas.ts';
import { deliveryHeaders, describeEvents, webhooksOf, webhookTag } from './openapi/webhooks.ts';

const file = join(import.meta.dirname, '../openapi.json');

/** The OpenAPI 3.1 document of the routes. */
export function buildOpenApi(routes: readonly RouteFunction[]) {
  const described = routes.filter(({ route }) => route.method !== 'ANY' && !route.isUndocumented);
  const components = new SchemaComponents();
  describeErrors(components);
  describeEvents(components);
  return withNamedEnums({
    openapi: '3.1.0',
    info,
    servers,
    security: [{ bearerKey: [] }],
    tags: [...[...new Set(described.map(({ domain }) => domain))].map((name) => ({ name })), webhookTag],
    paths: pathsOf(described, components),
    webhooks: webhooksOf(components),
    components: {
      schemas: components.toJSON(),
      responses: errorComponents(),
      headers,
      parameters: { ...parameters, ...deliveryHeaders },
      securitySchemes: { bearerKey },
    },
  });
}

const info = {
  title: 'Contact and Pipeline Management API',
  version: apiRevision,
  description: [
    'Contacts, deals, tasks, finance, e-mail threads and outbound messages over HTTPS and JSON.',
    'A resource that does not exist or belongs to another workspace is a 404. Ids are 32-bit integers; times are ISO 8601 in UTC.',
    'Unknown query parameters and body fields are ignored and named in `X-Ignored-Parameters`.',
    'Texts are trimmed and hold no control characters (Unicode category Cc) but tab, line feed and carriage return; names, titles and other labels are one line and hold none.',
    'Lists are newest first: pass `nextCursor` as `after` until `hasMore` is false. A page that would be more than 5 MB ends early, with `hasMore` and `nextCursor`.',
    'An answer that is given again under its `Idempotency-Key` has null where the first showed a secret once (`key`, `secret`).',
  ].join('\n\n'),
};

const servers = [
  {
    url: '{baseUrl}',
    description: 'Where this API is deployed',
    variables: { baseUrl: { default: 'http://127.0.0.1:3000' } },
  },
];

const bearerKey = {
  type: 'http',
  scheme: 'bearer',
  description:
    'A key `csk_<env>_<keyId><secret>`; `live` keys act on real data, `test` keys on the sandbox. A key with `keys:manage` makes and changes no key that is stronger than itself, but may revoke any of the workspace, also a stronger one (a test key only test keys).',
};

function pathsOf(routes: readonly RouteFunction[], components: SchemaComponents) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const of of routes) {
    const { method, path } = of.route;
    try {
      paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(of, components) };
    } catch (error) {
      throw new Error(`${method} ${path}: ${(error as Error).message}`, { cause: error });
    }
  }
  return paths;
}

function errorComponents() {
  const waits = ['Conflict', 'RateLimited', 'Unavailable'];
  const kept = ['NotFound', 'Conflict', 'StaleVersion'];
  return Object.fromEntries(
    errorResponses.map((response) => [
      response.name,
      {
        description: response.description,
        headers: headerRefs([
          ...everyAnswer,
          ...(waits.includes(response.name) ? (['Retry-After'] as const) : []),
          ...(kept.includes(response.name) ? (['Idempotency-Replayed'] as const) : []),
        ]),
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/ApiError' }, examples: examplesOf(response) },
        },
      },
    ]),
  );
}

/** The document as `openapi.json` holds it. */
export async function renderOpenApi(): Promise<string> {
  return `${JSON.stringify(buildOpenApi(await loadRoutes()), null, 2)}\n`;
}

async function main() {
  const rendered = await renderOpenApi();
  if (!process.argv.includes('--check')) return writeFile(file, rendered);
  if ((await readFile(file, 'utf8')) === rendered) return;
  console.error('openapi.json is not what the routes say: run npm run openapi');
  process.exitCode = 1;
}

if (import.meta.main) await main();

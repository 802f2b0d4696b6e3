import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadRoutes, type RouteFunction } from '#infra/functions.ts';
import { apiRevision } from '#lib/core/revision.ts';
import { withDescriptions } from './openapi/describe.ts';
import { withNamedEnums } from './openapi/enums.ts';
import { describeErrors, errorResponses, examplesOf } from './openapi/errors.ts';
import { everyAnswer, headerRefs, headers, parameters } from './openapi/headers.ts';
import { operationOf } from './openapi/operation.ts';
import { SchemaComponents } from './openapi/schemas.ts';
import { deliveryHeaders, describeEvents, webhooksOf, webhookTag } from './openapi/webhooks.ts';

const file = join(import.meta.dirname, '../openapi.json');

/** Whether a route is for callers of the API. */
const isPublic = ({ route }: RouteFunction) => route.method !== 'ANY' && !route.isUndocumented;

/** Whether it is one of the panel's operations, which its page alone calls; the page itself is none. */
const isOfPanel = ({ route: { path } }: RouteFunction) => path.startsWith('/panel/') && !path.includes('+}');

/** The OpenAPI 3.1 document of the routes that are for everybody. */
export const buildOpenApi = (routes: readonly RouteFunction[]) => describedOpenApi(routes).document;

/** The same, with the places of the texts in the catalog that it uses. */
export const describedOpenApi = (routes: readonly RouteFunction[]) =>
  withDescriptions(withNamedEnums(documentOf(routes.filter(isPublic), true)));

/** Returns the document of the panel's operations, from which its types are made. */
export const buildPanelApi = (routes: readonly RouteFunction[]) => documentOf(routes.filter(isOfPanel), false);

function documentOf(described: readonly RouteFunction[], hasEvents: boolean) {
  const components = new SchemaComponents();
  describeErrors(components);
  if (hasEvents) describeEvents(components);
  const tags = [...new Set(described.map(({ domain }) => domain))].map((name) => ({ name }));
  return {
    openapi: '3.1.0',
    info,
    servers,
    security: [{ bearerKey: [] }],
    tags: hasEvents ? [...tags, webhookTag] : tags,
    paths: pathsOf(described, components),
    ...(hasEvents && { webhooks: webhooksOf(components) }),
    components: {
      schemas: components.toJSON(),
      responses: errorComponents(),
      headers,
      parameters: { ...parameters, ...(hasEvents && deliveryHeaders) },
      securitySchemes: { bearerKey },
    },
  };
}

const info = {
  title: 'Contact and Pipeline Management API',
  version: apiRevision,
  description: [
    'Contacts, deals, tasks, finance, mail, and messages over HTTPS and JSON. One key belongs to one workspace.',
    'A resource that does not exist, or belongs to another workspace, answers 404. Ids are 32-bit integers. Times are ISO 8601 in UTC; you may send any offset.',
    'Unknown query parameters and body fields are ignored and named in `X-Ignored-Parameters`. With `Prefer: handling=strict` they are refused with 400 instead.',
    'Texts are trimmed. They hold no control characters except tab, line feed, and carriage return; names, titles, and other labels are one line and hold none.',
    'Lists are newest first. Pass `nextCursor` as `after` until `hasMore` is false. A page that would exceed 5 MB ends early, with `hasMore` and `nextCursor`.',
    'Writes take an `Idempotency-Key`, which makes them safe to repeat. A repeated answer has null where the first one showed a secret (`key`, `secret`).',
  ].join('\n\n'),
};

const servers = [
  {
    url: '{baseUrl}',
    description: 'Address of the deployment',
    variables: { baseUrl: { default: 'http://127.0.0.1:3000' } },
  },
];

const bearerKey = {
  type: 'http',
  scheme: 'bearer',
  description:
    'A key `csk_<env>_<keyId><secret>`. Keys of `live` act on real data, keys of `test` on the sandbox. A key with `keys:manage` cannot create or change a stronger key, but it can revoke any key of the workspace. A test key can revoke test keys only.',
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
  // Only the types of the panel are made of this document.
  if (process.argv.includes('--panel')) {
    process.stdout.write(JSON.stringify(buildPanelApi(await loadRoutes())));
    return;
  }
  const rendered = await renderOpenApi();
  if (!process.argv.includes('--check')) return writeFile(file, rendered);
  if ((await readFile(file, 'utf8')) === rendered) return;
  console.error('openapi.json is not what the routes say: run npm run openapi');
  process.exitCode = 1;
}

if (import.meta.main) await main();

import { beforeAll, describe, expect, test } from 'vitest';
import { loadRoutes } from '#infra/functions.ts';
import { createDemo } from '#infra/local/demo.ts';
import { dayMs, fromNow } from '#lib/core/clock.ts';
import { Problem } from '#lib/core/problem.ts';
import { maxId } from '#lib/core/schema.ts';
import { parseQuery, readBody } from '#lib/http/operation.ts';
import type { Route } from '#lib/http/route.ts';
import document from '#openapi' with { type: 'json' };
import { type Answer, type Client, everyItem, type Options } from '#test/client.ts';
import { makeMissing } from '#test/contract/make-missing.ts';
import { wholeSchema } from '#test/contract/whole-schema.ts';
import { type Schema, wrongQueryTexts, wrongValues } from '#test/contract/wrong-values.ts';
import { settle } from '#test/harness.ts';
import { because } from '#test/refusals.ts';
import { clientOf } from '#test/workspace.ts';

interface Operation {
  name: string;
  method: string;
  path: string;
  parameters: { name: string; in: string; required?: boolean; style?: string; schema: Schema; $ref?: string }[];
  body: Schema | undefined;
  example: Record<string, unknown>;
}

const whole = (schema: Schema) => wholeSchema(schema, document.components.schemas as Record<string, Schema>);

const operations = Object.entries(document.paths as unknown as Record<string, Record<string, Schema>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, { parameters, requestBody }]): Operation => {
      const content = requestBody?.content['application/json'];
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        parameters: parameters.map((of: Schema) => ('schema' in of ? { ...of, schema: whole(of['schema']) } : of)),
        body: content && whole(content.schema),
        example: content?.example,
      };
    }),
);
const v1 = operations.filter(({ path }) => path.startsWith('/v1/'));
const withQuery = v1.filter(({ parameters }) => parameters.some(({ in: place }) => place === 'query'));
const isTime = ({ in: place, schema }: Operation['parameters'][number]) =>
  place === 'query' && schema['format'] === 'date-time';
const withTimes = v1.filter(({ parameters }) => parameters.some(isTime));
const batches = v1.filter(({ path }) => path.endsWith('/batch'));
const withBody = v1.filter((operation) => operation.body && !batches.includes(operation));

const versioned = v1.filter(({ parameters }) => parameters.some(({ $ref }) => $ref?.endsWith('/IfMatch')));

let client: Client;
let before: Record<string, unknown>;
const ids = new Map<string, number>();
const routes = new Map((await loadRoutes()).map(({ route }) => [`${route.method} ${route.path}`, route as Route]));

beforeAll(async () => {
  const { workspaceId } = await createDemo();
  client = await clientOf(workspaceId, 'test');
  const { body: endpoint } = await client.post('/v1/webhooks', {
    url: 'https://example.com/hooks',
    eventKinds: ['webhook.test'],
  });
  ids.set('/v1/webhooks/{id}', endpoint.id);
  const { body: login } = await client.post('/v1/telegram/logins', { phone: '+49 170 5550100' });
  ids.set('/v1/telegram/logins/{id}', login.id);
  const later = { to: ['anna@example.com'], subject: 'Later', bodyText: 'Hello', runAt: fromNow(30 * dayMs) };
  const { body: mail } = await client.post('/v1/email/messages', later, 202);
  ids.set('/v1/jobs/{id}', mail.id);
  const { body: person } = await client.post('/v1/contacts', { name: 'Ada', email: 'ada@example.com' }, 201);
  ids.set('/v1/contacts/{id}', person.id);
  await makeMissing(client, { workspaceId, env: 'test' });
  await settle();
  before = await everything();
});

/** The path of something that is there. */
async function existing(path: string): Promise<string> {
  const [, collection, rest] = /^(.*?)\/\{id\}(.*)$/.exec(path) ?? [];
  if (collection === undefined) return path;
  const known = ids.get(`${collection}/{id}`) ?? (await firstOf(collection));
  ids.set(`${collection}/{id}`, known);
  const column = rest?.includes('{columnId}') ? String(await firstOf(`${collection}/${known}/columns`)) : '';
  return `${collection}/${known}${rest}`.replace(/\{(?:tag|address)Id\}/, '1').replace('{columnId}', column);
}

/** The jobs of a channel may have no list of their own. */
async function firstOf(collection: string): Promise<number> {
  const [, channel] = /^\/v1\/(\w+)\/messages$/.exec(collection) ?? [];
  const hasList = v1.some(({ method, path }) => method === 'GET' && path === collection);
  const { body } = await (channel && !hasList ? client.get('/v1/jobs', { channel }) : client.get(collection));
  return body.items[0].id;
}

/** The ids of every collection, and what was announced: nothing of it may change. */
async function everything(): Promise<Record<string, unknown>> {
  const lists = v1.filter(
    ({ method, path, parameters }) =>
      method === 'GET' &&
      !path.includes('{') &&
      !['/v1/audit-events', '/v1/request-logs'].includes(path) &&
      parameters.some(({ name }) => name === 'after'),
  );
  const found: Record<string, number[]> = {};
  for (const { path } of lists) found[path] = (await everyItem(client, path, { limit: 100 })).map(({ id }) => id);
  const [tags, events] = await Promise.all([client.get('/v1/tags'), announced()]);
  return { ...found, tags: tags.body, events };
}

async function announced(): Promise<string[]> {
  const { body } = await client.get('/v1/events', { limit: 100 });
  return body.items.map(({ event, id }: { event: string; id: string }) => `${event} ${id}`);
}

interface Case {
  what: string;
  options: Options;
  /** How `details.fields` names what is wrong. */
  field: string;
}

/**
 * What is not refused as it should be, line by line. The first case is sent whole; of the others those alone that the route's own
 * parsing lets pass.
 */
async function misjudged(method: string, path: string, to: string, cases: Case[]): Promise<string> {
  const route = routes.get(`${method} ${path}`);
  if (!route) throw new Error(`there is no route ${method} ${path}`);
  const wrong: string[] = [];
  for (const [index, { what, options, field }] of cases.entries()) {
    const answer = (index > 0 && refusalOf(route, options)) || (await client.call(method, to, options));
    const complaint = complaintOf(answer, field);
    if (complaint) wrong.push(`${what}: ${complaint}`);
  }
  return wrong.join('\n');
}

/** The answer that parsing comes to, before anything is read; undefined where it finds nothing wrong. */
function refusalOf(route: Route, { query = {}, body }: Options): Pick<Answer, 'status' | 'body'> | undefined {
  try {
    parseQuery(route, Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])));
    if (body !== undefined) readBody(route, { body: JSON.parse(JSON.stringify(body)) });
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { status: error.status, body: JSON.parse(JSON.stringify(error.body)) };
  }
}

function complaintOf({ status, body }: Pick<Answer, 'status' | 'body'>, field: string): string | undefined {
  const said = `${status} ${JSON.stringify(body).slice(0, 300)}`;
  const isEnvelope =
    Object.keys(body).join() === 'error,message,details' && body.error === 'bad_request' && /\S/.test(body.message);
  if (status !== 400 || !isEnvelope) return said;
  const named = (body.details.fields as { field: string; code: string }[] | undefined)?.map(({ field }) => field);
  const isNamed = named?.every(
    (name) => name === field || name.startsWith(`${field}.`) || name.startsWith(`${field}[`),
  );
  return named && named.length > 0 && isNamed ? undefined : `${said} does not name ${field}`;
}

describe.each(withQuery)('$name', ({ method, path, parameters }) => {
  test('refuses every query parameter of a wrong form and names it', async () => {
    const ofQuery = parameters.filter(({ in: place }) => place === 'query');
    const needed = Object.fromEntries(
      ofQuery.filter(({ required }) => required).map(({ name, schema }) => [name, schema['examples']?.[0]]),
    );
    const cases = ofQuery
      .flatMap(({ name, style, schema }) =>
        style === 'deepObject'
          ? wrongQueryTexts('k', schema['additionalProperties']).map(
              (value) => [`${name}[k]`, value, `${name}.k`] as const,
            )
          : wrongQueryTexts(name, schema).map((value) => [name, value, name] as const),
      )
      .map(([name, value, field]) => ({
        what: `${name}=${value.slice(0, 40)}`,
        options: { query: { ...needed, [name]: value } },
        field: `query.${field}`,
      }));
    expect(await misjudged(method, path, await existing(path), cases)).toBe('');
  });
});

/** An example without what it refers to: custom values are judged after references. */
const withoutReferences = (example: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(example).filter(([name]) => !name.endsWith('Id')));

describe.each(withBody)('$name', ({ method, path, body, example }) => {
  test('refuses every field of a wrong form and names it', async () => {
    const { properties, required = [] } = body as Schema;
    const cases = Object.entries(properties as Record<string, Schema>).flatMap(([name, schema]) => [
      ...(required.includes(name)
        ? [{ what: `no ${name}`, options: { body: without(example, name) }, field: name }]
        : []),
      ...wrongValues(schema, required.includes(name))
        // The limit of a page is clamped.
        .filter(({ why }) => name !== 'limit' || !why.includes('enormous'))
        .map(({ why, value, within = '' }) => ({
          what: `${name} is ${why}`,
          options: {
            body: {
              ...(name === 'fields' ? withoutReferences(example) : example),
              [name]: value,
              nonsense: { of: [why] },
            },
          },
          field: `${name}${within}`,
        })),
    ]);
    expect(await misjudged(method, path, await existing(path), cases)).toBe('');
  });
});

test.each(withBody.filter(({ path }) => path.includes('{id}')))(
  '$name says that it is missing before it says what else is',
  async ({ method, path, body, example }) => {
    const { properties } = body as Schema;
    const references = Object.keys(properties as Record<string, Schema>).filter((name) => name.endsWith('Id'));
    const unknown = Object.fromEntries(references.map((name) => [name, 999_999]));
    const answer = await client.call(method, path.replaceAll(/\{\w+\}/g, '999999'), {
      body: { ...example, ...unknown },
    });
    expect([answer.status, answer.body.error]).toEqual([404, 'not_found']);
  },
);

/** Fields of a body that name something of the workspace by its id. */
const referring = withBody.flatMap((operation) =>
  Object.entries((operation.body as Schema)['properties'] as Record<string, Schema>)
    .filter(([field, { maximum }]) => field.endsWith('Id') && maximum === maxId)
    .map(([field]) => ({ ...operation, field })),
);

test.each(referring)('$name refuses a $field of nobody', async ({ method, path, body, example, field }) => {
  const { required = [] } = body as Schema;
  const least = Object.fromEntries(required.map((name: string) => [name, example[name]]));
  const { status, body: refusal } = await client.call(method, await existing(path), {
    body: { ...least, [field]: 999_999 },
  });
  expect([[400, 404].includes(status), refusal.error]).toEqual([
    true,
    expect.stringMatching(/^(bad_request|not_found)$/),
  ]);
});

describe.each(batches)('$name', ({ method, path, body }) => {
  const { items } = (body as Schema)['properties'] as Record<string, Schema>;

  test('refuses items that are none, too few or too many', async () => {
    const wrong = [...wrongValues({ ...items, items: {} }, true)];
    const cases = wrong.map(({ why, value }) => ({ what: why, options: { body: { items: value } }, field: 'items' }));
    expect(await misjudged(method, path, path, cases)).toBe('');
  });

  test('refuses every item with a field of a wrong form, and names it', async () => {
    const wrong = [
      ...[
        null,
        7,
        'x',
        [],
        {},
        { op: 'nonsense' },
        { op: ['create'] },
        { op: null },
        { op: { toString: 1, valueOf: 1 } },
      ].map((item) => ({
        item,
        field: '',
      })),
      ...((items as Schema)['items'].oneOf as Schema[]).flatMap(({ properties, required = [] }) => {
        const valid = Object.fromEntries(
          required.map((name: string) => [
            name,
            validField(name, (properties as Record<string, Schema>)[name] as Schema),
          ]),
        );
        // Who somebody is, is asked before custom values are looked up.
        if ('phone' in (properties as object)) valid['phone'] = '+44 20 7946 0018';
        if ('domain' in (properties as object)) Object.assign(valid, { domain: 'example.com', name: 'Engines' });
        return Object.entries(properties as Record<string, Schema>)
          .filter(([name]) => name !== 'op')
          .flatMap(([name, schema]) =>
            wrongValues(schema, required.includes(name))
              .filter(({ why }) => why !== 'a very long text')
              .map(({ value }) => ({ item: { ...valid, [name]: value }, field: name })),
          );
      }),
    ];
    const accepted: unknown[] = [];
    for (let first = 0; first < wrong.length; first += 100) {
      const part = wrong.slice(first, first + 100);
      const { status, body } = await client.call(method, path, { body: { items: part.map(({ item }) => item) } });
      expect([status, body.succeeded]).toEqual([200, 0]);
      for (const [index, { item, field }] of part.entries()) {
        const { status, error } = body.results[index];
        const named = error?.details?.fields?.some(({ field: name }: { field: string }) => name.includes(field));
        if (status !== 400 || error.error !== 'bad_request' || !named) accepted.push([item, status, error]);
      }
    }
    expect(accepted).toEqual([]);
  });
});

function validField(name: string, { enum: values, const: constant, type, examples }: Schema): unknown {
  if (constant !== undefined || values) return constant ?? values[0];
  if (examples) return examples[0];
  return type === 'integer' ? 1 : name;
}

const without = (example: Record<string, unknown>, name: string) =>
  Object.fromEntries(Object.entries(example).filter(([key]) => key !== name));

describe.each(versioned)('$name', ({ method, path, example }) => {
  test('refuses a stale If-Match with any body', async () => {
    for (const body of [example, '{'].slice(0, example ? 2 : 1)) {
      const answer = await client.call(method, await existing(path), {
        headers: { 'if-match': '"stale"' },
        ...(body === undefined ? {} : { body }),
      });
      expect([answer.status, answer.body.error, answer.body.details]).toEqual([
        412,
        'conflict',
        because('stale_version'),
      ]);
    }
  });
});

describe.each(withTimes)('$name', ({ method, path, parameters }) => {
  test('bears the first and the last time there is', async () => {
    for (const { name } of parameters.filter(isTime)) {
      for (const time of ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z']) {
        const { status } = await client.call(method, await existing(path), { query: { [name]: time } });
        expect([name, time, [200, 400].includes(status)]).toEqual([name, time, true]);
      }
    }
  });
});

test('nothing is made, removed or announced by any of it', async () => {
  expect(await everything()).toEqual(before);
});

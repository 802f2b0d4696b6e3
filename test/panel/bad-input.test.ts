import { beforeAll, describe, expect, test } from 'vitest';
import { loadRoutes } from '#infra/functions.ts';
import { buildPanelApi } from '#infra/openapi.ts';
import { wholeSchema } from '#test/contract/whole-schema.ts';
import { type Schema, wrongQueryTexts, wrongValues } from '#test/contract/wrong-values.ts';
import { newAddress, newMember, type Signed, signedIn } from '#test/panel/member.ts';
import { newWorkspace } from '#test/workspace.ts';

const document = buildPanelApi(await loadRoutes());
const whole = (schema: Schema) => wholeSchema(schema, document.components.schemas as Record<string, Schema>);

const operations = Object.entries(document.paths as Record<string, Record<string, Schema>>).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { parameters, requestBody }]) => ({
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    parameters: parameters as { name: string; in: string; schema: Schema }[],
    body: requestBody && whole(requestBody.content['application/json'].schema),
    example: requestBody?.content['application/json'].example as Record<string, unknown>,
  })),
);

/** Those before there is a session are asked by their own test; five links a minute are too few for all that can be wrong. */
const withBody = operations.filter(
  ({ body, path }) => Object.keys(body?.properties ?? {}).length > 0 && !/sign-ins|sessions/.test(path),
);

let workspaceId: number;
const ids = new Map<string, number>();
beforeAll(async () => {
  ({ id: workspaceId } = await newWorkspace());
  const owner = await signedIn(workspaceId);
  const made = async (path: string, body: object) => ids.set(path, (await owner.post(path, body)).body.id);
  ids.set('/panel/members', (await newMember(workspaceId, 'member')).id);
  const steps = [{ delayMinutes: 1, subject: 'Hi', text: 'One' }];
  await made('/panel/sequences', { name: 'A', channel: 'email', status: 'draft', steps });
  await made('/panel/agents', { name: 'A', instructions: 'B', model: 'm', channels: ['email'] });
  const feed = {
    name: 'A',
    mode: 'push',
    feedUrl: 'https://example.com/',
    defaultCurrency: 'EUR',
    pullIntervalMinutes: 1,
  };
  await made('/panel/revenue-sources', feed);
});

const existing = (path: string) =>
  path.replace(/^(.*)\/\{id\}/, (_, collection) => `${collection}/${ids.get(collection)}`);

/** What is wrong with a refusal, if anything is. */
async function complaint(client: Signed, method: string, path: string, options: object, field: string) {
  const { status, body } = await client.call(method, path, options);
  const named = (body.details?.fields as { field: string }[] | undefined)?.map((one) => one.field) ?? [];
  const isIn = (outer: string) => (one: string) => one === outer || /^[.[]/.test(one.replace(outer, ''));
  const isNamed =
    named.some(isIn(field)) && named.every(isIn(field.startsWith('query.') ? field : field.replace(/[.[].*/, '')));
  return status === 400 && isNamed ? '' : `${status} ${JSON.stringify(body).slice(0, 300)}`;
}

test('there is something to test', () => expect(withBody.length).toBeGreaterThan(8));

describe.each(withBody)('$name', ({ method, path, body, example }) => {
  test('refuses every field of a wrong form and names it', async () => {
    const client = await signedIn(workspaceId, 'owner', newAddress());
    const { properties, required = [] } = body as Schema;
    const wrong: string[] = [];
    for (const [field, schema] of Object.entries(properties as Record<string, Schema>))
      for (const { why, value, within = '' } of wrongValues(schema, required.includes(field))) {
        const options = { body: { ...example, [field]: value } };
        const said = await complaint(client, method, existing(path), options, `${field}${within}`);
        if (said !== '') wrong.push(`${field} is ${why}: ${said}`);
      }
    expect(wrong.join('\n')).toBe('');
  });
});

test('the list of conversations refuses every parameter of a wrong form', async () => {
  const client = await signedIn(workspaceId, 'owner', newAddress());
  const list = operations.find(({ name }) => name === 'GET /panel/conversations');
  const wrong: string[] = [];
  for (const { name, schema } of list?.parameters ?? [])
    for (const value of wrongQueryTexts(name, whole(schema) as never)) {
      const said = await complaint(
        client,
        'GET',
        '/panel/conversations',
        { query: { [name]: value } },
        `query.${name}`,
      );
      if (said !== '') wrong.push(`${name}=${value}: ${said}`);
    }
  expect(wrong.join('\n')).toBe('');
});

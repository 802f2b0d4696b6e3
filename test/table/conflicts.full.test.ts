import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { handler as createContact } from '#functions/contacts/create.ts';
import { redirect } from '#test/endpoints.ts';
import { startProxy } from '#test/faults/dynamodb-proxy.ts';
import { seeded } from '#test/faults/random.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

// The engine lets single writes through while a transaction has their item in hand; DynamoDB refuses them.
let proxy: Awaited<ReturnType<typeof startProxy>>;
let workspace: TestWorkspace;
let restore: () => void;

beforeAll(async () => {
  proxy = await startProxy(String(process.env['AWS_ENDPOINT_URL_DYNAMODB']), seeded(1), 0);
  restore = redirect('DYNAMODB', proxy.url);
  workspace = await newWorkspace();
});
afterAll(() => restore());

type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

/** Creates a contact in this process, whose table is behind the proxy. */
async function create(headers: object = {}) {
  const path = '/v1/contacts';
  const event = {
    rawPath: path,
    headers: { authorization: `Bearer ${workspace.liveKey}`, 'content-type': 'application/json', ...headers },
    requestContext: { http: { method: 'POST', path, sourceIp: '127.0.0.1' } },
    body: JSON.stringify({ name: 'Ann' }),
  } as unknown as APIGatewayProxyEventV2;
  const context = { getRemainingTimeInMillis: () => 20_000 } as unknown as Context;
  const answer = await (createContact as unknown as Handler)(event, context);
  return { status: answer.statusCode, headers: answer.headers ?? {}, body: JSON.parse(answer.body ?? '') };
}

/** What the client tries. */
const attempts = 4;
const unavailable = {
  status: 503,
  headers: { 'Retry-After': '1' },
  body: { error: 'internal_error', message: expect.any(String), details: null },
};

test.each([
  ['the count of a key', () => `KEY#${workspace.liveKey.slice(9, 21)}`],
  ['an id', () => `${workspace.id}:live#ids`],
])('a call waits for the transaction that has %s in hand, and is 503 when it does not end', async (_, naming) => {
  proxy.conflict(naming(), attempts - 1);
  expect(await create()).toMatchObject({ status: 201 });
  proxy.conflict(naming(), attempts);
  expect(await create()).toMatchObject(unavailable);
});

test('an Idempotency-Key whose first call commits is waited for, and is 409 when that does not end', async () => {
  const once = { 'idempotency-key': randomUUID() };
  proxy.conflict('idempotency/', attempts - 1);
  expect(await create(once)).toMatchObject({ status: 201 });
  proxy.conflict('idempotency/', attempts);
  expect(await create(once)).toMatchObject({
    status: 409,
    headers: { 'Retry-After': '1' },
    body: { error: 'conflict', details: { reason: 'idempotency_in_progress' } },
  });
  expect(await create(once)).toMatchObject({ status: 201, headers: { 'Idempotency-Replayed': 'true' } });
});

test('a table that refuses the connection makes a call a 503', async () => {
  await proxy.close();
  expect(await create()).toMatchObject(unavailable);
});

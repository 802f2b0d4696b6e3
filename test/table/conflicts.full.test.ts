import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { handler as createContact } from '#functions/contacts/create.ts';
import { handler as deleteKey } from '#functions/keys/delete.ts';
import { handler as patchKey } from '#functions/keys/patch.ts';
import { countAnonymous } from '#lib/auth/identify-key.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Accounts } from '#lib/entities/account.ts';
import { problemOf } from '#lib/http/refuse.ts';
import { acquire, release } from '#lib/messages/accounts/sender.ts';
import { setAccountState } from '#lib/messages/accounts/store.ts';
import { claimJob } from '#lib/messages/jobs/queue.ts';
import { createJob } from '#lib/messages/jobs/store.ts';
import { transact } from '#lib/table/transact.ts';
import { redirect } from '#test/endpoints.ts';
import { startProxy } from '#test/faults/dynamodb-proxy.ts';
import { seeded } from '#test/faults/random.ts';
import { newAccount } from '#test/telegram/line.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

// The engine lets single writes through while a transaction has their item in hand; DynamoDB refuses them.
let proxy: Awaited<ReturnType<typeof startProxy>>;
let workspace: TestWorkspace;
let tenant: Tenant;
let restore: () => void;

beforeAll(async () => {
  proxy = await startProxy(String(process.env['AWS_ENDPOINT_URL_DYNAMODB']), seeded(1), 0);
  restore = redirect('DYNAMODB', proxy.url);
  workspace = await newWorkspace();
  tenant = { workspaceId: workspace.id, env: 'live' };
});
afterAll(() => restore());

type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

/** Calls an endpoint in this process, whose table is behind the proxy. */
async function call(handler: unknown, method: string, path: string, body: object, headers: object = {}) {
  const id = /\d+$/.exec(path)?.[0];
  const event = {
    rawPath: path,
    headers: { authorization: `Bearer ${workspace.liveKey}`, 'content-type': 'application/json', ...headers },
    ...(id && { pathParameters: { id } }),
    requestContext: { http: { method, path, sourceIp: '127.0.0.1' } },
    body: JSON.stringify(body),
  } as unknown as APIGatewayProxyEventV2;
  const answer = await (handler as Handler)(event, { getRemainingTimeInMillis: () => 20_000 } as unknown as Context);
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
  expect(await call(createContact, 'POST', '/v1/contacts', { name: 'Ann' })).toMatchObject({ status: 201 });
  proxy.conflict(naming(), attempts);
  expect(await call(createContact, 'POST', '/v1/contacts', { name: 'Ann' })).toMatchObject(unavailable);
});

test('an Idempotency-Key whose first call commits is waited for, and is 409 when that does not end', async () => {
  const create = (key: string) =>
    call(createContact, 'POST', '/v1/contacts', { name: 'Once' }, { 'idempotency-key': key });
  const key = randomUUID();
  proxy.conflict('idempotency/', attempts - 1);
  expect(await create(key)).toMatchObject({ status: 201 });
  proxy.conflict('idempotency/', attempts);
  expect(await create(key)).toMatchObject({
    status: 409,
    headers: { 'Retry-After': '1' },
    body: { error: 'conflict', details: { reason: 'idempotency_in_progress' } },
  });
  expect(await create(key)).toMatchObject({ status: 201, headers: { 'Idempotency-Replayed': 'true' } });
});

test('a key in use is changed and revoked', async () => {
  const { keyId } = await workspace.mint({ name: 'other' });
  const { items } = (await workspace.live.get('/v1/keys')).body;
  const { id } = items.find((key: { keyId: string }) => key.keyId === keyId);
  proxy.conflict(`KEY#${keyId}`, 6);
  expect(await call(patchKey, 'PATCH', `/v1/keys/${id}`, { name: 'renamed' })).toMatchObject({
    status: 200,
    body: { name: 'renamed' },
  });
  proxy.conflict(`KEY#${keyId}`, 6);
  expect(await call(deleteKey, 'DELETE', `/v1/keys/${id}`, {})).toMatchObject({ status: 200, body: { revoked: true } });
});

test('an address is counted', async () => {
  proxy.conflict('IP#192.0.2.77', attempts - 1);
  expect(await countAnonymous('192.0.2.77')).toMatchObject({ remaining: 59 });
});

test('a sender takes its account, and a job, that a transaction had in hand', async () => {
  const { id: accountId } = await newAccount(tenant);
  const job = await transact(tenant, operator, async (tx) => {
    // Nobody else sends it.
    setAccountState(tx, await tx.get(Accounts, { id: accountId }), 'disconnected');
    const target = { telegramUserId: 1 };
    const message = { contactId: null, recipient: '1', target, text: 'Hi', source: 'panel' as const };
    return createJob(tx, { channel: 'telegram', accountId, ...message });
  });
  // The one of another account, which no worker looks at because of the job.
  const place = { tenant, channel: 'telegram' as const, accountId: accountId + 1 };
  proxy.conflict('live#sender', attempts - 1);
  const lease = await acquire(place, 60_000);
  expect(lease).toMatchObject({ accountId: accountId + 1 });
  proxy.conflict('live#sender', attempts + 2);
  await release(lease as NonNullable<typeof lease>, null);
  const untilMs = Date.now() + 60_000;
  proxy.conflict('live#job', attempts);
  const problem = problemOf(await claimJob(tenant, job.id, untilMs).catch((error) => error));
  expect(problem).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
  proxy.conflict('live#job', attempts - 1);
  expect(await claimJob(tenant, job.id, untilMs)).toMatchObject({ id: job.id, attempts: 1, unsettledAttempts: 1 });
});

test('a table that refuses the connection makes a call a 503', async () => {
  await proxy.close();
  expect(await call(createContact, 'POST', '/v1/contacts', { name: 'Ann' })).toMatchObject(unavailable);
});

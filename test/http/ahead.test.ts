import { setTimeout as sleep } from 'node:timers/promises';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { afterEach, expect, test, vi } from 'vitest';
import { handler as createContact } from '#functions/contacts/create.ts';
import { handler as getContact } from '#functions/contacts/get.ts';
import { handler as listContacts } from '#functions/contacts/list.ts';
import { handler as patchContact } from '#functions/contacts/patch.ts';
import { handler as getKey } from '#functions/keys/get.ts';
import { handler as getMe } from '#functions/me/get.ts';
import { Ahead } from '#lib/ahead.ts';
import { aws } from '#lib/aws/call.ts';
import { timestamp } from '#lib/clock.ts';
import type { RouteHandler } from '#lib/http/endpoint.ts';
import { measure } from '#lib/metrics.ts';
import { rowKey } from '#lib/table/keys.ts';
import { readRow } from '#lib/table/rows.ts';
import { addTo } from '#lib/table/update.ts';
import { newWorkspace } from '#test/workspace.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

interface Given {
  id?: number;
  query?: Record<string, string>;
  body?: object;
}

/** A call of a function of this process. */
async function call(handler: RouteHandler, key: string, { id, query, body }: Given = {}) {
  const { method, path: template } = handler.route;
  const path = template.replace('{id}', String(id));
  const event = {
    rawPath: path,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    pathParameters: { id: id === undefined ? undefined : String(id) },
    queryStringParameters: query,
    body: body && JSON.stringify(body),
    requestContext: { http: { method, path, sourceIp: '127.0.0.1' } },
  } as unknown as APIGatewayProxyEventV2;
  const answer = await handler(event, { getRemainingTimeInMillis: () => 10_000 } as unknown as Context);
  return { status: answer.statusCode, body: JSON.parse(answer.body ?? 'null') };
}

const giveUpMs = 1000;

/** What is asked of the table before it says who calls: that answer waits for it, though not for ever. */
async function askedMeanwhile(work: () => Promise<unknown>): Promise<string[]> {
  const { attempt } = aws;
  const asked: string[] = [];
  const another = Promise.withResolvers<void>();
  let isIdentified = false;
  const spy = vi.spyOn(aws, 'attempt').mockImplementation(async (request, signal) => {
    const isKey = request.operation === 'UpdateItem' && request.body.includes('"KEY#');
    if (!isKey && !isIdentified) {
      asked.push(request.operation);
      another.resolve();
    }
    try {
      return await attempt(request, signal);
    } finally {
      if (isKey) await Promise.race([another.promise, sleep(giveUpMs)]);
      isIdentified ||= isKey;
    }
  });
  await work();
  spy.mockRestore();
  return asked;
}

test('a process that has met its caller reads while it asks who calls, and writes afterwards', async () => {
  const { liveKey } = await newWorkspace();
  const { id } = (await call(createContact, liveKey, { body: { name: 'Ann' } })).body;
  const first = async (handler: RouteHandler, given: Given) =>
    (await askedMeanwhile(() => call(handler, liveKey, given)))[0];
  expect([
    await first(getContact, { id }),
    await first(listContacts, { query: { stage: 'new' } }),
    await first(patchContact, { id, body: { name: 'Anna' } }),
    await first(createContact, { body: { name: 'Bob' } }),
  ]).toEqual(['GetItem', 'Query', 'GetItem', 'UpdateItem']);
  const { body } = await call(listContacts, liveKey);
  expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['Bob', 'Anna']);
});

test('who is refused is answered as by a process that has never met them, changes nothing, and has nothing read again', async () => {
  const { live, liveKey, mint } = await newWorkspace();
  const [revoked, limited] = await Promise.all([mint(), mint({ rateLimitPerMinute: 1 })]);
  for (const { key } of [revoked, limited])
    expect((await call(createContact, key, { body: { name: 'First' } })).status).toBe(201);
  const [{ id }] = (await live.get('/v1/keys')).body.items.filter(
    ({ keyId }: { keyId: string }) => keyId === revoked.keyId,
  );
  await live.delete(`/v1/keys/${id}`);
  for (const { key, status, reason } of [
    { key: revoked.key, status: 401, reason: 'revoked_key' },
    { key: limited.key, status: 429, reason: undefined },
  ]) {
    const refused = () => call(createContact, key, { body: { name: 'Second' } });
    expect(await refused()).toMatchObject({ status, ...(reason && { body: { details: { reason } } }) });
    const again = await askedMeanwhile(async () => expect((await refused()).status).toBe(status));
    expect(again).toEqual([]);
  }
  const { body } = await call(listContacts, liveKey);
  expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['First', 'First']);
});

test('what is answered is of the rights that the caller has now, and of this very call', async () => {
  const { live, mint } = await newWorkspace();
  const { key, keyId } = await mint();
  const { items } = (await live.get('/v1/keys')).body;
  const { id } = items.find((one: { keyId: string }) => one.keyId === keyId);
  await call(getMe, key);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2000 });
  const asked = await askedMeanwhile(async () => {
    const { lastUsedAt } = (await call(getKey, key, { id })).body;
    expect(lastUsedAt).toBe(timestamp());
  });
  expect(asked).toEqual(['Query']);
  vi.useRealTimers();
  await live.patch(`/v1/keys/${id}`, { scopes: ['deals:read'] });
  expect((await call(getMe, key)).body.apiKey.scopes).toEqual(['deals:read']);
  expect((await call(getContact, key, { id: 1 })).status).toBe(403);
});

test('work that is begun ahead writes and says nothing before it is admitted, and never when it is refused', async () => {
  vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
  const { id } = await newWorkspace();
  const lines = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const key = rowKey('quota', { tenant: `${id}:live`, day: '2026-11-24', quota: 'ahead' });
  const begin = () =>
    new Ahead(async () => {
      measure({}, { unreadableRows: 1 });
      return addTo(key, { used: 1 });
    });
  const refused = begin();
  const admitted = begin();
  expect(await readRow(key)).toBeUndefined();
  expect(lines).not.toHaveBeenCalled();
  refused.refuse();
  expect(await admitted.admit()).toEqual({ used: 1 });
  expect(lines).toHaveBeenCalledOnce();
  await expect(refused.admit()).rejects.toThrow('aborted');
});

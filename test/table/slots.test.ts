import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createAgent } from '#lib/agents/store.ts';
import { minuteMs, now, secondMs, setClock, sleep } from '#lib/clock.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { listEvents } from '#lib/feed/list.ts';
import type { Caller } from '#lib/keys/caller.ts';
import { listConversations } from '#lib/messages/conversations.ts';
import { keepRequests } from '#lib/requests/keep.ts';
import { listRequests } from '#lib/requests/list.ts';
import { WriteConflict } from '#lib/table/change.ts';
import type { EntryRow } from '#lib/table/entries.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import { pages } from '#lib/table/pages.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { maxSlots, takeSlot } from '#lib/table/slots.ts';
import { eachPage, summing } from '#lib/table/summing.ts';
import { startSaga, transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Actor, operator, system, type Tenant, tenantKey } from '#lib/tenant.ts';
import { between } from '#test/between.ts';
import { eventually } from '#test/client.ts';
import { world } from '#test/harness.ts';
import { newWorkspace } from '#test/workspace.ts';

afterEach(() => {
  vi.useRealTimers();
});

const takeAll = (tenant: Tenant, pool?: string) =>
  Promise.all(Array.from({ length: maxSlots }, () => takeSlot(tenant, minuteMs, pool)));

test('a tenant has so many slots, and each is free again when it is given back or its time is over', async () => {
  const [one, other] = await Promise.all([newWorkspace(), newWorkspace()]);
  const tenant: Tenant = { workspaceId: one.id, env: 'live' };
  const [giveBack, ...others] = await takeAll(tenant);
  expect([giveBack, ...others].every(Boolean)).toBe(true);
  expect(await takeSlot(tenant, minuteMs)).toBeUndefined();
  expect(await takeSlot({ workspaceId: other.id, env: 'live' }, minuteMs)).toBeDefined();
  await giveBack?.();
  const again = await takeSlot(tenant, minuteMs);
  expect(again).toBeDefined();
  // Whoever had it before does not take it away.
  await giveBack?.();
  expect(await takeSlot(tenant, minuteMs)).toBeUndefined();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * minuteMs });
  expect(await takeSlot(tenant, minuteMs)).toBeDefined();
});

test('a test of a webhook and a test-run of an agent are 429 while other slow calls of the tenant have every slot', async () => {
  const { id, live, test: sandbox } = await newWorkspace();
  const agent = await transact({ workspaceId: id, env: 'test' }, operator, (tx) =>
    createAgent(tx, {
      ...{ name: 'Captain', description: null, instructions: 'You sell boats.', model: 'amazon.nova-lite-v1:0' },
      ...{ channels: ['telegram'], accountIds: [], language: null, handoffEnabled: true, status: 'active' as const },
    }),
  );
  const hook = await live.post('/v1/webhooks', { url: 'http://127.0.0.1:9/', eventKinds: ['invoice.paid'] });
  const testHook = () => live.post(`/v1/webhooks/${hook.body.id}/test`, {});
  const tryAgent = () => sandbox.post(`/v1/agents/${agent.id}/test-run`, { message: 'Hi' });
  const taken = await Promise.all((['live', 'test'] as const).map((env) => takeAll({ workspaceId: id, env })));
  for (const refused of [await testHook(), await tryAgent()])
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1' },
      body: { error: 'rate_limited', details: { reason: 'too_many_at_once', retryAfterSeconds: 1 } },
    });
  await Promise.all(taken.flat().map((giveBack) => giveBack?.()));
  expect((await testHook()).status).toBe(200);
  expect((await tryAgent()).status).toBe(200);
});

test('a sum takes a slot when it has gone on for long, and is 429 while others have them all; a short one needs none', async () => {
  const { id, live } = await newWorkspace();
  const tenant: Tenant = { workspaceId: id, env: 'live' };
  let queries = 0;
  const slowly = async ({ operation }: { operation: string }, next: () => Promise<Record<string, unknown>>) => {
    if (operation === 'Query') {
      queries += 1;
      await sleep(100);
    }
    return next();
  };
  /** Sixteen parts are read at a time. */
  const sum = (forMs: number) =>
    between(slowly, () =>
      summing(new UnitOfWork(tenant, operator), async (meter) => {
        const parts = Array.from({ length: (16 * forMs) / 100 }, (_, part) => `${tenantKey(tenant)}#none${part}`);
        await eachPage(
          parts,
          meter,
          (pk) => pages({ pk, meter }) as AsyncIterable<EntryRow[]>,
          () => {},
        );
        return 'summed';
      }),
    );
  const taken = await takeAll(tenant);
  await expect(sum(10 * secondMs)).rejects.toMatchObject({ status: 429, details: { reason: 'too_many_at_once' } });
  // It has ended when it was refused, not when it had read all of its 1,600 parts.
  expect(queries).toBeLessThan(800);
  expect(await sum(0)).toBe('summed');
  // One that is slow on a busy machine is refused: that it is ever answered shows that it needs none.
  for (const path of ['/v1/analytics/dashboard', '/v1/analytics/messaging', '/v1/jobs/summary', '/v1/finance/summary'])
    await eventually(async () => (await live.get(path)).status === 200, path);
  await taken[0]?.();
  // It gives its slot back.
  for (const _ of [1, 2]) expect(await sum(secondMs)).toBe('summed');
  expect(await takeSlot(tenant, minuteMs)).toBeDefined();
});

test('a list, the request log and the feed end a page that takes long, with a cursor, while ten others of the tenant have the slots for them', async () => {
  const { id, live } = await newWorkspace();
  const tenant: Tenant = { workspaceId: id, env: 'live' };
  const items = Array.from({ length: 24 }, (_, index) => ({ op: 'create', name: `Contact ${index}` }));
  expect((await live.post('/v1/contacts/batch', { items })).body.succeeded).toBe(24);
  const line = { isKept: true, workspaceId: id, env: 'live', keyId: 'k', requestId: 'r', status: 200, durationMs: 1 };
  const lines = Array.from({ length: 24 }, (_, second) => ({
    id: String(second),
    message: JSON.stringify({
      ...{ ...line, method: 'GET', route: '/v1/me', path: '/v1/me', ip: '127.0.0.1' },
      timestamp: new Date(now() - second * secondMs).toISOString(),
    }),
  }));
  await keepRequests(lines);
  let queries = 0;
  const slowly = async (
    { operation, input }: { operation: string; input: Record<string, unknown> },
    next: () => Promise<Record<string, unknown>>,
  ) => {
    if (operation === 'Query') {
      queries += 1;
      input['Limit'] = 1;
      await sleep(40);
    }
    return next();
  };
  const rest = { limit: 100, after: undefined };
  const key = { scopes: [] } as unknown as Caller;
  const searches: (() => Promise<Page<unknown>>)[] = [
    () =>
      listPage(UnitOfWork.forAnswer(tenant, operator, { mayEndEarly: true }), Contacts, {
        ...rest,
        matches: () => false,
      }),
    () => listRequests(tenant, { ...rest, route: 'none' } as never),
    () => listEvents(new UnitOfWork(tenant, operator), key, { since: 0, limit: 1, eventKind: 'invoice.paid' }),
  ];
  const whole = () => listPage(UnitOfWork.forAnswer(tenant, operator), Contacts, { ...rest, matches: () => false });
  for (const search of searches) {
    const ask = () => {
      queries = 0;
      return between(slowly, search);
    };
    const taken = await takeAll(tenant, 'list/');
    const page = await ask();
    expect(page).toMatchObject({ items: [], hasMore: true, nextCursor: expect.any(Number) });
    expect(queries).toBeLessThan(24);
    // What a change depends on is read to its end.
    expect(await between(slowly, whole)).toMatchObject({ hasMore: false });
    await Promise.all(taken.map((giveBack) => giveBack?.()));
    expect(await ask()).toEqual({ items: [], hasMore: false, nextCursor: null });
    expect(queries).toBeGreaterThanOrEqual(24);
  }
});

test('conversations are 429 where looking for who wrote last takes long while ten others have the slots', async () => {
  const { id } = await newWorkspace();
  const tenant: Tenant = { workspaceId: id, env: 'live' };
  const slowly = async ({ operation }: { operation: string }, next: () => Promise<Record<string, unknown>>) => {
    if (operation === 'Query') await sleep(700);
    return next();
  };
  const list = () =>
    between(slowly, () => listConversations(new UnitOfWork(tenant, operator), { limit: 1, after: undefined } as never));
  const taken = await takeAll(tenant, 'list/');
  await expect(list()).rejects.toMatchObject({ status: 429, details: { reason: 'too_many_at_once' } });
  await Promise.all(taken.map((giveBack) => giveBack?.()));
  expect(await list()).toMatchObject({ items: [] });
});

test('a list ends its page, and answers it, where slots are too much asked for', async () => {
  const { id, live } = await newWorkspace();
  const tenant: Tenant = { workspaceId: id, env: 'live' };
  for (const name of ['Ann', 'Ben', 'Cleo']) await live.post('/v1/contacts', { name });
  const busily = async (
    { operation, input }: { operation: string; input: Record<string, unknown> },
    next: () => Promise<Record<string, unknown>>,
  ) => {
    if (JSON.stringify(input).includes('#slots'))
      throw Object.assign(new Error('busy'), { name: 'ProvisionedThroughputExceededException' });
    if (operation === 'Query') {
      input['Limit'] = 1;
      await sleep(700);
    }
    return next();
  };
  const page = await between(busily, () =>
    listPage(UnitOfWork.forAnswer(tenant, operator, { mayEndEarly: true }), Contacts, {
      limit: 100,
      matches: () => true,
    }),
  );
  expect(page).toMatchObject({ items: [{ name: 'Cleo' }], hasMore: true });
});

test('a call goes on with a saga that takes long in a slot, and leaves it to the worker while there is none', async () => {
  const { id } = await newWorkspace();
  const tenant: Tenant = { workspaceId: id, env: 'live' };
  let steps = 0;
  const slow: SagaKind<{ contactId: number; left: number }, 'rename'> = {
    name: 'rename',
    async step(_, { contactId, left }) {
      steps += 1;
      vi.setSystemTime(Date.now() + 3 * secondMs);
      return left > 1 ? { contactId, left: left - 1 } : undefined;
    },
  };
  const stepsOf = async (parts: number) => {
    steps = 0;
    await transact(tenant, operator, async (tx) => startSaga(tx, slow, { contactId: 2 ** 30, left: parts }));
    return steps;
  };
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  expect(await stepsOf(3)).toBe(3);
  const taken = await takeAll(tenant);
  expect(taken.every(Boolean)).toBe(true);
  expect(await stepsOf(1)).toBe(1);
  expect(await stepsOf(3)).toBe(1);
  // The sagas of one call have one time between them.
  steps = 0;
  await transact(tenant, operator, async (tx) => {
    for (const contactId of [1, 2, 3]) startSaga(tx, slow, { contactId: 2 ** 30 + contactId, left: 1 });
  });
  expect(steps).toBe(1);
});

test('a call waits for others to have written in a slot when it has waited for long, and is 503 while forty wait; workers just wait', async () => {
  const { id } = await newWorkspace();
  const tenant: Tenant = { workspaceId: id, env: 'live' };
  // Only what is tried takes time, not the waits between.
  let atMs = now();
  setClock({ now: () => atMs, sleep: async () => {}, after: () => () => {} });
  onTestFinished(() => setClock(world()?.clock));
  const attemptsOf = async (actor: Actor) => {
    let attempts = 0;
    const work = async () => {
      attempts += 1;
      atMs += secondMs;
      throw new WriteConflict('somebody else has written');
    };
    await expect(transact(tenant, actor, work)).rejects.toMatchObject({ status: 503 });
    return attempts;
  };
  const key: Actor = { type: 'api_key', id: 'k' };
  expect(await attemptsOf(key)).toBeGreaterThan(6);
  const taken = [];
  for (let slot = 0; slot < 40; slot += 1) taken.push(await takeSlot(tenant, minuteMs, 'wait/', 40));
  expect(taken.every(Boolean)).toBe(true);
  expect(await attemptsOf(key)).toBe(3);
  expect(await attemptsOf(system)).toBeGreaterThan(6);
  expect(await attemptsOf(operator)).toBeGreaterThan(6);
});

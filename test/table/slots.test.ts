import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createAgent } from '#lib/agents/store.ts';
import type { Caller } from '#lib/core/caller.ts';
import { minuteMs, now, secondMs, setClock } from '#lib/core/clock.ts';
import { type Actor, operator, system, type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { listEvents } from '#lib/publishing/feed/list.ts';
import { WriteConflict } from '#lib/table/change.ts';
import type { EntryRow } from '#lib/table/entries.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import { pages } from '#lib/table/pages.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { inSlot } from '#lib/table/slots.ts';
import { eachPage, summing } from '#lib/table/summing.ts';
import { startSaga, transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { keepRequests } from '#lib/workspaces/keep-request.ts';
import { listRequests } from '#lib/workspaces/request-list.ts';
import { between } from '#test/between.ts';
import { eventually } from '#test/client.ts';
import { world } from '#test/harness.ts';
import { holdSlots } from '#test/slots.ts';
import { newWorkspace } from '#test/workspace.ts';

afterEach(() => {
  vi.useRealTimers();
});

const tooMany = { status: 429, details: { reason: 'too_many_at_once', retryAfterSeconds: 1 } };

test('a tenant has ten slots, and each is free again when it is given back or its time is over', async () => {
  const [one, other] = await Promise.all([newWorkspace(), newWorkspace()]);
  const tenant: Tenant = { workspaceId: one.id, env: 'live' };
  const take = (of = tenant) => inSlot(of, minuteMs, async () => 'done');
  const giveBack = await holdSlots(tenant);
  await expect(take()).rejects.toMatchObject(tooMany);
  expect(await take({ workspaceId: other.id, env: 'live' })).toBe('done');
  await giveBack();
  const giveBackLate = await holdSlots(tenant);
  await expect(take()).rejects.toMatchObject(tooMany);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * minuteMs });
  const giveBackNext = await holdSlots(tenant);
  // A call whose time is over does not give back a slot that another one has by now.
  await giveBackLate();
  await expect(take()).rejects.toMatchObject(tooMany);
  await giveBackNext();
  expect(await take()).toBe('done');
});

test('a test of a webhook and a test-run of an agent are 429 while other calls have every slot', async () => {
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
  const held = await Promise.all((['live', 'test'] as const).map((env) => holdSlots({ workspaceId: id, env })));
  for (const refused of [await testHook(), await tryAgent()])
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1' },
      body: { error: 'rate_limited', details: { reason: 'too_many_at_once', retryAfterSeconds: 1 } },
    });
  await Promise.all(held.map((giveBack) => giveBack()));
  expect((await testHook()).status).toBe(200);
  expect((await tryAgent()).status).toBe(200);
});

/** Lets every query take so long, of one row each. */
const slowly = (forMs: number, work: () => Promise<unknown>) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  const step: Parameters<typeof between>[0] = ({ operation, input }, next) => {
    if (operation !== 'Query') return next();
    input['Limit'] = 1;
    vi.setSystemTime(Date.now() + forMs);
    return next();
  };
  return between(step, work).finally(() => vi.useRealTimers());
};

test('a sum that takes longer than two seconds is 400 range_too_large', async () => {
  const tenant: Tenant = { workspaceId: (await newWorkspace()).id, env: 'live' };
  const sum = (forMs: number) => {
    const parts = Array.from({ length: 200 }, (_, part) => `${tenantKey(tenant)}#none${part}`);
    let count = 0;
    return slowly(forMs, () =>
      summing(async (meter) => {
        const query = (pk: string) => {
          count += 1;
          return pages({ pk, meter }) as AsyncIterable<EntryRow[]>;
        };
        await eachPage(parts, meter, query, () => {});
        return count;
      }),
    );
  };
  expect(await sum(5)).toBe(200);
  await expect(sum(100)).rejects.toMatchObject({ status: 400, details: { reason: 'range_too_large' } });
});

test('a list, the request log and the feed end their page after two seconds, with a cursor', async () => {
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
  await eventually(async () => (await live.get('/v1/events', { limit: 100 })).body.items.length >= 24, 'the events');
  const rest = { limit: 100, after: undefined };
  const key = { scopes: [] } as unknown as Caller;
  const searches: (() => Promise<Page<unknown>>)[] = [
    () => listPage(UnitOfWork.forAnswer(tenant, operator), Contacts, { ...rest, matches: () => false }),
    () => listRequests(tenant, { ...rest, route: 'none' } as never),
    () => listEvents(new UnitOfWork(tenant, operator), key, { since: 0, limit: 1, eventKind: ['invoice.paid'] }),
  ];
  for (const [index, search] of searches.entries()) {
    expect(await slowly(150, search), `search ${index}`).toMatchObject({
      items: [],
      hasMore: true,
      nextCursor: expect.any(Number),
    });
    expect(await slowly(20, search)).toEqual({ items: [], hasMore: false, nextCursor: null });
  }
});

test('a call works on its sagas for nineteen seconds in all, and leaves the rest to the worker', async () => {
  const tenant: Tenant = { workspaceId: (await newWorkspace()).id, env: 'live' };
  let steps = 0;
  const slow: SagaKind<{ contactId: number; left: number }, 'rename'> = {
    name: 'rename',
    async step(_, { contactId, left }) {
      steps += 1;
      vi.setSystemTime(Date.now() + 5 * secondMs);
      return left > 1 ? { contactId, left: left - 1 } : undefined;
    },
  };
  const stepsOf = async (...parts: number[]) => {
    steps = 0;
    await transact(tenant, operator, async (tx) => {
      for (const [index, left] of parts.entries()) startSaga(tx, slow, { contactId: 2 ** 30 + index, left });
    });
    return steps;
  };
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  expect(await stepsOf(3)).toBe(3);
  expect(await stepsOf(9)).toBe(4);
  // The sagas of one call have one time between them.
  expect(await stepsOf(1, 1, 1, 1, 1, 1)).toBe(4);
});

test('a call is 503 when others have written before it for eight seconds', async () => {
  const tenant: Tenant = { workspaceId: (await newWorkspace()).id, env: 'live' };
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
  for (const actor of [{ type: 'api_key', id: 'k' } as const, system]) expect(await attemptsOf(actor)).toBe(9);
});

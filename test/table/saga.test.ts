import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { hourMs, shifted, timestamp } from '#lib/core/clock.ts';
import { unavailable } from '#lib/core/problem.ts';
import { operator, type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { WriteConflict } from '#lib/table/change.ts';
import { listDead, putBack } from '#lib/table/dead-letter.ts';
import { listAll } from '#lib/table/list.ts';
import { resumeSaga } from '#lib/table/resume.ts';
import { writeRows } from '#lib/table/rows.ts';
import { newSaga, type SagaKind, Sagas } from '#lib/table/saga.ts';
import { startSaga, transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { newWorkspace } from '#test/workspace.ts';

type State = Record<string, unknown>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A saga whose message the local system's worker does not get within the hour, and a kind that does what the test says. */
async function waitingSaga(budgetMs?: number) {
  const tenant: Tenant = { workspaceId: (await newWorkspace()).id, env: 'live' };
  let step: SagaKind<State>['step'] = async () => undefined;
  let calls = 0;
  const kind: SagaKind<State> = {
    name: 'trial',
    ...(budgetMs !== undefined && { budgetMs }),
    step: (...given) => {
      calls += 1;
      return step(...given);
    },
  };
  const later = shifted(new Date(), hourMs);
  const { id } = await transact(tenant, operator, async (tx) =>
    tx.create(Sagas, { ...newSaga(tx, kind, { parts: 3 }), dueAt: later }),
  );
  const read = () => new UnitOfWork(tenant, operator).find(Sagas, { id });
  const resume = async () => {
    // Its time has come, for this process alone.
    const due = (await read())?.dueAt ?? later;
    vi.setSystemTime(new Date(due).getTime() + 1000);
    await resumeSaga(tenant, id, [kind]);
  };
  return {
    tenant,
    id,
    read,
    resume,
    calls: () => calls,
    does(next: typeof step) {
      step = next;
    },
  };
}

test('a failing saga is tried five times with growing waits, then is a dead letter', async () => {
  const saga = await waitingSaga();
  saga.does(async () => {
    throw new TypeError('a bug');
  });
  for (const tries of [1, 2, 3, 4]) {
    await expect(saga.resume()).rejects.toThrow('a bug');
    const waiting = await saga.read();
    expect(waiting?.tries).toBe(tries);
    expect((waiting?.dueAt as string) > timestamp()).toBe(true);
  }
  await saga.resume();
  const [kept, ...others] = (await listDead()).filter(({ id }) => id.includes(saga.id));
  expect(kept).toMatchObject({ reason: 'TypeError: a bug', tenant: tenantKey(saga.tenant) });
  expect(others).toEqual([]);
  // The message that was sent for its last timer comes when it is due, and finds that the saga rests.
  const calls = saga.calls();
  const rested = await saga.read();
  await saga.resume();
  expect(saga.calls()).toBe(calls);
  expect(await saga.read()).toEqual(rested);
  // An operator puts it back, and it goes on to its end.
  saga.does(async (_, { parts }) => ((parts as number) > 1 ? { parts: (parts as number) - 1 } : undefined));
  expect(await putBack(kept?.id as string)).toBe(true);
  await saga.resume();
  expect(await saga.read()).toBeUndefined();
});

test('a try counts before it is made, but not when it fails for a passing reason', async () => {
  const saga = await waitingSaga();
  saga.does(async () => {
    throw unavailable(1);
  });
  for (let index = 0; index < 7; index += 1) await expect(saga.resume()).rejects.toThrow('busy');
  expect((await saga.read())?.tries).toBe(0);
  const counted: (number | undefined)[] = [];
  saga.does(async () => {
    counted.push((await saga.read())?.tries);
    throw unavailable(1);
  });
  await expect(saga.resume()).rejects.toThrow('busy');
  expect(counted).toEqual([1]);
  const calls = saga.calls();
  // As if five processes had died of it.
  await transact(saga.tenant, operator, async (tx) => {
    tx.update(Sagas, { ...(await tx.get(Sagas, { id: saga.id })), tries: 5 });
  });
  await saga.resume();
  expect(saga.calls()).toBe(calls);
  const [kept] = (await listDead()).filter(({ id }) => id.includes(saga.id));
  expect(kept?.reason).toContain('did not come to an end');
  const place = kept?.id as string;
  await putBack(place);
  const [pk, sk] = place.split(/\/(.*)/s) as [string, string];
  await writeRows([{ DeleteRequest: { Key: { pk, sk } } }]);
});

test('a try with only write conflicts counts, so that no saga holds a worker forever', async () => {
  const saga = await waitingSaga();
  saga.does(async () => {
    throw unavailable(1, new WriteConflict('somebody else has written'));
  });
  for (let index = 0; index < 4; index += 1) await expect(saga.resume()).rejects.toThrow('busy');
  expect((await saga.read())?.tries).toBe(4);
  await saga.resume();
  expect((await listDead()).filter(({ id }) => id.includes(saga.id))).toHaveLength(1);
});

test('a part that is done counts as new: a long saga is not one that fails', async () => {
  const saga = await waitingSaga();
  let fails = false;
  saga.does(async (_, { parts }) => {
    fails = !fails;
    if (!fails) throw new TypeError('every other time');
    return (parts as number) > 1 ? { parts: (parts as number) - 1 } : undefined;
  });
  await expect(saga.resume()).rejects.toThrow('every other time');
  expect((await saga.read())?.tries).toBe(0);
  await expect(saga.resume()).rejects.toThrow('every other time');
  await saga.resume();
  expect(await saga.read()).toBeUndefined();
});

test('a saga of low priority yields its worker after each turn, unless nobody waits', async () => {
  const saga = await waitingSaga(4000);
  const begunAt = (await saga.read())?.dueAt as string;
  saga.does(async (_, { parts }) => {
    vi.setSystemTime(Date.now() + 3000);
    return { parts: (parts as number) + 1 };
  });
  await saga.resume();
  expect(saga.calls()).toBe(2);
  const left = await saga.read();
  expect(left).toMatchObject({ state: { parts: 5 }, tries: 0 });
  expect((left?.dueAt as string) > begunAt && (left?.dueAt as string) <= timestamp()).toBe(true);
  await saga.resume();
  expect(saga.calls()).toBe(4);
});

test('a saga that its request cannot complete is due for the worker at once', async () => {
  const tenant: Tenant = { workspaceId: (await newWorkspace()).id, env: 'live' };
  const kind: SagaKind<State, 'merge'> = {
    name: 'merge',
    step: () => Promise.reject(new TypeError('a bug')),
  };
  await transact(tenant, operator, async (tx) => startSaga(tx, kind, {}));
  const [left] = await listAll(new UnitOfWork(tenant, operator), Sagas);
  expect((left?.dueAt as string) <= timestamp()).toBe(true);
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { hourMs, shifted, timestamp } from '#lib/clock.ts';
import { unavailable } from '#lib/problem.ts';
import { newPlan, type PlanKind, Plans } from '#lib/table/plan.ts';
import { resumePlan } from '#lib/table/resume.ts';
import { writeRows } from '#lib/table/rows.ts';
import { listSetAside, putBack } from '#lib/table/set-aside.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { operator, type Tenant } from '#lib/tenant.ts';
import { newWorkspace } from '#test/workspace.ts';

type State = Record<string, unknown>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A plan that the local system's worker is not told of within the hour, and a kind that does what the test says. */
async function waitingPlan() {
  const tenant: Tenant = { workspaceId: (await newWorkspace()).id, env: 'live' };
  let step: PlanKind<State>['step'] = async () => undefined;
  let calls = 0;
  const kind: PlanKind<State> = {
    name: 'trial',
    step: (...given) => {
      calls += 1;
      return step(...given);
    },
  };
  const later = shifted(new Date(), hourMs);
  const { id } = await transact(tenant, operator, async (tx) =>
    tx.create(Plans, { ...newPlan(tx, kind, { parts: 3 }), dueAt: later }),
  );
  const read = () => new UnitOfWork(tenant, operator).find(Plans, { id });
  const resume = async () => {
    // Its time has come, for this process alone.
    const due = (await read())?.dueAt ?? later;
    vi.setSystemTime(new Date(due).getTime() + 1000);
    await resumePlan(tenant, id, [kind]);
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

test('a plan that fails for a reason of its own is tried five times, ever later, then its wake-up is set aside', async () => {
  const plan = await waitingPlan();
  plan.does(async () => {
    throw new TypeError('a bug');
  });
  for (const tries of [1, 2, 3, 4]) {
    await expect(plan.resume()).rejects.toThrow('a bug');
    const waiting = await plan.read();
    expect(waiting?.tries).toBe(tries);
    expect((waiting?.dueAt as string) > timestamp()).toBe(true);
  }
  await plan.resume();
  const [kept, ...others] = (await listSetAside()).filter(({ id }) => id.includes(plan.id));
  expect(kept).toMatchObject({ reason: 'TypeError: a bug', tries: 5 });
  expect(others).toEqual([]);
  // The message that was sent for its last wake-up comes when it is due, and finds that the plan rests.
  const calls = plan.calls();
  const rested = await plan.read();
  await plan.resume();
  expect(plan.calls()).toBe(calls);
  expect(await plan.read()).toEqual(rested);
  // An operator puts it back, and it goes on to its end.
  plan.does(async (_, { parts }) => ((parts as number) > 1 ? { parts: (parts as number) - 1 } : undefined));
  expect(await putBack(kept?.id as string)).toBe(true);
  await plan.resume();
  expect(await plan.read()).toBeUndefined();
});

test('a try counts before it is made, so that a crash counts too; a try that fails for a passing reason does not', async () => {
  const plan = await waitingPlan();
  plan.does(async () => {
    throw unavailable(1);
  });
  for (let index = 0; index < 7; index += 1) await expect(plan.resume()).rejects.toThrow('busy');
  expect((await plan.read())?.tries).toBe(0);
  const counted: (number | undefined)[] = [];
  plan.does(async () => {
    counted.push((await plan.read())?.tries);
    throw unavailable(1);
  });
  await expect(plan.resume()).rejects.toThrow('busy');
  expect(counted).toEqual([1]);
  const calls = plan.calls();
  // As if five processes had died of it.
  await transact(plan.tenant, operator, async (tx) => {
    tx.update(Plans, { ...(await tx.get(Plans, { id: plan.id })), tries: 5 });
  });
  await plan.resume();
  expect(plan.calls()).toBe(calls);
  const [kept] = (await listSetAside()).filter(({ id }) => id.includes(plan.id));
  expect(kept?.reason).toContain('did not come to an end');
  const place = kept?.id as string;
  await putBack(place);
  const [pk, sk] = place.split(/\/(.*)/s) as [string, string];
  await writeRows([{ DeleteRequest: { Key: { pk, sk } } }]);
});

test('a part that is done counts as new: a long plan is not one that fails', async () => {
  const plan = await waitingPlan();
  let fails = false;
  plan.does(async (_, { parts }) => {
    fails = !fails;
    if (!fails) throw new TypeError('every other time');
    return (parts as number) > 1 ? { parts: (parts as number) - 1 } : undefined;
  });
  await expect(plan.resume()).rejects.toThrow('every other time');
  expect((await plan.read())?.tries).toBe(0);
  await expect(plan.resume()).rejects.toThrow('every other time');
  await plan.resume();
  expect(await plan.read()).toBeUndefined();
});

import { setTimeout as sleep } from 'node:timers/promises';
import { isPassing } from '../aws.ts';
import { secondMs } from '../clock.ts';
import type { PlanName } from '../plans.ts';
import { Problem } from '../problem.ts';
import type { Actor, Tenant } from '../tenant.ts';
import { longTimeoutSeconds } from '../timeouts.ts';
import { Overtaken } from './change.ts';
import { commitAtOnce } from './commit.ts';
import { IdPool } from './ids.ts';
import { commitLarge } from './large.ts';
import { newPlan, type Plan, type PlanKind, Plans, type State } from './plan.ts';
import { untilFirst } from './retry.ts';
import { UnitOfWork } from './unit-of-work.ts';

/**
 * Runs the work and commits it; runs it again on fresh reads when somebody else was faster. Returns what the work
 * returned. Raises 503 when it is overtaken for seconds on end.
 */
export const transact = <Result>(
  tenant: Tenant,
  actor: Actor,
  work: (tx: UnitOfWork) => Promise<Result>,
  ids: IdPool = new IdPool(tenant),
): Promise<Result> =>
  untilFirst(async () => {
    const tx = new UnitOfWork(tenant, actor, ids);
    let isCommitting = false;
    try {
      const result = await work(tx);
      isCommitting = true;
      await commit(tx);
      return result;
    } catch (error) {
      if (!isCommitting || hasWrittenNothing(error)) await tx.abandon();
      throw error;
    }
  });

/** Of a commit that was overtaken or refused. Whether one that fails otherwise, a 503 included, has written nobody knows. */
const hasWrittenNothing = (error: unknown) =>
  error instanceof Overtaken || (error instanceof Problem && error.status !== 503);

/** Writes everything or nothing. Throws the refusal of a failed condition, or Overtaken when it is worth running again. */
export async function commit(tx: UnitOfWork): Promise<void> {
  if (!(await commitAtOnce(tx))) await commitLarge(tx, finishPlan);
  await tx.committed();
}

/** How long a request goes on with its own plan; its route declares `longTimeoutSeconds`. */
export const patienceMs = (longTimeoutSeconds - 9) * secondMs;

/**
 * Decides, with the rest of the unit of work, that work will be done which is too large for it. It is done right after the
 * commit, before the request is answered; after a crash or when it takes too long the worker completes it.
 */
export function startPlan<S extends State>(tx: UnitOfWork, kind: PlanKind<S, PlanName>, state: S): void {
  const plan = tx.create(Plans, newPlan(tx, kind, state));
  tx.afterwards(() => finishNow(tx.tenant, kind, plan));
}

/** The answer tells of what the plan does: a fault that may pass is no reason to leave it to the worker. */
async function finishNow<S extends State>(tenant: Tenant, kind: PlanKind<S>, plan: Plan): Promise<void> {
  const deadlineMs = Date.now() + patienceMs;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await finishPlan(tenant, kind, plan, deadlineMs - Date.now());
    } catch (error) {
      const mayPass = isPassing(error) || (error instanceof Problem && error.status === 503);
      if (!mayPass || Date.now() > deadlineMs) throw error;
      await sleep(Math.random() * Math.min(secondMs, 50 * 2 ** attempt));
    }
  }
}

/** Does the parts of a plan that are left. What is not done in time is handed to the worker. */
export async function finishPlan<S extends State>(
  tenant: Tenant,
  kind: PlanKind<S>,
  { id, actor }: Pick<Plan, 'id' | 'actor'>,
  withinMs: number = patienceMs,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  for (let isLeft = true; isLeft; ) {
    isLeft = await transact(tenant, actor, async (tx) => {
      const plan = await tx.find(Plans, { id });
      if (plan === undefined) return false;
      if (Date.now() > deadline) {
        tx.update(Plans, { ...plan, dueAt: tx.now });
        return false;
      }
      const state = await kind.step(tx, plan.state as S, id);
      if (state === undefined) tx.delete(Plans, plan);
      else tx.update(Plans, { ...plan, state, tries: 0 });
      return state !== undefined;
    });
  }
}

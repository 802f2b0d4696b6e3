import { minuteMs, secondMs, shifted } from '../clock.ts';
import { system, type Tenant } from '../tenant.ts';
import { planTimeoutSeconds } from '../timeouts.ts';
import { companions } from './entity.ts';
import { type Plan, type PlanKind, Plans, type State } from './plan.ts';
import { readRows } from './rows.ts';
import { isOwnReason, setAside } from './set-aside.ts';
import { finishPlan, patienceMs, transact } from './transact.ts';

const tryMs = planTimeoutSeconds * secondMs;
const maxTries = 5;

/**
 * Goes on with a plan whose request did not complete it; one that is done is done. The try is counted before it is made, and until
 * the next one there is a wait; after the last one the plan's wake-up is set aside, and with a retry of it the plan goes on.
 */
export async function resumePlan(tenant: Tenant, id: string, kinds: readonly PlanKind<State>[]): Promise<void> {
  const plan = await transact(tenant, system, async (tx) => {
    const waiting = await tx.find(Plans, { id });
    if (waiting === undefined || waiting.dueAt > tx.now || (await isResting(tenant, waiting))) return undefined;
    const tries = waiting.tries + 1;
    return tx.update(Plans, { ...waiting, tries, dueAt: shifted(tx.now, tryMs + minuteMs * tries) });
  });
  if (plan === undefined) return;
  if (plan.tries > maxTries) return rest(tenant, id, new Error('its last try did not come to an end'));
  try {
    const kind = kinds.find(({ name }) => name === plan.kind);
    if (kind === undefined) throw new Error(`no plan is called ${plan.kind}`);
    await finishPlan(tenant, kind, plan, 2 * patienceMs);
  } catch (error) {
    if (!isOwnReason(error)) await takeBack(tenant, plan);
    else if (plan.tries === maxTries) return rest(tenant, id, error);
    throw error;
  }
}

/** A try that failed for a reason which is not the plan's own does not count. */
const takeBack = (tenant: Tenant, { id, tries }: Plan) =>
  transact(tenant, system, async (tx) => {
    const left = await tx.find(Plans, { id });
    if (left?.tries === tries) tx.update(Plans, { ...left, tries: tries - 1 });
  });

/** Whether its wake-up was set aside: a message of it that was sent before finds nothing to do. */
const isResting = async (tenant: Tenant, plan: Plan) =>
  (await readRows([...companions(tenant, Plans, plan).values()])).size === 0;

/** Nobody is told of the plan any more until an operator puts its wake-up back. */
async function rest(tenant: Tenant, id: string, error: unknown): Promise<void> {
  const plan = await transact(tenant, system, async (tx) => {
    const left = await tx.find(Plans, { id });
    return left && tx.update(Plans, { ...left, tries: 0 });
  });
  for (const wakeUp of plan ? companions(tenant, Plans, plan).values() : []) await setAside(wakeUp, maxTries, error);
}

import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { secondMs, shifted, timestamp } from '../clock.ts';
import { type Actor, system, type Tenant, tenantKey } from '../tenant.ts';
import { entity, type Item } from './entity.ts';
import { Transaction, transact } from './transaction.ts';

/** Work that is decided but takes more than one transaction, as the worker of the queue `plans` finds it after a crash. */
export const Plans = entity({
  name: 'plan',
  schema: v.object({
    id: v.string(),
    kind: v.string(),
    state: v.record(v.string(), v.unknown()),
    actor: v.custom<Actor>((actor) => typeof actor === 'object'),
    dueAt: v.string(),
  }),
  sortKey: ({ id }) => id,
  wakeUp: ({ id, dueAt }, tenant) => ({ at: dueAt, queue: 'plans', message: { planId: id }, group: tenantKey(tenant) }),
});

type Plan = Item<typeof Plans>;
type State = Record<string, unknown>;

/** What plans of one name do. */
export interface PlanKind<S extends State> {
  name: string;
  /**
   * Does a part that fits one transaction and returns the state that is left, or undefined when nothing is. The transaction is
   * conditional on the plan, so each part is done exactly once, whoever does it and however often it is tried.
   */
  step(tx: Transaction, state: S, planId: string): Promise<S | undefined>;
}

/** How long a request goes on with its own plan; its route declares `timeoutSeconds: 29`. */
const patienceMs = 20 * secondMs;
/** When the request must have given up, and the worker takes over. */
const handoverMs = 30 * secondMs;

export const newPlan = <S extends State>(tx: Transaction, kind: PlanKind<S>, state: S): Plan => ({
  id: randomUUID(),
  kind: kind.name,
  state,
  actor: tx.actor,
  dueAt: shifted(tx.now, handoverMs),
});

/**
 * Decides, with the rest of the transaction, that work will be done which is too large for it. It is done right after the
 * commit, before the request is answered; after a crash or when it takes too long the worker completes it.
 */
export function startPlan<S extends State>(tx: Transaction, kind: PlanKind<S>, state: S): void {
  const plan = tx.create(Plans, newPlan(tx, kind, state));
  tx.afterwards(() => finishPlan(tx.tenant, kind, plan, patienceMs));
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
      else tx.update(Plans, { ...plan, state });
      return state !== undefined;
    });
  }
}

/** Goes on with a plan whose request did not complete it; one that is done is done. */
export async function resumePlan(tenant: Tenant, id: string, kinds: readonly PlanKind<State>[]): Promise<void> {
  const plan = await new Transaction(tenant, system).find(Plans, { id });
  if (plan === undefined || plan.dueAt > timestamp()) return;
  const kind = kinds.find(({ name }) => name === plan.kind);
  if (kind === undefined) throw new Error(`no plan is called ${plan.kind}`);
  await finishPlan(tenant, kind, plan, 2 * patienceMs);
}

import { choice, id } from '#lib/core/schema.ts';
import { type Actor, environments, operator, system, type Tenant } from '#lib/core/tenant.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { getWorkspace } from '#lib/workspaces/store.ts';

/** Where a command acts. */
export const tenantFields = { workspaceId: id(), env: choice(environments) };

type Work<Result> = (tx: UnitOfWork) => Promise<Result>;

/** One unit of work as the operator, in a workspace that exists. It is refused for archived records, as the API refuses it. */
export const asOperator = <Result>(tenant: Tenant, work: Work<Result>) =>
  inWorkspace(tenant, operator, (tx) => {
    tx.refusesArchived = true;
    return work(tx);
  });

/** One unit of work of what comes in from outside, in a workspace that exists. */
export const asSystem = <Result>(tenant: Tenant, work: Work<Result>) => inWorkspace(tenant, system, work);

const inWorkspace = <Result>({ workspaceId, env }: Tenant, actor: Actor, work: Work<Result>) =>
  transact({ workspaceId, env }, actor, async (tx) => {
    await getWorkspace(tx);
    return work(tx);
  });

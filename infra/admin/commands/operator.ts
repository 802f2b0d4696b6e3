import { choice, id } from '#lib/core/schema.ts';
import { environments, operator, type Tenant } from '#lib/core/tenant.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { getWorkspace } from '#lib/workspaces/store.ts';

/** Where a command acts. */
export const tenantFields = { workspaceId: id(), env: choice(environments) };

/** One unit of work as the operator, in a workspace that exists. It is refused for archived records, as the API refuses it. */
export const asOperator = <Result>({ workspaceId, env }: Tenant, work: (tx: UnitOfWork) => Promise<Result>) =>
  transact({ workspaceId, env }, operator, async (tx) => {
    await getWorkspace(tx);
    tx.refusesArchived = true;
    return work(tx);
  });

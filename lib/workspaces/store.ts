import type * as v from 'valibot';
import { type PatchWorkspace, type Workspace, Workspaces } from '#lib/entities/workspace.ts';
import { changedFields } from '#lib/events/changes.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** The workspace of the unit of work. Raises 404. */
export const getWorkspace = (tx: UnitOfWork): Promise<Workspace> => tx.get(Workspaces, { id: tx.tenant.workspaceId });

/** Changes the given fields. Raises 404. */
export async function patchWorkspace(tx: UnitOfWork, patch: v.InferOutput<typeof PatchWorkspace>): Promise<Workspace> {
  const workspace = await getWorkspace(tx);
  return changedFields(workspace, patch).length === 0
    ? workspace
    : tx.update(Workspaces, { ...workspace, ...patch } as Workspace);
}

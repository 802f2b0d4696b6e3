import type * as v from 'valibot';
import { environments, operator } from '#lib/core/tenant.ts';
import { type CreateWorkspace, placeholderEmail, type Workspace, Workspaces } from '#lib/entities/workspace.ts';
import { rowKey } from '#lib/table/keys.ts';
import { transact } from '#lib/table/transact.ts';
import { addTo } from '#lib/table/write.ts';
import { createPipelines } from '#lib/workspaces/pipelines.ts';

/** Creates a workspace with both its environments. Returns it. */
export async function createWorkspace(input: v.InferOutput<typeof CreateWorkspace>): Promise<Workspace> {
  const { last: id = 0 } = await addTo(rowKey('workspaceIds', {}), { last: 1 });
  const [workspace] = await Promise.all(
    environments.map((name) =>
      transact({ workspaceId: id, env: name }, operator, async (tx) => {
        await createPipelines(tx);
        const made = {
          id,
          name: input.name,
          email: placeholderEmail(id),
          currency: input.currency,
          timeZone: 'UTC',
          country: null,
          linkByDomain: true,
          createdAt: tx.now,
        };
        return name === 'live' ? tx.create(Workspaces, made) : made;
      }),
    ),
  );
  return workspace as Workspace;
}

import { PatchWorkspace, Workspace } from '#lib/entities/workspace.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getWorkspace, patchWorkspace } from '#lib/workspaces/store.ts';

/** Names the workspace, or chooses the currency of what says none; what is there keeps its own. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/panel/workspace',
    summary: 'Change the workspace',
    scope: 'any',
    roles: ['owner', 'admin'],
    isUndocumented: true,
    body: PatchWorkspace,
    status: 200,
    response: Workspace,
    errors: ['bad_request', 'not_found'],
    current: (tx) => getWorkspace(tx),
  },
  ({ tx, body }) => patchWorkspace(tx, body),
);

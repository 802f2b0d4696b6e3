import { roles } from '#lib/core/choices.ts';
import { Workspace } from '#lib/entities/workspace.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getWorkspace } from '#lib/workspaces/store.ts';

/** The workspace that the session is in. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/panel/workspace',
    summary: 'Get the workspace',
    scope: 'any',
    roles,
    isUndocumented: true,
    status: 200,
    response: Workspace,
    errors: ['not_found'],
  },
  ({ tx }) => getWorkspace(tx),
);

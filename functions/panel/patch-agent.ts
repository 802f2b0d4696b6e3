import { getAgent, patchAgent } from '#lib/agents/store.ts';
import { roles } from '#lib/core/choices.ts';
import { AgentWithInstructions, PatchAgent } from '#lib/entities/agent.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Changes an AI agent, or switches it on or off. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/panel/agents/{id}',
    summary: 'Change an agent',
    scope: 'agents:run',
    roles,
    isUndocumented: true,
    body: PatchAgent,
    status: 200,
    response: AgentWithInstructions,
    errors: ['bad_request', 'not_found'],
    current: (tx, { id }) => getAgent(tx, id),
  },
  ({ tx, params, body }) => patchAgent(tx, params.id, body),
);

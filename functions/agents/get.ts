import { getAgent } from '#lib/agents/store.ts';
import { AgentWithInstructions } from '#lib/entities/agent.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** One agent with its instructions. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/agents/{id}',
    summary: 'Get an AI agent',
    scope: 'agents:read',
    status: 200,
    response: AgentWithInstructions,
    errors: ['not_found'],
  },
  ({ tx, params }) => getAgent(tx, params.id),
);

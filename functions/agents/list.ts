import { listAgents } from '#lib/agents/store.ts';
import { listOf } from '#lib/core/schema.ts';
import { Agent, AgentQuery } from '#lib/entities/agent.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** AI agents, newest first; `q` searches name and description. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/agents',
    summary: 'List AI agents',
    scope: 'agents:read',
    query: AgentQuery,
    status: 200,
    response: listOf(Agent),
    errors: ['bad_request'],
  },
  ({ tx, query }) => listAgents(tx, query),
);

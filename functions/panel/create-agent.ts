import { createAgent } from '#lib/agents/store.ts';
import { roles } from '#lib/core/choices.ts';
import { AgentWithInstructions, CreateAgent } from '#lib/entities/agent.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Makes an AI agent. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/panel/agents',
    summary: 'Create an agent',
    scope: 'agents:run',
    roles,
    isUndocumented: true,
    body: CreateAgent,
    status: 201,
    response: AgentWithInstructions,
    errors: ['bad_request'],
    location: ({ id }) => `/v1/agents/${id}`,
  },
  ({ tx, body }) => createAgent(tx, body),
);

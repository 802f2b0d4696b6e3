import { AgentWithInstructions, TestRun, TestRunAnswer } from '#lib/agents/agent.ts';
import { getAgent, testRun } from '#lib/agents/store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Drafts the agent's reply and sends nothing. With a test key a deterministic sandbox model answers. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/agents/{id}/test-run',
    summary: 'Try an AI agent',
    scope: 'agents:run',
    body: TestRun,
    status: 200,
    response: TestRunAnswer,
    representation: AgentWithInstructions,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getAgent(tx, id),
    needs: ['bedrock'],
    timeoutSeconds: 30,
  },
  ({ tx, caller, params, body }) => testRun(tx, caller, params.id, body),
);

import { getAgent, permitTestRun, testRun } from '#lib/agents/store.ts';
import { modelTimeoutSeconds } from '#lib/core/timeouts.ts';
import { AgentWithInstructions, TestRun, TestRunAnswer } from '#lib/entities/agent.ts';
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
    permit: ({ caller, body }) => permitTestRun(caller, body),
    needs: ['bedrock'],
    heavyDependency: 'the Bedrock client',
    timeoutSeconds: modelTimeoutSeconds,
  },
  ({ tx, params, body, request }) => testRun(tx, params.id, body, request),
);

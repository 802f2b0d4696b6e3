import * as v from 'valibot';
import { needs, tools } from '#functions/mcp/tools/all.ts';
import { modelTimeoutSeconds } from '#lib/core/timeouts.ts';
import { protocolEndpoint } from '#lib/http/endpoint.ts';
import { converse } from '#lib/mcp/converse.ts';
import { requireOwnOrigin } from '#lib/mcp/origin.ts';
import { toolboxOf } from '#lib/mcp/toolbox.ts';

const Message = v.pipe(
  v.looseObject({
    jsonrpc: v.literal('2.0'),
    id: v.optional(v.union([v.string(), v.number()])),
    method: v.optional(v.string()),
    params: v.optional(v.looseObject({})),
  }),
  v.title('McpMessage'),
);

/** The Model Context Protocol: what the API does, as tools for language models. */
export const handler = protocolEndpoint(
  {
    method: 'POST',
    path: '/mcp',
    summary: 'MCP server for AI agents',
    scope: 'any',
    body: Message,
    status: 200,
    otherStatuses: [202],
    response: Message,
    errors: ['bad_request', 'not_found'],
    needs,
    timeoutSeconds: modelTimeoutSeconds,
    memoryMb: 1024,
    heavyDependency: 'every operation that has a tool, the HTML sanitiser and the Bedrock client',
  },
  ({ caller, facts, reserve, ...request }) => {
    requireOwnOrigin(request.headers['origin'], request.headers['host'], facts.ip);
    return converse(request, toolboxOf(tools, { caller, facts, reserve }));
  },
);

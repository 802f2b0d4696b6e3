import { type Document, type Operation, operationsOf } from '#panel/document/document.ts';

/** Returns `/llms.txt` (llmstxt.org): what the API is and where to find each part, for models. */
export function llmsText(document: Document): string {
  const { info, tags, webhooks } = document;
  const sections = tags.flatMap(({ name, description: about }) => {
    const operations = operationsOf(document, name).map(
      ({ method, path, operation }) =>
        `- [${method} ${path}](/docs/#/operations/${operation.operationId}): ${line(operation)}`,
    );
    return operations.length > 0 ? [`## ${name}`, ...(about ? [about] : []), operations.join('\n')] : [];
  });
  const events = Object.entries(webhooks).map(([kind, { post }]) => `- \`${kind}\`: ${post.summary}`);
  return `${[
    `# ${info.title} ${info.version}`,
    `> ${info.description.split('\n')[0]}`,
    info.description.split('\n').slice(2).join('\n'),
    'Every call except the public ones needs `Authorization: Bearer <API_KEY>`. A key `csk_test_…` acts on the sandbox: nothing leaves it. Every error with a `details.reason` has the path of its page in `details.docs`.',
    '## Everything',
    '- [OpenAPI 3.1](/openapi.json): every operation, schema, example, event, and error\n- [Reference](/docs/): the same for people\n- [Postman collection](/docs/postman.json)\n- [MCP server](/mcp): the operations as tools, by Streamable HTTP and the same key',
    ...sections,
    '## Events',
    'Sent to webhook endpoints (Standard Webhooks signatures) and kept at `GET /v1/events`.',
    events.join('\n'),
  ].join('\n\n')}\n`;
}

const line = ({ summary, 'x-required-scopes': scopes = [] }: Operation) =>
  scopes.length > 0 ? `${summary} (${scopes.join(' or ')})` : summary;

import { environment, may } from '../../app/session.ts';
import { Code } from '../../parts/code.tsx';
import { Head } from '../../parts/head.tsx';

const json = (value: unknown) => JSON.stringify(value, null, 2);

/** How common clients are told of this deployment's MCP server. */
const clients = (url: string): readonly (readonly [name: string, how: string, text: string])[] => [
  [
    'Claude Code',
    'In a terminal, with the key in CRM_API_KEY:',
    `claude mcp add --transport http crm ${url} --header "Authorization: Bearer $CRM_API_KEY"`,
  ],
  [
    'Claude Code, for everybody in a repository',
    '.mcp.json in its root, with CRM_API_KEY in each one’s environment:',
    json({ mcpServers: { crm: { type: 'http', url, headers: { Authorization: `Bearer \${CRM_API_KEY}` } } } }),
  ],
  [
    'Claude Desktop',
    'claude_desktop_config.json (Settings, Developer, Edit Config):',
    json({
      mcpServers: {
        crm: {
          command: 'npx',
          args: ['-y', 'mcp-remote', url, '--header', `Authorization:\${CRM_AUTHORIZATION}`],
          env: { CRM_AUTHORIZATION: `Bearer csk_${environment.value}_…` },
        },
      },
    }),
  ],
  [
    'Cursor',
    '~/.cursor/mcp.json, or .cursor/mcp.json in a project:',
    json({ mcpServers: { crm: { url, headers: { Authorization: `Bearer \${env:CRM_API_KEY}` } } } }),
  ],
  [
    'VS Code',
    '.vscode/mcp.json; it asks for the key once:',
    json({
      inputs: [{ type: 'promptString', id: 'crm-key', description: 'CRM API key', password: true }],
      servers: { crm: { type: 'http', url, headers: { Authorization: `Bearer \${input:crm-key}` } } },
    }),
  ],
  [
    'A script',
    'One request per message, no session:',
    `curl -s ${url} -H "Authorization: Bearer $CRM_API_KEY" -H 'Content-Type: application/json' -d '{
  "jsonrpc": "2.0", "id": 1, "method": "tools/call",
  "params": { "name": "contacts_search", "arguments": { "q": "ann", "limit": 5 } } }'`,
  ],
];

export default function Mcp() {
  const url = `${location.origin}/mcp`;
  return (
    <>
      <Head title="Connect an AI agent (MCP)" />
      <div class="stack">
        <p>
          An AI client that speaks the Model Context Protocol works with this CRM by the same keys, scopes and limits as
          the API. Give each one a key of its own with no more scopes than it needs
          {may('keys:manage') && (
            <>
              : <a href="#/developers/keys">make one</a>
            </>
          )}
          .
        </p>
        <Code label="The server’s address" text={url} />
        {clients(url).map(([name, how, text]) => (
          <section key={name} class="card stack" aria-label={name}>
            <h2>{name}</h2>
            <p class="hint">{how}</p>
            <Code label={`The set-up of ${name}`} text={text} />
          </section>
        ))}
      </div>
    </>
  );
}

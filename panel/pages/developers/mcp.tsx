import { environment, may } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { Code } from '../../parts/code.tsx';
import { filled } from '../../parts/filled.tsx';
import { Head } from '../../parts/head.tsx';

const json = (value: unknown) => JSON.stringify(value, null, 2);

/** How common clients are told of this deployment's MCP server. */
const clients = (url: string): readonly (readonly [name: string, how: string, text: string])[] => [
  [
    t.developers.claudeCode,
    t.developers.inATerminalWithThe,
    `claude mcp add --transport http crm ${url} --header "Authorization: Bearer $CRM_API_KEY"`,
  ],
  [
    t.developers.claudeCodeForEverybodyIn,
    t.developers.mcpJsonInItsRoot,
    json({ mcpServers: { crm: { type: 'http', url, headers: { Authorization: `Bearer \${CRM_API_KEY}` } } } }),
  ],
  [
    t.developers.claudeDesktop,
    t.developers.claudeDesktopConfigJsonSettings,
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
    t.developers.cursor,
    t.developers.cursorMcpJsonOrCursor,
    json({ mcpServers: { crm: { url, headers: { Authorization: `Bearer \${env:CRM_API_KEY}` } } } }),
  ],
  [
    'VS Code',
    t.developers.vscodeMcpJsonItAsks,
    json({
      inputs: [{ type: 'promptString', id: 'crm-key', description: t.developers.crmApiKey, password: true }],
      servers: { crm: { type: 'http', url, headers: { Authorization: `Bearer \${input:crm-key}` } } },
    }),
  ],
  [
    t.developers.aScript,
    t.developers.oneRequestPerMessageNo,
    `curl -s ${url} -H "Authorization: Bearer $CRM_API_KEY" -H 'Content-Type: application/json' -d '{
  "jsonrpc": "2.0", "id": 1, "method": "tools/call",
  "params": { "name": "contacts_search", "arguments": { "q": "ann", "limit": 5 } } }'`,
  ],
];

export default function Mcp() {
  const url = `${location.origin}/mcp`;
  return (
    <>
      <Head title={t.developers.connectAnAiAgentMcp} />
      <div class="stack">
        <p>
          {filled(t.developers.anAiClientThatSpeaks, {
            may: may('keys:manage') && (
              <>
                : <a href="#/developers/keys">{t.developers.makeOne}</a>
              </>
            ),
          })}
        </p>
        <Code label={t.developers.theServersAddress} text={url} />
        {clients(url).map(([name, how, text]) => (
          <section key={name} class="card stack" aria-label={name}>
            <h2>{name}</h2>
            <p class="hint">{how}</p>
            <Code label={t.developers.theSetUpOf(name)} text={text} />
          </section>
        ))}
      </div>
    </>
  );
}

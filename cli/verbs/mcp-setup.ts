import { addressOf, connect } from '../connection.ts';
import { operandsOf } from '../operands.ts';
import { UsageError, verb } from '../verb.ts';

interface Setup {
  /** Instruction for the text. */
  where: string;
  /** Without a key it names the variable of the environment, or what stands for the key. */
  text(url: string, key: string | undefined): string;
}

const variable = 'CRM_API_KEY';
const json = (value: unknown) => JSON.stringify(value, null, 2);
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

const setups: Record<string, Setup> = {
  'claude-code': {
    where: 'run this',
    text: (url, key = `$${variable}`) =>
      `claude mcp add --transport http crm ${url} --header "Authorization: Bearer ${key}"`,
  },
  'claude-desktop': {
    where: 'for claude_desktop_config.json (Settings, Developer, Edit Config); put the key in its place',
    text: (url, key = 'csk_…') =>
      json({
        mcpServers: {
          crm: {
            command: 'npx',
            // A blank within an argument does not survive on Windows, so the header's value comes from the environment.
            args: ['-y', 'mcp-remote', url, '--header', 'Authorization:$' + '{CRM_AUTHORIZATION}'],
            env: { CRM_AUTHORIZATION: `Bearer ${key}` },
          },
        },
      }),
  },
  codex: {
    where: 'for ~/.codex/config.toml',
    text: (url, key) =>
      [
        '[mcp_servers.crm]',
        `url = ${JSON.stringify(url)}`,
        key === undefined
          ? `bearer_token_env_var = "${variable}"`
          : `http_headers = { Authorization = ${JSON.stringify(`Bearer ${key}`)} }`,
      ].join('\n'),
  },
  cursor: {
    where: 'for ~/.cursor/mcp.json, or .cursor/mcp.json of a project',
    text: (url, key = `\${env:${variable}}`) => json({ mcpServers: { crm: { url, headers: bearer(key) } } }),
  },
  gemini: {
    where: 'for ~/.gemini/settings.json',
    text: (url, key = `\${${variable}}`) => json({ mcpServers: { crm: { httpUrl: url, headers: bearer(key) } } }),
  },
  vscode: {
    where: 'for .vscode/mcp.json',
    text: (url, key) => {
      const crm = { type: 'http', url, headers: bearer(key ?? '$' + '{input:crm-key}') };
      const asked = { type: 'promptString', id: 'crm-key', description: 'CRM API key', password: true };
      return json({ ...(key === undefined && { inputs: [asked] }), servers: { crm } });
    },
  },
  windsurf: {
    where: 'for ~/.codeium/windsurf/mcp_config.json',
    text: (url, key = `\${env:${variable}}`) => json({ mcpServers: { crm: { serverUrl: url, headers: bearer(key) } } }),
  },
};

export const mcpSetup = verb({
  summary: 'Prints the settings that connect an AI agent to the API.',
  usage: `<${Object.keys(setups).join('|')}>`,
  options: {
    'with-key': { type: 'boolean', help: `with the key itself instead of a reference to ${variable}` },
  },
  more: `It writes no file. Give an agent a key of its own, with no more scopes than it needs.`,
  async run({ values, operands, output }) {
    const [name = ''] = operandsOf(operands, `the agent (${Object.keys(setups).join(', ')})`);
    const setup = Object.hasOwn(setups, name) ? setups[name] : undefined;
    if (setup === undefined)
      throw new UsageError(`"${name}" is not known; there are: ${Object.keys(setups).join(', ')}`);
    const { key, url } = values['with-key'] ? connect(values) : { key: undefined, url: addressOf(values) };
    const text = setup.text(`${url}/mcp`, key);
    if (!output.isJson) output.note(`${setup.where}:`);
    output.result({ agent: name, where: setup.where, text }, text);
  },
});

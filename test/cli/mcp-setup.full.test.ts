import { describe, expect, test } from 'vitest';
import { crm } from '#test/cli/process.ts';

const key = `csk_test_${'k'.repeat(44)}`;
const agents = ['claude-code', 'claude-desktop', 'codex', 'cursor', 'gemini', 'vscode', 'windsurf'];

const setup = async (...args: string[]) => {
  const ended = await crm(['mcp', 'setup', ...args], { key, url: 'https://api.example.com/' });
  expect(ended.code).toBe(0);
  return ended;
};

describe.each(agents)('%s', (agent) => {
  test('is told the address, and the key only where that is asked for', async () => {
    const { stdout, stderr } = await setup(agent);
    expect(stdout).toMatch(/https:\/\/api\.example\.com\/mcp["\s]/);
    expect(stdout + stderr).not.toContain(key);
    expect((await setup(agent, '--with-key')).stdout).toContain(`Bearer ${key}`);
    expect(JSON.parse((await setup(agent, '--json')).stdout)).toMatchObject({ agent, text: stdout.trimEnd() });
    const isJson = stdout.startsWith('{');
    if (isJson) expect(Object.keys(JSON.parse(stdout))).toContainEqual(expect.stringMatching(/^(mcpServers|servers)$/));
    else expect(stdout).toMatch(/^claude mcp add |^\[mcp_servers\.crm\]\n/);
  });
});

test('the agents are those of the help', async () => {
  expect((await crm(['mcp', 'setup', '--help'])).stdout).toContain(`<${agents.join('|')}>`);
});

test('no key is needed', async () => {
  const { code, stdout } = await crm(['mcp', 'setup', 'codex'], { url: '', env: { DATA_DIR: '/nowhere' } });
  expect([code, stdout]).toEqual([0, expect.stringContaining('"http://127.0.0.1:3000/mcp"')]);
});

test.each<[string, string[], RegExp]>([
  ['no agent', [], /^the agent \(.*\) is missing\n$/],
  ['an unknown agent', ['emacs'], /^"emacs" is not known; there are: claude-code/],
])('%s is not understood', async (_, args, said) => {
  const { code, stdout, stderr } = await crm(['mcp', 'setup', ...args]);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(said)]);
});

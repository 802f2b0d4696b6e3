import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { place } from '#test/place.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const info = { name: 'test', version: '1' };
const url = () => new URL('/mcp', place('baseUrl'));
const authorized = (key: string) => ({ requestInit: { headers: { Authorization: `Bearer ${key}` } } });

/** What both official clients have in common. */
interface Connected {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

async function byVersion1(key: string): Promise<Connected> {
  const client = new LegacyClient(info);
  // Its declaration of sessionId does not fit its own interface under exactOptionalPropertyTypes.
  await client.connect(new LegacyTransport(url(), authorized(key)) as never);
  return client;
}

const byVersion2 = (mode: 'legacy' | 'auto' | { pin: string }) => async (key: string) => {
  const client = new ModernClient(info, { versionNegotiation: { mode } });
  await client.connect(new ModernTransport(url(), authorized(key)));
  return client as Connected;
};

describe.each([
  ['the official client 1.x', byVersion1],
  ['the official client 2.x in the handshake era', byVersion2('legacy')],
  ['the official client 2.x by its own choice', byVersion2('auto')],
  ['the official client 2.x in the stateless era', byVersion2({ pin: '2026-07-28' })],
])('%s', (_, connect) => {
  test('lists the tools, calls them, and accepts results and refusals by their output schemas', async () => {
    const client = await connect(workspace.liveKey);
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(35);
    const created = { name: 'contacts_create', arguments: { name: 'By client', platform: 'twitter' } };
    const called = (await client.callTool(created)) as { structuredContent: { id: number; name: string } };
    expect(called.structuredContent.name).toBe('By client');
    for (const { name, args } of [
      { name: 'contacts_get', args: { id: called.structuredContent.id } },
      { name: 'contacts_search', args: { q: 'by client' } },
      { name: 'deals_search', args: {} },
      { name: 'email_search', args: {} },
      { name: 'records_batch', args: { resource: 'tasks', items: [{ op: 'create', title: 'T' }] } },
    ]) {
      expect(await client.callTool({ name, arguments: args }), name).not.toHaveProperty('isError', true);
    }
    expect(await client.callTool({ name: 'contacts_search', arguments: { limit: 'x' } })).toMatchObject({
      isError: true,
      structuredContent: { error: 'bad_request' },
    });
    await expect(client.callTool({ name: 'nothing_here', arguments: {} })).rejects.toThrow('unknown tool');
    await client.close();
  });

  test('is told that its key is wrong and does not look for OAuth in vain', async () => {
    const wrong = `${workspace.liveKey.slice(0, -4)}AAAA`;
    await expect(connect(wrong)).rejects.toThrow(/401|unauthorized/i);
  });
});

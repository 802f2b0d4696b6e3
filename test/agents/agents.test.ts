import { beforeAll, describe, expect, test } from 'vitest';
import { createAgent, patchAgent } from '#lib/agents/store.ts';
import { operator } from '#lib/core/tenant.ts';
import { remaining, take } from '#lib/table/quota.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import type { Client } from '#test/client.ts';
import { newAccount } from '#test/telegram/line.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let client: Client;
let id: number;

const inSandbox = <Result>(work: (tx: UnitOfWork) => Promise<Result>) =>
  transact({ workspaceId: workspace.id, env: 'test' }, operator, work);

const captain = {
  name: 'Captain',
  description: null,
  instructions: 'You sell boats.',
  model: 'amazon.nova-lite-v1:0',
  channels: ['telegram' as const],
  accountIds: [],
  language: null,
  handoffEnabled: true,
  status: 'active' as const,
};
const newAgent = (name: string, status: 'active' | 'disabled' = 'active') =>
  inSandbox((tx) => createAgent(tx, { ...captain, name, status }));

beforeAll(async () => {
  workspace = await newWorkspace();
  client = workspace.test;
  ({ id } = await newAgent('Captain'));
});

const shown = () => ({
  id,
  name: 'Captain',
  description: null,
  status: 'active',
  channels: ['telegram'],
  accountIds: [],
  model: 'amazon.nova-lite-v1:0',
  language: null,
  handoffEnabled: true,
  createdAt: expect.stringMatching(/Z$/),
  updatedAt: null,
});

test('an agent is listed without its instructions and shown with them', async () => {
  const { id: other } = await newAgent('Sleeper', 'disabled');
  const names = async (query: Record<string, string>) =>
    (await client.get('/v1/agents', query)).body.items.map(({ name }: { name: string }) => name);
  expect((await client.get('/v1/agents', { after: other })).body).toEqual({
    items: [shown()],
    nextCursor: null,
    hasMore: false,
  });
  expect(await names({ status: 'Disabled' })).toEqual(['Sleeper']);
  expect(await names({ q: 'CAPT' })).toEqual(['Captain']);
  expect((await client.get(`/v1/agents/${id}`)).body).toEqual({ ...shown(), instructions: 'You sell boats.' });
  await workspace.live.get(`/v1/agents/${id}`, undefined, 404);
});

test('an agent has accounts of its workspace and environment alone', async () => {
  const { id: own } = await newAccount({ workspaceId: workspace.id, env: 'test' });
  const { id: other } = await newAccount({ workspaceId: workspace.id, env: 'live' });
  const change = (accountIds: number[]) => inSandbox((tx) => patchAgent(tx, id, { accountIds }));
  expect((await change([own, own])).accountIds).toEqual([own, own]);
  const unknown = { status: 400, details: { fields: [{ field: 'accountIds' }] } };
  for (const none of [own + 1_000, other === own ? own + 1 : other])
    await expect(change([own, none])).rejects.toMatchObject(unknown);
  await change([]);
  await expect(inSandbox((tx) => createAgent(tx, { ...captain, accountIds: [99] }))).rejects.toMatchObject(unknown);
});

describe('a test run', () => {
  test('in the sandbox drafts the same reply for the same message and sends nothing', async () => {
    const { body: contact } = await client.post('/v1/contacts', { name: 'Ann', username: 'ann' });
    const run = { message: 'How much?', contactId: contact.id, history: [{ role: 'agent', text: 'Hello!' }] };
    const first = await client.post(`/v1/agents/${id}/test-run`, run);
    expect(first).toMatchObject({ status: 200 });
    expect(first.body).toEqual({
      agentId: id,
      draft: 'Thank you for your message: "How much?"',
      wouldHandOff: false,
      handOffReason: null,
      model: 'sandbox',
      inputTokens: expect.any(Number),
      outputTokens: expect.any(Number),
      durationMs: expect.any(Number),
      sent: false,
    });
    const { durationMs: _, ...same } = first.body;
    expect((await client.post(`/v1/agents/${id}/test-run`, run)).body).toMatchObject(same);
    expect((await client.get(`/v1/contacts/${contact.id}/messages`)).body.items).toEqual([]);
    expect((await client.get('/v1/jobs')).body.items).toEqual([]);
  });

  test('tells when a person should take over', async () => {
    const { body } = await client.post(`/v1/agents/${id}/test-run`, { message: 'I want to talk to a human' });
    expect(body).toMatchObject({ wouldHandOff: true, handOffReason: 'asked for a person' });
  });

  test('with a contact takes contacts:read', async () => {
    const { client: limited } = await workspace.mint({ env: 'test', scopes: ['agents:run'] });
    expect(await limited.post(`/v1/agents/${id}/test-run`, { message: 'Hi', contactId: 1 })).toMatchObject({
      status: 403,
      body: { details: { reason: 'missing_scope', requiredScopes: ['contacts:read'] } },
    });
    await limited.post(`/v1/agents/${id}/test-run`, { message: 'Hi' }, 200);
  });

  test('is refused until the next day when the tokens of the day are used up', async () => {
    const { id: workspaceId } = workspace;
    const tenant = { workspaceId, env: 'test' as const };
    const before = await remaining(tenant, 'agentTokens');
    const { body } = await client.post(`/v1/agents/${id}/test-run`, { message: 'Hi' });
    expect(before - (await remaining(tenant, 'agentTokens'))).toBe(body.inputTokens + body.outputTokens);
    await take(tenant, 'agentTokens', before);
    const refused = await client.post(`/v1/agents/${id}/test-run`, { message: 'Hi' });
    expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited', details: { reason: 'daily_quota' } } });
    expect(Number(refused.headers['retry-after'])).toBe(refused.body.details.retryAfterSeconds);
  });

  test('is a conflict when the agent is disabled', async () => {
    const { id: off } = await newAgent('Off');
    await inSandbox((tx) => patchAgent(tx, off, { status: 'disabled' }));
    expect(await client.post(`/v1/agents/${off}/test-run`, { message: 'Hi' })).toMatchObject({
      status: 409,
      body: { details: { reason: 'agent_disabled' } },
    });
  });

  test.each([
    ['message', 'required', {}],
    ['message', 'too_long', { message: 'm'.repeat(4001) }],
    ['contactId', 'unknown_reference', { message: 'Hi', contactId: 999_999 }],
    [
      'history',
      'too_many',
      { message: 'Hi', history: Array.from({ length: 21 }, () => ({ role: 'contact', text: 'x' })) },
    ],
    ['history[0].role', 'invalid_enum', { message: 'Hi', history: [{ role: 'user', text: 'x' }] }],
  ])('refuses a body whose %s is %s', async (field, code, run) => {
    expect(await client.post(`/v1/agents/${id}/test-run`, run)).toMatchObject({
      status: 400,
      body: { details: { fields: [{ field, code }] } },
    });
    await client.post('/v1/agents/999999/test-run', { message: 'Hi' }, 404);
  });
});

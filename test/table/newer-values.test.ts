import { beforeAll, expect, test } from 'vitest';
import { shifted } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { dynamodb } from '#lib/table/client.ts';
import type { Key } from '#lib/table/keys.ts';
import { pages } from '#lib/table/pages.ts';
import { receiveIn } from '#test/email/raw.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

/** A value that a newer version has written, before it was rolled back. */
const newer = 'of a newer version';

let workspace: TestWorkspace;
let live: Tenant;
let contactId: number;
let threadId: number;
beforeAll(async () => {
  workspace = await newWorkspace();
  live = { workspaceId: workspace.id, env: 'live' };
  const made = async (path: string, body: object) => (await workspace.live.post(path, body)).body;
  contactId = (await made('/v1/contacts', { name: 'Ann', email: 'ann@example.com', platform: 'telegram' })).id;
  await made('/v1/deals', { title: 'A deal', contactId });
  await made('/v1/tasks', { title: 'A task', contactId });
  await made('/v1/finance/transactions', { type: 'income', amount: 5, currency: 'EUR' });
  ({ threadId } = await receiveIn(workspace)({ from: 'ann@example.com' }));
  const runAt = shifted(new Date(), 86_400_000);
  await made(`/v1/email/threads/${threadId}/replies`, { bodyText: 'Hello', runAt });
});

const set = ({ pk, sk }: Key, field: string, value: unknown) =>
  dynamodb.send('UpdateItem', {
    TableName: env('TABLE_NAME'),
    Key: { pk, sk },
    UpdateExpression: 'SET #field = :value',
    ExpressionAttributeNames: { '#field': field },
    ExpressionAttributeValues: { ':value': value },
  });

test.each([
  { rows: () => 'contact', fields: ['platform', 'stage'], path: () => '/v1/contacts' },
  {
    rows: () => `contact/${contactId}/activity`,
    fields: ['type', 'actorType'],
    path: () => `/v1/contacts/${contactId}/activities`,
  },
  {
    rows: () => `contact/${contactId}/message`,
    fields: ['channel', 'direction', 'status'],
    path: () => `/v1/contacts/${contactId}/messages`,
  },
  { rows: () => 'deal', fields: ['stage'], path: () => '/v1/deals' },
  { rows: () => 'task', fields: ['status', 'priority'], path: () => '/v1/tasks' },
  { rows: () => 'transaction', fields: ['status', 'source'], path: () => '/v1/finance/transactions' },
  { rows: () => 'email-thread', fields: ['status'], path: () => '/v1/email/threads' },
  { rows: () => 'job', fields: ['channel', 'status', 'source'], path: () => '/v1/jobs' },
])('$fields of a newer version are shown as they are', async ({ rows, fields, path }) => {
  const stored: Key[] = [];
  for await (const page of pages({ pk: `${tenantKey(live)}#${rows()}` })) stored.push(...(page as unknown as Key[]));
  expect(stored.length).toBeGreaterThan(0);
  for (const row of stored) for (const field of fields) await set(row, field, newer);
  const { status, body } = await workspace.live.get(path());
  expect(status).toBe(200);
  for (const item of body.items) for (const field of fields) expect(item[field]).toBe(newer);
});

test('a scope of a newer version gives no right, and takes none away', async () => {
  const { keyId, client } = await workspace.mint({ scopes: ['deals:read', 'keys:manage'] });
  const place = { pk: `KEY#${keyId}`, sk: 'KEY' };
  await set(place, 'scopes', ['deals:read', 'keys:manage', 'newer:read']);
  await client.get('/v1/deals', undefined, 200);
  await client.get('/v1/contacts', undefined, 403);
  expect((await client.get('/v1/me')).body.apiKey.scopes).toContain('newer:read');
  const { status, body } = await workspace.live.get('/v1/keys');
  const key = body.items.find((one: { keyId: string }) => one.keyId === keyId);
  expect([status, key.scopes]).toEqual([200, ['deals:read', 'keys:manage', 'newer:read']]);
  await client.post('/v1/keys', { name: 'a child', scopes: ['newer:read'] }, 400);
  expect((await workspace.live.patch(`/v1/keys/${key.id}`, { name: 'weaker' })).body.details).toMatchObject({
    reason: 'stronger_key',
    field: 'scopes',
  });
  await set(place, 'env', newer);
  await workspace.live.get('/v1/keys', undefined, 200);
});

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { decrypt, encrypt } from '#lib/aws/secrets.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { connectRevenueSource, createRevenueSource } from '#lib/finance/revenue-source-store.ts';
import { connectAccount } from '#lib/messages/accounts/change.ts';
import { createAccount } from '#lib/messages/accounts/store.ts';
import { transact } from '#lib/table/transact.ts';
import { eventually } from '#test/client.ts';
import { everyByteOf } from '#test/rows.ts';
import { newPerson } from '#test/twitter/person.ts';
import { newWorkspace } from '#test/workspace.ts';

test('a secret opens only in its own context', async () => {
  const stored = await encrypt('a token', { account: '1' });
  expect(stored).not.toContain('token');
  expect(await decrypt(stored, { account: '1' })).toBe('a token');
  await expect(decrypt(stored, { account: '2' })).rejects.toThrow();
});

test('a secret is never in a row in clear', async () => {
  const workspace = await newWorkspace();
  const { live } = workspace;
  const tenant: Tenant = { workspaceId: workspace.id, env: 'live' };
  const secrets = {
    bot: randomUUID(),
    newBot: randomUUID(),
    session: randomUUID(),
    x: randomUUID(),
    feed: randomUUID(),
    newFeed: randomUUID(),
  };
  const account = { name: 'A', username: null, dailyLimit: 1 };
  const bot = await transact(tenant, operator, async (tx) => {
    await createAccount(tx, { ...account, channel: 'telegram', kind: 'user', secret: secrets.session });
    await createAccount(tx, { ...account, channel: 'twitter', kind: 'user', secret: secrets.x });
    return createAccount(tx, { ...account, channel: 'telegram', kind: 'bot', secret: secrets.bot });
  });
  await transact(tenant, operator, (tx) => connectAccount(tx, bot, { kind: 'bot', secret: secrets.newBot }));
  const url = 'https://example.com/feed';
  const feed = { name: 'Feed', feedUrl: url, mode: 'pull', pullIntervalMinutes: 60, defaultCurrency: 'EUR' } as const;
  const source = await transact(tenant, operator, (tx) =>
    createRevenueSource(tx, { ...feed, credential: secrets.feed }),
  );
  await transact(tenant, operator, (tx) => connectRevenueSource(tx, source.id, secrets.newFeed));
  const headers = { 'idempotency-key': 'busy' };
  const { body: endpoint } = await live.post('/v1/webhooks', { url: 'https://127.0.0.1.nip.invalid/x' }, headers);
  const { body: rotated } = await live.post(`/v1/webhooks/${endpoint.id}/rotate`, {}, headers);
  const { body: minted } = await live.post('/v1/keys', { name: 'Child', scopes: ['deals:read'] }, headers);
  await live.post('/v1/contacts', { name: 'Ann' }, headers);
  await eventually(
    async () => (await live.get(`/v1/webhooks/${endpoint.id}/deliveries`)).body.items.length > 0,
    'a delivery',
  );
  const { token: accessToken, app } = newPerson();
  expect((await live.post('/v1/twitter/accounts', { accessToken, ...app }, headers)).status).toBe(201);
  const keys = [workspace.liveKey, workspace.testKey, minted.key].map((key) => key.slice(-32));
  const bytes = await everyByteOf(workspace.id);
  expect(bytes).toContain(minted.keyId);
  for (const secret of [
    ...Object.values(secrets),
    accessToken,
    ...Object.values(app),
    ...keys,
    endpoint.secret,
    rotated.secret,
  ])
    expect(bytes).not.toContain(secret);
});

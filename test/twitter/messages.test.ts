import { beforeAll, expect, test } from 'vitest';
import { fromNow, now } from '#lib/core/clock.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { type Client, eventually } from '#test/client.ts';
import { hears, newAccount } from '#test/telegram/line.ts';
import { newWorkspace } from '#test/workspace.ts';

let live: Client;
let tenant: Tenant;

beforeAll(async () => {
  const workspace = await newWorkspace();
  live = workspace.live;
  tenant = { workspaceId: workspace.id, env: 'live' };
});

const newTwitterAccount = () => newAccount(tenant, { channel: 'twitter', kind: 'user', name: 'X' });

const settled = (id: number) =>
  eventually(async () => {
    const { body } = await live.get(`/v1/twitter/messages/${id}`);
    return body.status !== 'queued' && body;
  }, `job ${id} to be sent or to fail`);

test('direct messages on X go to the id of the contact who has written', async () => {
  const account = await newTwitterAccount();
  const { contactId } = await hears(
    tenant,
    account.id,
    { twitterUserId: '1234567890123456789', username: 'dora' },
    'twitter',
  );
  const answer = await live.post('/v1/twitter/messages', { accountId: account.id, contactId, text: 'Hi Dora' });
  expect(answer.status).toBe(202);
  expect(answer.headers['location']).toBe(`/v1/twitter/messages/${answer.body.id}`);
  expect((await settled(answer.body.id)).status).toBe('sent');
  expect((await account.arrived()).stored).toEqual([
    { to: '1234567890123456789', text: 'Hi Dora', at: expect.any(Number) },
  ]);
  const { body } = await live.get(`/v1/contacts/${contactId}/messages`, {
    channel: 'twitter',
    direction: 'outbound',
  });
  expect(body.items).toEqual([expect.objectContaining({ jobId: answer.body.id, status: 'sent', body: 'Hi Dora' })]);
});

test('direct messages on X find the id of a username, and fail for a name that X does not know', async () => {
  const account = await newTwitterAccount();
  const known = await live.post('/v1/twitter/messages', { accountId: account.id, username: '@someone', text: 'Hi' });
  const unknown = await live.post('/v1/twitter/messages', { accountId: account.id, username: 'nobody', text: 'Hi' });
  expect((await settled(known.body.id)).status).toBe('sent');
  expect((await account.arrived()).stored.map(({ to }) => to)).toEqual(['987654321']);
  expect(await settled(unknown.body.id)).toMatchObject({
    status: 'failed',
    lastError: 'X knows no user of this name',
  });
});

test('direct messages on X are retried when the look-up of a username does not answer JSON', async () => {
  const account = await newTwitterAccount();
  const { body } = await live.post('/v1/twitter/messages', { accountId: account.id, username: 'page', text: 'Hi' });
  const tried = await eventually(async () => {
    const { body: job } = await live.get(`/v1/twitter/messages/${body.id}`);
    return job.lastError !== null && job;
  }, 'the first try');
  expect(tried).toMatchObject({ status: 'queued', lastError: 'the answer to the look-up cannot be read' });
});

test('direct messages on X wait until the time at which X resets its limit', async () => {
  const account = await newTwitterAccount();
  const reset = Math.ceil(now() / 1000) + 10;
  await account.react({ status: 429, headers: { 'x-rate-limit-reset': String(reset) }, body: {} });
  const { body } = await live.post('/v1/twitter/messages', {
    accountId: account.id,
    twitterUserId: '42',
    text: 'Hi',
  });
  await eventually(async () => {
    const { body: list } = await live.get('/v1/twitter/accounts', { status: 'flood_wait' });
    return list.items.some(
      ({ id, phoneMasked }: { id: number; phoneMasked: null }) => id === account.id && phoneMasked === null,
    );
  }, 'the account to wait');
  expect((await settled(body.id)).status).toBe('sent');
  expect((await account.arrived()).stored[0]?.at).toBeGreaterThanOrEqual(reset * 1000);
});

test('direct messages on X are refused for a contact without an X identity', async () => {
  const account = await newTwitterAccount();
  const contact = await live.post('/v1/contacts', { platform: 'telegram', username: 'emil' });
  const answer = await live.post('/v1/twitter/messages', {
    accountId: account.id,
    contactId: contact.body.id,
    text: 'Hi',
  });
  expect([answer.status, answer.body.details.reason]).toEqual([400, 'no_twitter_identity']);
  const long = await live.post('/v1/twitter/messages', {
    accountId: account.id,
    username: 'a',
    text: 'x'.repeat(10_001),
  });
  expect([long.status, long.body.details.fields[0].code]).toEqual([400, 'too_long']);
});

test('direct messages on X can be canceled, but only on their own channel', async () => {
  const account = await newTwitterAccount();
  const future = new Date(now() + 86_400_000).toISOString();
  const { body } = await live.post('/v1/twitter/messages', {
    accountId: account.id,
    username: 'f',
    text: 'Hi',
    runAt: future,
  });
  await live.post(`/v1/telegram/messages/${body.id}/cancel`, undefined, 404);
  const canceled = await live.post(`/v1/twitter/messages/${body.id}/cancel`);
  expect(canceled).toMatchObject({ status: 200, body: { status: 'failed', lastError: 'canceled' } });
});

test('changing a queued direct message changes its text and its time', async () => {
  const account = await newTwitterAccount();
  const message = { accountId: account.id, twitterUserId: '77', text: 'Hi', runAt: fromNow(86_400_000) };
  const { id } = (await live.post('/v1/twitter/messages', message, 202)).body;
  await live.patch(`/v1/twitter/messages/${id}`, { text: 'Hello', runAt: null }, 200);
  expect(await settled(id)).toMatchObject({ status: 'sent' });
  expect((await account.arrived()).stored).toMatchObject([{ to: '77', text: 'Hello' }]);
});

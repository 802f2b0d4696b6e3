import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { commands } from '#infra/admin/commands/twitter-account.ts';
import { now, secondMs } from '#lib/core/clock.ts';
import { operator } from '#lib/core/tenant.ts';
import { Accounts } from '#lib/entities/account.ts';
import { transact } from '#lib/table/transact.ts';
import { type Client, eventually } from '#test/client.ts';
import { because } from '#test/refusals.ts';
import { holdSlots } from '#test/slots.ts';
import { newAccount } from '#test/telegram/line.ts';
import { newPerson } from '#test/twitter/person.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let live: Client;

beforeAll(async () => {
  workspace = await newWorkspace();
  live = workspace.live;
});

const create = (accessToken: string, more: object = {}, client = live) =>
  client.post('/v1/twitter/accounts', { accessToken, ...more });
const fieldOf = ({ status, body }: Awaited<ReturnType<Client['post']>>) => [
  status,
  body.details?.fields?.[0]?.field ?? body.details?.reason,
  body.details?.fields?.[0]?.code,
];
const statusChanges = async (id: number) =>
  (await live.get('/v1/events', { eventKind: 'account.status_changed' })).body.items
    .map(({ data }: { data: Record<string, string> }) => data)
    .filter(({ account_id }: Record<string, string>) => account_id === String(id))
    .map(({ channel, from_status, to_status }: Record<string, string>) => [channel, from_status, to_status]);

describe('an X account is connected by its access token', () => {
  test('and is called as X calls it, with what it may do', async () => {
    const person = newPerson();
    const { me } = (await person.seen()).x;
    const answer = await create(person.token, person.app);
    expect(answer.status).toBe(201);
    expect(answer.headers['location']).toBe(`/v1/twitter/accounts/${answer.body.id}`);
    expect(answer.body).toMatchObject({
      id: expect.any(Number),
      kind: 'user',
      name: me.name,
      username: me.username,
      phoneMasked: null,
      status: 'active',
      floodWaitUntil: null,
      dailyLimit: 1440,
      sentToday: 0,
      queuedCount: 0,
      pacing: { peerGapMs: 1000, gapMs: 200, perMinute: null, newPeersPerDay: null },
    });
    const { body: listed } = await live.get('/v1/twitter/accounts');
    expect(listed.items).toContainEqual(expect.objectContaining({ id: answer.body.id, name: me.name }));
    for (const secret of [person.token, ...Object.values(person.app)])
      expect(JSON.stringify([answer.body, listed])).not.toContain(secret);
  });

  test('with a name and a limit of the caller, which a change replaces', async () => {
    const { body } = await create(newPerson().token, { name: 'Support', dailyLimit: 5 });
    expect(body).toMatchObject({ name: 'Support', dailyLimit: 5 });
    const path = `/v1/twitter/accounts/${body.id}`;
    const changed = await live.patch(path, { name: 'Sales', dailyLimit: 6, pacing: { perMinute: 3 } });
    expect(changed.body).toMatchObject({ name: 'Sales', dailyLimit: 6, pacing: { gapMs: 200, perMinute: 3 } });
    expect(fieldOf(await live.patch(path, { inbound: 'webhook' }))).toEqual([400, 'inbound', 'not_allowed']);
  });

  test('once in an environment', async () => {
    const person = newPerson();
    const { body } = await create(person.token);
    const again = await create(person.token);
    expect([again.status, again.body.details]).toEqual([409, { ...because('account_exists'), accountId: body.id }]);
    const other = await newWorkspace();
    expect((await create(person.token, {}, other.live)).status).toBe(201);
  });

  test('only if X accepts it, with 503 when X does not answer', async () => {
    const person = newPerson();
    await person.has({ expire: true });
    expect(fieldOf(await create(person.token))).toEqual([400, 'accessToken', 'invalid_format']);
    expect(fieldOf(await create('two words'))).toEqual([400, 'accessToken', 'invalid_format']);
    expect(fieldOf(await live.post('/v1/twitter/accounts', {}))).toEqual([400, 'accessToken', 'required']);
    const silent = newPerson();
    await silent.react({ method: 'users/me', drop: 'before' });
    const answer = await create(silent.token);
    expect([answer.status, Number(answer.headers['retry-after'])]).toEqual([503, 1]);
    const headers = { 'x-rate-limit-reset': String(Math.ceil(now() / secondMs) + 90) };
    await silent.react({ method: 'users/me', status: 429, headers, body: {} });
    const busy = await create(silent.token);
    expect([busy.status, Number(busy.headers['retry-after']) > 60]).toEqual([503, true]);
    await silent.react({ method: 'users/me', status: 200, body: { data: { id: 'me' } } });
    expect((await create(silent.token)).status).toBe(503);
  });

  test('whose client secret belongs to a client', async () => {
    const { clientSecret } = newPerson().app;
    expect(fieldOf(await create(newPerson().token, { clientSecret }))).toEqual([400, 'clientId', 'required']);
  });

  test('in a slot: 429 while other slow calls have all', async () => {
    const { id, live: own } = await newWorkspace();
    const tenant = { workspaceId: id, env: 'live' } as const;
    const giveBack = await holdSlots(tenant);
    const person = newPerson();
    const answer = await create(person.token, {}, own);
    expect([answer.status, answer.body.details.reason]).toEqual([429, 'too_many_at_once']);
    expect((await person.seen()).x.calls).toEqual({});
    await giveBack();
  });

  test('in the sandbox without a call to X', async () => {
    const token = `test_${randomUUID()}`;
    const { status, body } = await create(token, {}, workspace.test);
    expect([status, body.status]).toEqual([201, 'active']);
    expect((await create(token, {}, workspace.test)).body.details).toEqual({
      ...because('account_exists'),
      accountId: body.id,
    });
    expect(fieldOf(await create('abc', {}, workspace.test))).toEqual([400, 'accessToken', 'invalid_format']);
    const gone = await workspace.test.post(`/v1/twitter/accounts/${body.id}/disconnect`);
    expect([gone.status, gone.body.status]).toEqual([200, 'disconnected']);
    expect((await newPerson(token).seen()).x).toMatchObject({ calls: {}, revoked: [] });
  });

  test('needs the scope accounts:manage', async () => {
    const { client } = await workspace.mint({ scopes: ['twitter:send', 'telegram:read', 'keys:manage'] });
    const answer = await create(newPerson().token, {}, client);
    expect([answer.status, answer.body.details.requiredScopes]).toEqual([403, ['accounts:manage']]);
  });
});

test('a disconnected account has no tokens here or at X, and sends what waited once reconnected', async () => {
  const person = newPerson();
  const app = await person.letIn(person.app);
  const { body } = await create(person.token, app);
  const path = `/v1/twitter/accounts/${body.id}`;
  const gone = await live.post(`${path}/disconnect`);
  expect([gone.status, gone.body.status]).toEqual([200, 'disconnected']);
  expect((await person.seen()).x.revoked).toEqual([app.refreshToken, person.token]);
  const tenant = { workspaceId: workspace.id, env: 'live' } as const;
  const stored = await transact(tenant, operator, (tx) => tx.get(Accounts, { id: body.id }));
  expect(stored.secret).toBe('');
  expect((await live.post(`${path}/disconnect`)).body.status).toBe('disconnected');
  await live.post(`/v1/telegram/accounts/${body.id}/disconnect`, undefined, 404);
  const { body: job } = await live.post('/v1/twitter/messages', { accountId: body.id, twitterUserId: '5', text: 'Hi' });
  // X gives the same person's next login another token.
  const [token, again] = [randomUUID(), newPerson(person.token)];
  await again.has({ issue: token });
  const connected = await create(token, { name: 'Back' });
  expect([connected.status, connected.body]).toEqual([
    201,
    expect.objectContaining({ id: body.id, status: 'active', name: 'Back', dailyLimit: 1440 }),
  ]);
  await eventually(async () => (await live.get(`/v1/jobs/${job.id}`)).body.status === 'sent', 'what waited');
  expect(await statusChanges(body.id)).toEqual([
    ['twitter', 'active', 'disconnected'],
    ['twitter', 'disconnected', 'active'],
  ]);
});

test('an account is disconnected once by two concurrent calls', async () => {
  const person = newPerson();
  const app = await person.letIn(person.app);
  const { body } = await create(person.token, app);
  const path = `/v1/twitter/accounts/${body.id}/disconnect`;
  const gone = await Promise.all([live.post(path), live.post(path)]);
  expect(gone.map(({ status }) => status)).toEqual([200, 200]);
  expect((await person.seen()).x.revoked).toEqual([app.refreshToken, person.token]);
  expect(await statusChanges(body.id)).toEqual([['twitter', 'active', 'disconnected']]);
});

test('an account is disconnected although X does not hear of it', async () => {
  const person = newPerson();
  const { body } = await create(person.token);
  await person.react({ method: 'oauth2/revoke', drop: 'before' });
  const gone = await live.post(`/v1/twitter/accounts/${body.id}/disconnect`);
  expect([gone.status, gone.body.status]).toEqual([200, 'disconnected']);
});

describe('an access token is renewed', () => {
  const tenant = () => ({ workspaceId: workspace.id, env: 'live' }) as const;
  const connected = async (app = {}) => {
    const person = newPerson();
    const oauth = await person.letIn({ ...person.app, ...app });
    const { body } = await create(person.token, oauth);
    const isHeard = async () => {
      const { items } = (await live.get('/v1/twitter/accounts', { limit: 100 })).body;
      return items.find(({ id }: { id: number }) => id === body.id)?.inbound.status === 'ok';
    };
    await eventually(isHeard, 'the first look');
    // Else it may be renewed for the next.
    await live.patch(`/v1/twitter/accounts/${body.id}`, { inbound: 'off' });
    return { person, id: body.id as number };
  };
  const send = async (accountId: number, text: string) =>
    (await live.post('/v1/twitter/messages', { accountId, twitterUserId: '77', text })).body.id as number;
  const settled = (id: number) =>
    eventually(async () => {
      const { body } = await live.get(`/v1/jobs/${id}`);
      return body.status !== 'queued' && body;
    }, `job ${id} to end`);

  test('when it is over: nothing is lost, and the next message needs no other', async () => {
    const { person, id } = await connected();
    await person.has({ expire: true });
    expect(await settled(await send(id, 'One'))).toMatchObject({ status: 'sent', attempts: 1 });
    expect(await settled(await send(id, 'Two'))).toMatchObject({ status: 'sent', attempts: 1 });
    const { x, stored } = await person.seen();
    expect([x.renewals, stored.map(({ text }) => text)]).toEqual([1, ['One', 'Two']]);
    await person.has({ expire: true });
    expect(await settled(await send(id, 'Three'))).toMatchObject({ status: 'sent' });
    expect((await person.seen()).x.renewals).toBe(2);
  });

  test('for an app without a secret', async () => {
    const { person, id } = await connected({ clientSecret: undefined });
    await person.has({ expire: true });
    expect(await settled(await send(id, 'One'))).toMatchObject({ status: 'sent' });
    expect((await person.seen()).x.renewals).toBe(1);
  });

  test('again when X did not take it at once', async () => {
    const { person, id } = await connected();
    await person.has({ expire: true });
    await person.react({ method: 'oauth2/token', status: 503, body: {} });
    const job = await send(id, 'One');
    const waiting = await eventually(async () => {
      const { body } = await live.get(`/v1/jobs/${job}`);
      return body.lastError !== null && body;
    }, 'the first try');
    expect(waiting).toMatchObject({ status: 'queued', lastError: 'X answered 503 to the renewal of the token' });
    expect((await live.get('/v1/twitter/accounts', { status: 'active', limit: 100 })).body.items).toContainEqual(
      expect.objectContaining({ id }),
    );
    await live.patch(`/v1/twitter/accounts/${id}`, { name: 'Woken' });
    expect(await settled(await send(id, 'Two'))).toMatchObject({ status: 'sent' });
    expect((await person.seen()).x.renewals).toBe(1);
  });

  test('unless X refuses: then the account is disconnected, as it is without a refresh token', async () => {
    const { person, id } = await connected();
    await person.has({ expire: true });
    // What a killed process has spent, and not stored.
    await person.letIn({ ...person.app, refreshToken: randomUUID() });
    const plain = newPerson();
    const { body } = await create(plain.token);
    await plain.has({ expire: true });
    for (const accountId of [id, body.id as number]) {
      const job = await send(accountId, 'One');
      await eventually(async () => (await statusChanges(accountId)).length > 0, 'the account to be disconnected');
      expect(await statusChanges(accountId)).toEqual([['twitter', 'active', 'disconnected']]);
      expect((await live.get(`/v1/jobs/${job}`)).body).toMatchObject({ status: 'queued', attempts: 0 });
    }
  });

  test('for an account with an access token alone, once an operator connects it with more', async () => {
    const person = newPerson();
    const { id } = await newAccount(tenant(), { channel: 'twitter', kind: 'user', secret: person.token });
    expect(await settled(await send(id, 'One'))).toMatchObject({ status: 'sent' });
    const app = await person.letIn(person.app);
    expect(await commands.connect.run({ ...tenant(), id, accessToken: person.token, ...app })).toEqual({
      id,
      status: 'active',
    });
    await person.has({ expire: true });
    expect(await settled(await send(id, 'Two'))).toMatchObject({ status: 'sent' });
    expect((await person.seen()).x.renewals).toBe(1);
  });

  test('once for all messages sent during it', async () => {
    const { person, id } = await connected();
    await live.patch(`/v1/twitter/accounts/${id}`, { pacing: { peerGapMs: 0, gapMs: 0 } });
    await person.has({ expire: true });
    await person.react({ method: 'oauth2/token', lateMs: 1000 });
    const jobs = await Promise.all(Array.from({ length: 12 }, (_, index) => send(id, `Message ${index}`)));
    for (const job of jobs) expect(await settled(job)).toMatchObject({ status: 'sent', attempts: 1 });
    const { x, stored } = await person.seen();
    expect([x.renewals, x.calls['oauth2/token'], stored.length]).toEqual([1, 1, 12]);
  });
});

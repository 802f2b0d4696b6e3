import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { hourMs, shifted, timestamp } from '#lib/core/clock.ts';
import { operator } from '#lib/core/tenant.ts';
import { Accounts } from '#lib/entities/account.ts';
import { Inbounds, type StoredInbound } from '#lib/entities/inbound.ts';
import { createAccount, maxConnected } from '#lib/messages/accounts/store.ts';
import { transact } from '#lib/table/transact.ts';
import { type Client, eventually } from '#test/client.ts';
import { place } from '#test/place.ts';
import { looked } from '#test/receiving/look.ts';
import { because } from '#test/refusals.ts';
import { sealedByAnother } from '#test/sealed.ts';
import { holdSlots } from '#test/slots.ts';
import { message, newBot, newPerson } from '#test/telegram/bot.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let live: Client;

beforeAll(async () => {
  workspace = await newWorkspace();
  live = workspace.live;
});

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const inAnHour = () => shifted(timestamp(), hourMs);
const create = (botToken: string, more: object = {}, client = live) =>
  client.post('/v1/telegram/accounts', { kind: 'bot', botToken, ...more });
const fieldOf = ({ status, body }: Awaited<ReturnType<Client['post']>>) => [
  status,
  body.details?.fields?.[0]?.field ?? body.details?.reason,
  body.details?.fields?.[0]?.code,
];

describe('a bot is connected by its token', () => {
  test('and is called as Telegram calls it, with what it may do and how it hears', async () => {
    const bot = newBot();
    const { me } = await bot.seen();
    const answer = await create(bot.token);
    expect(answer.status).toBe(201);
    expect(answer.headers['location']).toBe(`/v1/telegram/accounts/${answer.body.id}`);
    expect(answer.body).toEqual({
      id: expect.any(Number),
      kind: 'bot',
      name: me.first_name,
      username: me.username,
      phoneMasked: null,
      status: 'active',
      floodWaitUntil: null,
      dailyLimit: 100_000,
      sentToday: 0,
      queuedCount: 0,
      inbound: { mode: 'webhook', status: 'off', lastReceivedAt: null, lastError: null },
      pacing: { peerGapMs: 1000, gapMs: 40, perMinute: null, newPeersPerDay: null },
      createdAt: isoTime,
    });
    const shown = await eventually(async () => {
      const { body } = await live.get(`/v1/telegram/accounts/${answer.body.id}`);
      return body.inbound.status === 'ok' && body;
    }, 'its webhook to be set');
    expect(shown.inbound).toEqual({ mode: 'webhook', status: 'ok', lastReceivedAt: null, lastError: null });
    const { webhook } = await bot.seen();
    expect(webhook).toEqual({
      url: expect.stringMatching(/^https:\/\/crm\.example\/hooks\/telegram\/[A-Za-z0-9]{32}$/),
      secretToken: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
      allowedUpdates: ['message', 'edited_message', 'my_chat_member', 'callback_query'],
      maxConnections: 40,
    });
    expect(JSON.stringify(answer.body)).not.toContain(bot.token);
  });

  test('with a name, limits and a way to hear of the caller', async () => {
    const bot = newBot();
    const { body } = await create(bot.token, { name: 'Sales', dailyLimit: 5, pacing: { gapMs: 7 }, inbound: 'off' });
    expect(body).toMatchObject({
      name: 'Sales',
      dailyLimit: 5,
      pacing: { peerGapMs: 1000, gapMs: 7, perMinute: null, newPeersPerDay: null },
      inbound: { mode: 'off', status: 'off' },
    });
    expect((await bot.seen()).calls).toEqual({ getMe: 1 });
  });

  test('in any case of its kind', async () => {
    expect((await create(newBot().token, { kind: 'Bot' })).body.kind).toBe('bot');
    expect(fieldOf(await create(newBot().token, { kind: 'user' }))).toEqual([400, 'kind', 'invalid_enum']);
  });

  test('once in an environment', async () => {
    const bot = newBot();
    const { body } = await create(bot.token, { inbound: 'off' });
    const again = await create(bot.token);
    expect([again.status, again.body.details]).toEqual([409, { ...because('account_exists'), accountId: body.id }]);
    const other = await newWorkspace();
    expect((await create(bot.token, { inbound: 'off' }, other.live)).status).toBe(201);
  });

  test('only if Telegram knows it, with 503 when Telegram does not answer', async () => {
    const bot = newBot();
    await bot.command({ isRevoked: true });
    expect(fieldOf(await create(bot.token))).toEqual([400, 'botToken', 'invalid_format']);
    expect(fieldOf(await create('no/token'))).toEqual([400, 'botToken', 'invalid_format']);
    expect(fieldOf(await live.post('/v1/telegram/accounts', { kind: 'user' }))).toEqual([
      400,
      'kind',
      expect.any(String),
    ]);
    const silent = newBot();
    await silent.react({ method: 'getMe', drop: 'before' });
    const answer = await create(silent.token);
    expect([answer.status, Number(answer.headers['retry-after'])]).toEqual([503, 1]);
    await silent.react({ method: 'getMe', status: 429, body: { ok: false, parameters: { retry_after: 7 } } });
    const busy = await create(silent.token);
    expect([busy.status, Number(busy.headers['retry-after'])]).toEqual([503, 7]);
    expect((await live.get('/v1/telegram/accounts', { status: 'active', limit: 100 })).body.items).not.toContainEqual(
      expect.objectContaining({ name: silent.token }),
    );
  });

  test('as long as an environment has fewer than a hundred that are connected', async () => {
    const { id: workspaceId, test: sandbox } = await newWorkspace();
    const next = () => create(`test_${randomUUID()}`, {}, sandbox);
    const { body: first } = await next();
    const bot = { channel: 'telegram', kind: 'bot', name: 'Bot', username: null, dailyLimit: 1, secret: 'x' } as const;
    const perTransaction = 14;
    for (let count = 1; count < maxConnected - 1; count += perTransaction)
      await transact({ workspaceId, env: 'test' }, operator, async (tx) => {
        await tx.reserveIds({ [Accounts.name]: perTransaction });
        for (let made = 0; made < perTransaction; made += 1) await createAccount(tx, bot);
      });
    expect((await next()).status).toBe(201);
    const refused = await next();
    expect([refused.status, refused.body.details]).toEqual([409, because('too_many_accounts')]);
    await sandbox.post(`/v1/telegram/accounts/${first.id}/disconnect`, {}, 200);
    // However many ask for the last one's place.
    const asked = await Promise.all(Array.from({ length: 4 }, next));
    expect(asked.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    const again = await sandbox.post(`/v1/telegram/accounts/${first.id}/connect`, { botToken: 'test_any' });
    expect([again.status, again.body.details.reason]).toEqual([409, 'too_many_accounts']);
  });

  test('in a slot, as the sandbox is: 429 while other slow calls have all', async () => {
    const { id, live: own, test: sandbox } = await newWorkspace();
    const { body: account } = await create(`test_${randomUUID()}`, {}, sandbox);
    const give = await Promise.all((['live', 'test'] as const).map((env) => holdSlots({ workspaceId: id, env })));
    const bot = newBot();
    for (const answer of [
      await create(bot.token, {}, own),
      await sandbox.post(`/v1/telegram/accounts/${account.id}/connect`, { botToken: 'test_any' }),
      await sandbox.post('/v1/telegram/logins', { phone: '+491701234567' }),
    ])
      expect([answer.status, answer.body.details.reason]).toEqual([429, 'too_many_at_once']);
    expect((await bot.seen()).calls).toEqual({});
    await Promise.all(give.map((back) => back()));
  });

  test('in the sandbox without a call to Telegram', async () => {
    const token = `test_${randomUUID()}`;
    const { status, body } = await create(token, {}, workspace.test);
    expect([status, body.status, body.inbound.status]).toEqual([201, 'active', 'ok']);
    expect((await newBot(token).seen()).calls).toEqual({});
    expect((await create(token, {}, workspace.test)).body.details).toEqual({
      ...because('account_exists'),
      accountId: body.id,
    });
    expect(fieldOf(await create('123:abc', {}, workspace.test))).toEqual([400, 'botToken', 'invalid_format']);
  });

  test('needs the scope accounts:manage', async () => {
    const { client } = await workspace.mint({ scopes: ['telegram:read', 'telegram:send', 'keys:manage'] });
    const answer = await create(newBot().token, {}, client);
    expect([answer.status, answer.body.details]).toEqual([
      403,
      { ...because('missing_scope'), requiredScopes: ['accounts:manage'] },
    ]);
  });
});

test('an account is changed: its name, limits, part of its pacing, and how it hears', async () => {
  const bot = newBot();
  const { body } = await create(bot.token, { pacing: { gapMs: 7 } });
  const path = `/v1/telegram/accounts/${body.id}`;
  const changed = await live.patch(path, { name: 'New', dailyLimit: 9, pacing: { perMinute: 3 } });
  expect(changed.body).toMatchObject({
    name: 'New',
    dailyLimit: 9,
    pacing: { peerGapMs: 1000, gapMs: 7, perMinute: 3, newPeersPerDay: null },
    inbound: { mode: 'webhook' },
  });
  // As it is shown it may be given, and null is what bots do by default.
  const same = await live.patch(path, { pacing: changed.body.pacing });
  expect([same.status, same.body.pacing]).toEqual([200, changed.body.pacing]);
  const { body: cleared } = await live.patch(path, { pacing: { gapMs: null, perMinute: null } });
  expect(cleared.pacing).toEqual({ peerGapMs: 1000, gapMs: 40, perMinute: null, newPeersPerDay: null });
  await live.patch(path, { pacing: { peerGapMs: 5 } });
  expect((await live.patch(path, { pacing: null })).body.pacing).toEqual(cleared.pacing);
  for (const [field, value] of Object.entries({ botToken: bot.token, status: 'disconnected' }))
    expect(fieldOf(await live.patch(path, { [field]: value }))).toEqual([400, field, 'not_allowed']);
  await eventually(async () => (await bot.seen()).webhook !== undefined, 'the webhook');
  expect((await live.patch(path, { inbound: 'off' })).body.inbound).toMatchObject({ mode: 'off', status: 'off' });
  await eventually(async () => (await bot.seen()).webhook === undefined, 'the webhook to be removed');
  expect(fieldOf(await live.patch(path, { inbound: 'pigeon' }))).toEqual([400, 'inbound', 'invalid_enum']);
  await live.patch('/v1/telegram/accounts/99999', { name: 'X' }, 404);
  await live.patch(`/v1/twitter/accounts/${body.id}`, { name: 'X' }, 404);
});

test('an ETag from before traffic still changes an account, one from before a change does not', async () => {
  const { body } = await create(newBot().token);
  const path = `/v1/telegram/accounts/${body.id}`;
  const read = async () => (await live.get(path)).headers['etag'] as string;
  // What its webhook reports changes the tag, too.
  await eventually(async () => (await live.get(path)).body.inbound.status === 'ok', 'its webhook to be set');
  const before = await read();
  await live.post('/v1/telegram/messages', { accountId: body.id, telegramUserId: 5, text: 'Hi', runAt: inAnHour() });
  const after = await read();
  expect((await live.get(path, {}, { 'if-none-match': before })).status).toBe(200);
  expect((await live.get(path, {}, { 'if-none-match': after })).status).toBe(304);
  const renamed = await live.patch(path, { name: 'New' }, { 'if-match': before });
  expect([renamed.status, renamed.body.name]).toEqual([200, 'New']);
  expect(await live.patch(path, { name: 'Late' }, { 'if-match': after })).toMatchObject({
    status: 412,
    body: { details: { reason: 'stale_version' } },
  });
  expect((await live.patch(path, { inbound: 'off' }, { 'if-match': await read() })).status).toBe(200);
  expect(
    (await live.patch(path, { inbound: 'polling' }, { 'if-match': renamed.headers['etag'] as string })).status,
  ).toBe(412);
  expect((await live.post(`${path}/disconnect`, undefined, { 'if-match': await read() })).status).toBe(200);
});

test('an hourly look at a webhook shows its errors and sets it again when it differs', async () => {
  const bot = newBot();
  const { body } = await create(bot.token);
  const inbound = async () => (await live.get(`/v1/telegram/accounts/${body.id}`)).body.inbound;
  await eventually(async () => (await inbound()).status === 'ok', 'the webhook');
  const { webhook } = await bot.seen();
  await bot.tell(message(newPerson(), { text: 'Hi' }));
  await bot.command({ post: `${place('baseUrl')}/nowhere` });
  const tenant = { workspaceId: workspace.id, env: 'live' } as const;
  await looked(tenant, body);
  expect(await inbound()).toMatchObject({ status: 'ok', lastError: 'Wrong response from the webhook: 404' });
  expect((await bot.seen()).calls).toMatchObject({ setWebhook: 1, getWebhookInfo: 1 });
  await bot.command({ webhookUrl: 'https://elsewhere.example/' });
  await looked(tenant, body);
  expect((await bot.seen()).webhook).toEqual(webhook);
  expect(await inbound()).toMatchObject({ status: 'ok', lastError: null });
});

test('a webhook that Telegram refuses is set again, and shows the error until then', async () => {
  const bot = newBot();
  await bot.react({ method: 'setWebhook', status: 400, body: { ok: false, description: 'Bad Request: bad webhook' } });
  const { body } = await create(bot.token);
  const failing = await eventually(async () => {
    const { inbound } = (await live.get(`/v1/telegram/accounts/${body.id}`)).body;
    return inbound.status === 'failing' && inbound;
  }, 'the failure to be seen');
  expect(failing.lastError).toBe('Telegram answered 400: Bad Request: bad webhook');
});

test('a bot with an unreadable token is disconnected, automatically or by a call, and reconnected', async () => {
  const bot = newBot();
  const { body } = await create(bot.token);
  const path = `/v1/telegram/accounts/${body.id}`;
  await eventually(async () => (await bot.seen()).webhook, 'the webhook');
  const lose = async (more: Partial<StoredInbound>) => {
    const secret = await sealedByAnother();
    await transact({ workspaceId: workspace.id, env: 'live' }, operator, async (tx) => {
      tx.update(Accounts, { ...(await tx.get(Accounts, { id: body.id })), secret });
      tx.update(Inbounds, { ...(await tx.get(Inbounds, { id: body.id })), ...more });
    });
  };
  await lose({});
  await live.post(`${path}/disconnect`, undefined, 200);
  await live.post(`${path}/connect`, { botToken: bot.token }, 200);
  await eventually(async () => (await live.get(path)).body.inbound.status === 'ok', 'the webhook again');
  await lose({ dueAt: timestamp() });
  const lost = await eventually(async () => {
    const { body: shown } = await live.get(path);
    return shown.status === 'disconnected' && shown;
  }, 'the account to be disconnected');
  expect(lost.inbound.lastError).toContain('cannot be read');
});

test('a disconnected bot has no webhook and no secret, and another token reconnects it', async () => {
  const bot = newBot();
  const { body } = await create(bot.token);
  const path = `/v1/telegram/accounts/${body.id}`;
  const { webhook } = await eventually(async () => {
    const seen = await bot.seen();
    return seen.webhook && seen;
  }, 'the webhook');
  const gone = await live.post(`${path}/disconnect`);
  expect([gone.status, gone.body.status, gone.body.inbound]).toEqual([
    200,
    'disconnected',
    { mode: 'webhook', status: 'off', lastReceivedAt: null, lastError: null },
  ]);
  expect((await bot.seen()).webhook).toBeUndefined();
  const hook = new URL(webhook?.url as string).pathname;
  expect(
    (await live.post(hook, {}, { 'x-telegram-bot-api-secret-token': webhook?.secretToken as string })).status,
  ).toBe(404);
  const { body: job } = await live.post('/v1/telegram/messages', { accountId: body.id, telegramUserId: 5, text: 'Hi' });
  const stranger = await live.post(`${path}/connect`, { botToken: newBot().token });
  expect([stranger.status, stranger.body.details.reason]).toEqual([409, 'other_account']);
  const again = await live.post(`${path}/connect`, { botToken: bot.token });
  expect([again.status, again.body.status, again.body.inbound.mode]).toEqual([200, 'active', 'webhook']);
  await eventually(async () => (await live.get(`/v1/jobs/${job.id}`)).body.status === 'sent', 'what waited');
  await eventually(async () => (await bot.seen()).webhook !== undefined, 'the webhook again');
  expect(
    (await live.get('/v1/events', { eventKind: 'account.status_changed' })).body.items.map(({ data }: never) => data),
  ).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ account_id: String(body.id), to_status: 'disconnected' }),
      expect.objectContaining({ account_id: String(body.id), to_status: 'active' }),
    ]),
  );
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commands } from '#infra/admin/commands/telegram-account.ts';
import { now } from '#lib/core/clock.ts';
import { digestOf } from '#lib/core/mail-address.ts';
import { identity, rowKey } from '#lib/table/keys.ts';
import { remaining, settle, take } from '#lib/table/quota.ts';
import { readRows } from '#lib/table/rows.ts';
import { writeIf } from '#lib/table/write.ts';
import { type Client, eventually } from '#test/client.ts';
import { serverKey } from '#test/place.ts';
import { person, phoneOf, rightCode, startDataCentre } from '#test/telegram/data-centre.ts';
import { hasteAtTelegram } from '#test/telegram/haste.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

hasteAtTelegram();

let workspace: TestWorkspace;
let live: Client;
const centres: Awaited<ReturnType<typeof startDataCentre>>[] = [];

beforeAll(async () => {
  workspace = await newWorkspace();
  live = workspace.live;
});
afterAll(() => Promise.all(centres.map((centre) => centre.close())));

/** Somebody with an account at Telegram, at a data centre of their own. */
async function somebody(password?: string) {
  const centre = await startDataCentre({ id: 4, serverKey: serverKey(), ...(password && { password }) });
  centres.push(centre);
  return { centre, phone: phoneOf(centre.port) };
}

const begin = async (phone: string, more: object = {}, by = live) => by.post('/v1/telegram/logins', { phone, ...more });
const enter = (id: number, what: 'code' | 'password', value: string, by = live) =>
  by.post(`/v1/telegram/logins/${id}/${what}`, { [what]: value });
const restOf = (phone: string, { id }: TestWorkspace) =>
  rowKey('codePhone', { tenant: `${id}:live`, digest: digestOf(phone.slice(1)) });
/** As if a minute had passed since the last code. */
const passMinute = (phone: string, of = workspace) => writeIf({ key: restOf(phone, of), set: { untilMs: now() } });
const fieldOf = ({ status, body }: Awaited<ReturnType<Client['post']>>) => [
  status,
  body.details?.fields?.[0]?.field ?? body.details?.reason,
];

describe('a Telegram user logs in', () => {
  test('by the code that Telegram sends, wherever their account is at home, and can write at once', async () => {
    const { centre, phone } = await somebody();
    const begun = await begin(`${phone.slice(0, 4)} ${phone.slice(4)}`);
    expect(begun.status).toBe(201);
    expect(begun.body).toEqual({
      id: expect.any(Number),
      status: 'code_needed',
      sentBy: 'sms',
      expiresAt: expect.any(String),
      accountId: null,
    });
    const leftMs = Date.parse(begun.body.expiresAt) - now();
    expect(leftMs).toBeGreaterThan(9 * 60_000);
    expect(leftMs).toBeLessThanOrEqual(10 * 60_000);
    const entered = await enter(begun.body.id, 'code', rightCode);
    expect(entered.status).toBe(200);
    expect(entered.body).toEqual({ ...begun.body, status: 'connected', accountId: expect.any(Number) });
    const { accountId } = entered.body;
    const { body: account } = await live.get(`/v1/telegram/accounts/${accountId}`);
    expect(account).toMatchObject({
      kind: 'user',
      name: 'Uwe User',
      username: centre.self.username,
      phoneMasked: `+99${'*'.repeat(6)}${phone.slice(-2)}`,
      status: 'active',
      dailyLimit: 200,
    });
    expect(centre.seen.maxLive).toBe(1);
    await live.post('/v1/telegram/messages', { accountId, username: person.username, text: 'Hi' });
    await eventually(async () => centre.stored().length === 1, 'the message');
    expect(fieldOf(await enter(begun.body.id, 'code', rightCode))).toEqual([409, 'login_over']);
  });

  test('with a password as well, which is proved and never stored', async () => {
    const { centre, phone } = await somebody(' pass word ');
    const { body: login } = await begin(phone, { name: 'Sales' });
    const asked = await enter(login.id, 'code', rightCode);
    expect([asked.status, asked.body]).toEqual([
      200,
      { ...login, status: 'password_needed', passwordHint: 'the usual' },
    ]);
    expect(fieldOf(await enter(login.id, 'code', rightCode))).toEqual([409, 'password_needed']);
    expect(fieldOf(await enter(login.id, 'password', 'pass word'))).toEqual([400, 'password']);
    const { status, body } = await enter(login.id, 'password', ' pass word ');
    expect([status, body.status]).toEqual([200, 'connected']);
    expect((await live.get(`/v1/telegram/accounts/${body.accountId}`)).body).toMatchObject({
      name: 'Sales',
      status: 'active',
    });
    expect(centre.calls['auth.checkPassword']).toBe(2);
  });

  test('with four wrong entries at most: the fifth ends the login', async () => {
    const { phone } = await somebody('secret');
    const { body: login } = await begin(phone);
    for (const wrong of ['1', '22222', '3'])
      expect(fieldOf(await enter(login.id, 'code', wrong))).toEqual([400, 'code']);
    expect((await enter(login.id, 'code', rightCode)).body.status).toBe('password_needed');
    expect(fieldOf(await enter(login.id, 'password', 'x'))).toEqual([400, 'password']);
    expect(fieldOf(await enter(login.id, 'password', 'y'))).toEqual([409, 'login_over']);
    expect(fieldOf(await enter(login.id, 'password', 'secret'))).toEqual([409, 'login_over']);
  });

  test('into the account that an operator has connected, whose session says whose it is', async () => {
    const { centre, phone } = await somebody();
    const place = { workspaceId: workspace.id, env: 'live' } as const;
    const create = { ...place, kind: 'user', name: 'Uwe', session: centre.ownSession } as const;
    const { id } = (await commands.create.run(create as never)) as { id: number };
    await expect(commands.create.run(create as never)).rejects.toMatchObject({
      status: 409,
      details: { reason: 'account_exists' },
    });
    const { body } = await enter((await begin(phone)).body.id, 'code', rightCode);
    expect(body.accountId).toBe(id);
  });

  test('again, with another session of the same account', async () => {
    const { centre, phone } = await somebody();
    const login = async () => (await enter((await begin(phone)).body.id, 'code', rightCode)).body;
    const { accountId } = await login();
    await passMinute(phone);
    centre.refuse('messages.sendMessage', 401, 'SESSION_REVOKED');
    const { body: job } = await live.post('/v1/telegram/messages', { accountId, username: 'maria', text: 'Hi' });
    const status = async () => (await live.get(`/v1/telegram/accounts/${accountId}`)).body.status;
    await eventually(async () => (await status()) === 'disconnected', 'the session to be lost');
    centre.refuse('messages.sendMessage');
    expect((await login()).accountId).toBe(accountId);
    expect(await status()).toBe('active');
    await eventually(async () => (await live.get(`/v1/jobs/${job.id}`)).body.status === 'sent', 'the message');
  });

  test('and is told what Telegram says', async () => {
    expect(fieldOf(await begin('+4915112345678'))).toEqual([400, 'phone']);
    expect(fieldOf(await begin('by heart'))).toEqual([400, 'phone']);
    expect((await enter(99_999, 'code', rightCode)).status).toBe(404);
    const { centre, phone } = await somebody();
    centre.refuse('auth.sendCode', 420, 'FLOOD_WAIT_77');
    const busy = await begin(phone);
    expect([busy.status, busy.headers['retry-after']]).toEqual([503, '77']);
    centre.refuse('auth.sendCode');
    const { body: login } = await begin(phone);
    centre.refuse('auth.signIn', 400, 'PHONE_CODE_EXPIRED');
    expect(fieldOf(await enter(login.id, 'code', rightCode))).toEqual([409, 'login_over']);
  });

  test('with a key that may manage accounts', async () => {
    const { client } = await workspace.mint({ scopes: ['telegram:read', 'telegram:send'] });
    expect((await begin('+4915112345678', {}, client)).status).toBe(403);
  });
});

test('a phone is sent one code a minute in a workspace, however it is written, and is known by its digest', async () => {
  const { centre, phone } = await somebody();
  const [own, other] = [await newWorkspace(), await newWorkspace()];
  expect((await begin(phone, {}, own.live)).status).toBe(201);
  const again = await begin(`${phone.slice(0, 4)} ${phone.slice(4)}`, {}, own.live);
  expect(again).toMatchObject({
    status: 429,
    body: { error: 'rate_limited', details: { reason: 'code_sent_lately' } },
  });
  const { retryAfterSeconds } = again.body.details;
  expect(again.headers['retry-after']).toBe(String(retryAfterSeconds));
  expect(retryAfterSeconds).toBeGreaterThan(0);
  expect(retryAfterSeconds).toBeLessThanOrEqual(60);
  expect(centre.calls['auth.sendCode']).toBe(1);
  const key = restOf(phone, own);
  const rest = (await readRows([key])).get(identity(key));
  expect(Object.keys(rest ?? {}).toSorted()).toEqual(['expiresAtSeconds', 'login', 'pk', 'sk', 'untilMs']);
  expect((await begin(phone, {}, other.live)).status).toBe(201);
  await passMinute(phone, own);
  expect((await begin(phone, {}, own.live)).status).toBe(201);
  expect(centre.calls['auth.sendCode']).toBe(3);
});

test('a workspace begins twenty logins a day, not counting those that could not be sent', async () => {
  const { id, live: own, test: sandbox } = await newWorkspace();
  const tenant = { workspaceId: id, env: 'live' } as const;
  expect(await remaining(tenant, 'logins')).toBe(20);
  const spent = await take(tenant, 'logins', 18);
  const { centre, phone } = await somebody();
  expect(fieldOf(await begin('+4915112345678', {}, own))).toEqual([400, 'phone']);
  centre.refuse('auth.sendCode', 420, 'FLOOD_WAIT_77');
  expect((await begin(phone, {}, own)).status).toBe(503);
  centre.refuse('auth.sendCode');
  expect((await begin(phone, {}, own)).status).toBe(201);
  const next = await somebody();
  expect(fieldOf(await begin(next.phone, {}, own))).toEqual([429, 'daily_quota']);
  expect(next.centre.calls['auth.sendCode']).toBeUndefined();
  expect((await begin(next.phone, {}, sandbox)).status).toBe(201);
  await settle(tenant, 'logins', spent, 17);
  expect((await begin(next.phone, {}, own)).status).toBe(201);
});

test('a login of the sandbox asks nobody, and always for the password', async () => {
  const { test: sandbox } = workspace;
  const { status, body: login } = await begin('+49 151 1234-5678', {}, sandbox);
  expect([status, login.status]).toEqual([201, 'code_needed']);
  for (const wrong of ['11111', 'apple'])
    expect(fieldOf(await enter(login.id, 'code', wrong, sandbox))).toEqual([400, 'code']);
  expect((await enter(login.id, 'code', '00-0 ٠０', sandbox)).body.status).toBe('password_needed');
  expect(fieldOf(await enter(login.id, 'password', 'Test', sandbox))).toEqual([400, 'password']);
  const { body } = await enter(login.id, 'password', 'test', sandbox);
  expect(body.status).toBe('connected');
  const { body: account } = await sandbox.get(`/v1/telegram/accounts/${body.accountId}`);
  expect(account).toMatchObject({ kind: 'user', phoneMasked: '+49*********78', status: 'active' });
  const { body: again } = await begin('+4915112345678', {}, sandbox);
  await enter(again.id, 'code', '00000', sandbox);
  expect((await enter(again.id, 'password', 'test', sandbox)).body.accountId).toBe(body.accountId);
});

test('the same key with another password is another try, because nothing of a password is kept', async () => {
  const { test: sandbox } = workspace;
  const { body: login } = await begin('+491511234567', {}, sandbox);
  await enter(login.id, 'code', '00000', sandbox);
  const options = { 'idempotency-key': 'one' };
  const path = `/v1/telegram/logins/${login.id}/password`;
  expect((await sandbox.post(path, { password: 'wrong' }, options)).status).toBe(400);
  const { status, body } = await sandbox.post(path, { password: 'test' }, options);
  expect([status, body.status]).toEqual([200, 'connected']);
  expect((await sandbox.post(path, { password: 'other' }, options)).body).toEqual(body);
});

test('an account that is disconnected is logged out at Telegram, and its session forgotten', async () => {
  const { centre, phone } = await somebody();
  const { body: login } = await enter((await begin(phone)).body.id, 'code', rightCode);
  const sessions = centre.sessions();
  const { status, body } = await live.post(`/v1/telegram/accounts/${login.accountId}/disconnect`);
  expect([status, body.status]).toEqual([200, 'disconnected']);
  expect([centre.sessions(), centre.calls['auth.logOut']]).toEqual([sessions - 1, 1]);
  const again = await live.post(`/v1/telegram/accounts/${login.accountId}/disconnect`);
  expect([again.status, centre.calls['auth.logOut']]).toEqual([200, 1]);
});

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { exportWorkspace } from '#infra/admin/archive/export.ts';
import { importWorkspace } from '#infra/admin/archive/import.ts';
import { createSignIn } from '#lib/auth/session-store.ts';
import { countSignIn } from '#lib/auth/sign-in-limits.ts';
import { dayMs, minuteMs, now } from '#lib/core/clock.ts';
import { rowKey } from '#lib/table/keys.ts';
import { readRow } from '#lib/table/rows.ts';
import { writeIf } from '#lib/table/write.ts';
import { createWorkspace } from '#lib/workspaces/create.ts';
import { asOneOf, membershipsOf } from '#lib/workspaces/people.ts';
import { api, eventually, everyItem, freshAddress } from '#test/client.ts';
import { sentWith } from '#test/email/outbox.ts';
import { advance } from '#test/harness.ts';
import { anonymous, mailedToken, newAddress, newMember, signedIn, tokenIn } from '#test/panel/member.ts';
import { place } from '#test/place.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace } from '#test/workspace.ts';

const run = promisify(execFile);
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

/** A window of a minute must not turn during the test. */
async function early(): Promise<void> {
  await advance(minuteMs - (now() % minuteMs));
}

test('a member follows the link of a mail and is in, once', async () => {
  const { id } = await newWorkspace();
  const member = await newMember(id, 'admin');
  const client = anonymous();
  const asked = await client.post('/panel/sign-ins', { email: ` ${member.email.toUpperCase()} ` });
  expect([asked.status, asked.body]).toEqual([202, {}]);
  const token = await mailedToken(member.email);
  const opened = await client.post('/panel/sessions', { token });
  const shown = {
    id: member.id,
    email: member.email,
    name: 'A admin',
    role: 'admin',
    isActive: true,
    createdAt: member.createdAt,
  };
  expect([opened.status, opened.body]).toEqual([
    201,
    {
      session: expect.stringMatching(/^cps_[A-Za-z0-9]{43}$/),
      requestToken: expect.stringMatching(/^[\w-]{43}$/),
      expiresAt: expect.stringMatching(/Z$/),
      member: shown,
      workspaces: [{ id, name: 'Test' }],
    },
  ]);
  const leftMs = Date.parse(opened.body.expiresAt) - now();
  expect(leftMs).toBeGreaterThan(11.9 * 3600_000);
  expect(leftMs).toBeLessThanOrEqual(12 * 3600_000);
  const again = await client.post('/panel/sessions', { token });
  expect([again.status, again.body.error, again.body.details]).toEqual([401, 'unauthorized', because('invalid_token')]);
  const current = await api(opened.body.session).get('/panel/sessions/current');
  expect([current.status, current.body]).toEqual([
    200,
    {
      expiresAt: expect.stringMatching(/Z$/),
      requestToken: opened.body.requestToken,
      member: shown,
      workspaces: [{ id, name: 'Test' }],
      workspace: {
        id,
        name: 'Test',
        email: expect.any(String),
        currency: 'EUR',
        timeZone: 'UTC',
        country: null,
        linkByDomain: true,
      },
      environment: 'live',
      scopes: expect.arrayContaining(['keys:manage', 'finance:write', 'contacts:erase']),
    },
  ]);
});

test('a link signs in one of many concurrent callers', async () => {
  const { id } = await newWorkspace();
  const token = await createSignIn(await asOneOf(id, await newMember(id)));
  const answers = await Promise.all(Array.from({ length: 8 }, () => anonymous().post('/panel/sessions', { token })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(401)]);
});

test('a link is dead after 15 minutes, and one that is none was never alive', async () => {
  const { id } = await newWorkspace();
  const token = await createSignIn(await asOneOf(id, await newMember(id)));
  const key = rowKey('signIn', { hash: hashOf(token) });
  const minutes = (Date.parse(String((await readRow(key))?.['expiresAt'])) - now()) / 60_000;
  expect(Math.round(minutes)).toBe(15);
  await writeIf({ key, set: { expiresAt: '2026-01-01T00:00:00Z' } });
  for (const wrong of [token, 'A'.repeat(43), 'x', `${token}/..`]) {
    const { status, body } = await anonymous().post('/panel/sessions', { token: wrong });
    expect([status, body.details]).toEqual([401, because('invalid_token')]);
  }
});

test('the tokens of links and sessions are not in the table', async () => {
  const { id } = await newWorkspace();
  const token = await createSignIn(await asOneOf(id, await newMember(id)));
  const { body } = await anonymous().post('/panel/sessions', { token });
  const rows = await Promise.all([
    readRow(rowKey('signIn', { hash: hashOf(token) })),
    readRow(rowKey('session', { hash: hashOf(body.session) })),
  ]);
  expect(rows.every((row) => Number(row?.['expiresAtSeconds']) > now() / 1000)).toBe(true);
  expect(JSON.stringify(rows)).not.toMatch(new RegExp(`${token}|${body.session.slice(4)}`));
});

test('an archive holds no sessions or links, and its members are found by their address', async () => {
  const { id } = await newWorkspace();
  const { token, email } = await signedIn(id);
  const link = await createSignIn(await asOneOf(id, await newMember(id)));
  const folder = await mkdtemp(join(tmpdir(), 'crm-panel-'));
  const file = join(folder, 'workspace.ndjson');
  await eventually(async () => (await exportWorkspace(id, file).catch(() => undefined)) !== undefined, 'the archive');
  const text = await readFile(file, 'utf8');
  expect(text).toContain(email);
  expect(text).not.toMatch(new RegExp(`${hashOf(token)}|${hashOf(link)}|${token}|${link}`));
  const { id: to } = await createWorkspace({ name: 'Copy', currency: 'EUR' });
  await importWorkspace(to, file);
  await rm(folder, { recursive: true });
  const moved = async () => (await membershipsOf(email)).filter(({ workspaceId }) => workspaceId === to);
  expect(await eventually(async () => (await moved())[0], 'the member')).toMatchObject({ workspaceId: to });
});

test('an address that nobody has, or a member who is not active, is answered as any other and gets nothing', async () => {
  await early();
  const { id } = await newWorkspace();
  const [member, gone] = [await newMember(id), await signedIn(id)];
  const owner = await signedIn(id);
  await owner.patch(`/panel/members/${gone.memberId}`, { isActive: false }, 200);
  const client = anonymous();
  const answers = [];
  const nobody = newAddress();
  for (const email of [nobody, gone.email, member.email]) answers.push(await client.post('/panel/sign-ins', { email }));
  for (const { status, body, headers } of answers)
    expect([status, body, Object.keys(headers).sort()]).toEqual([
      202,
      {},
      Object.keys(answers[2]?.headers ?? {}).sort(),
    ]);
  await mailedToken(member.email);
  expect([...(await sentWith(nobody)), ...(await sentWith(gone.email))]).toEqual([]);
});

test('links are limited to five a minute for each address and each client', async () => {
  const { id } = await newWorkspace();
  for (const email of [(await newMember(id)).email, newAddress()]) {
    await early();
    const statuses = [];
    for (let call = 0; call < 5; call += 1)
      statuses.push((await anonymous().post('/panel/sign-ins', { email })).status);
    const refused = await anonymous().post('/panel/sign-ins', { email: email.toUpperCase() });
    expect([statuses, refused.status]).toEqual([[202, 202, 202, 202, 202], 429]);
    expect(refused.body).toEqual({
      error: 'rate_limited',
      message: expect.any(String),
      details: { retryAfterSeconds: Number(refused.headers['retry-after']) },
    });
  }
  await early();
  const client = anonymous();
  const statuses = [];
  for (let call = 0; call < 6; call += 1)
    statuses.push((await client.post('/panel/sign-ins', { email: newAddress() })).status);
  expect(statuses).toEqual([202, 202, 202, 202, 202, 429]);
});

test('a session ends at sign-out, at its expiry and when its member is deactivated', async () => {
  const { id } = await newWorkspace();
  const [owner, ended, old, gone] = [await signedIn(id), await signedIn(id), await signedIn(id), await signedIn(id)];
  const ask = async ({ token }: { token: string }) => {
    const { status, body } = await api(token, { address: freshAddress() }).get('/v1/contacts');
    return [status, body.details?.reason];
  };
  expect(await Promise.all([ended, old, gone].map(ask))).toEqual(Array(3).fill([200, undefined]));
  expect((await ended.delete('/panel/sessions/current')).body).toEqual({});
  await writeIf({ key: rowKey('session', { hash: hashOf(old.token) }), set: { expiresAt: '2026-01-01T00:00:00Z' } });
  await owner.patch(`/panel/members/${gone.memberId}`, { isActive: false }, 200);
  expect(await Promise.all([ended, old, gone].map(ask))).toEqual([
    [401, 'unknown_session'],
    [401, 'expired_session'],
    [401, 'inactive_member'],
  ]);
  expect(await ask({ token: 'cps_x' })).toEqual([401, 'unknown_session']);
});

test('a session has 600 requests a minute, and says so as a key does', async () => {
  await early();
  const { id } = await newWorkspace();
  const session = await signedIn(id);
  const first = await session.get('/v1/me');
  expect([first.headers['x-ratelimit-limit'], first.headers['x-ratelimit-remaining']]).toEqual(['600', '599']);
  await writeIf({ key: rowKey('session', { hash: hashOf(session.token) }), set: { used: 600 } });
  const refused = await session.get('/v1/me');
  expect([refused.status, refused.headers['x-ratelimit-remaining']]).toEqual([429, '0']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  await writeIf({ key: rowKey('session', { hash: hashOf(session.token) }), set: { window: 60 } });
  expect((await session.get('/v1/me')).headers['x-ratelimit-remaining']).toBe('599');
});

test('a member of two workspaces chooses between these alone', async () => {
  const [one, two, other] = [await newWorkspace(), await newWorkspace(), await newWorkspace()];
  const email = newAddress();
  const second = await newMember(two.id, 'member', email);
  const session = await signedIn(one.id, 'owner', email);
  const { body } = await session.get('/panel/sessions/current');
  expect([body.workspace.id, body.member.role, body.workspaces.map((of: { id: number }) => of.id)]).toEqual([
    one.id,
    'owner',
    [one.id, two.id],
  ]);
  const there = await session.in({ workspaceId: two.id }).get('/panel/sessions/current');
  expect([there.body.workspace.id, there.body.member.id, there.body.member.role]).toEqual([
    two.id,
    second.id,
    'member',
  ]);
  for (const wrong of [other.id, 'x', 0]) {
    const answer = await api(session.token).get('/v1/contacts', {}, { 'x-workspace': String(wrong) });
    expect([answer.status, answer.body.details]).toEqual([403, because('unknown_workspace')]);
  }
  await two.live.post('/v1/contacts', { name: 'Elsewhere' });
  const names = async (client: Parameters<typeof everyItem>[0]) =>
    (await everyItem(client, '/v1/contacts')).map(({ name }) => name);
  expect(await names(session)).toEqual([]);
  expect(await names(session.in({ workspaceId: two.id }))).toEqual(['Elsewhere']);
});

test('X-Environment chooses the sandbox, and an unknown value is 400', async () => {
  const workspace = await newWorkspace();
  const session = await signedIn(workspace.id);
  await workspace.test.post('/v1/contacts', { name: 'In the sandbox' });
  const [real, sandbox] = await Promise.all([
    session.get('/v1/contacts'),
    session.in({ env: 'test' }).get('/v1/contacts'),
  ]);
  expect([real.body.items.length, sandbox.body.items.length]).toEqual([0, 1]);
  const wrong = await api(session.token).get('/v1/contacts', {}, { 'x-environment': 'staging' });
  expect([wrong.status, wrong.body.details.fields[0].field]).toEqual([400, 'X-Environment']);
  expect(wrong.headers['x-ratelimit-limit']).toBe('600');
});

test("the operator's command prints a link that lets a member in, and none for who is no active member", async () => {
  const { id } = await newWorkspace();
  const member = await newMember(id);
  const command = async (email: string) => {
    const options = { cwd: join(import.meta.dirname, '../..'), env: { ...process.env, DATA_DIR: place('dataDir') } };
    const args = ['infra/admin.ts', 'member', 'sign-in-link', JSON.stringify({ workspaceId: id, email })];
    return (await run(process.execPath, args, options)).stdout;
  };
  const token = tokenIn(await command(member.email));
  expect((await anonymous().post('/panel/sessions', { token })).body.member.id).toBe(member.id);
  await expect(command(newAddress())).rejects.toMatchObject({ stderr: expect.stringContaining('not found') });
});

test('links over fifty a day for an address take nothing from its five a minute', async () => {
  // All of it in one day.
  const nowMs = Math.floor(now() / minuteMs) * minuteMs;
  const startMs = nowMs % dayMs > dayMs - 15 * minuteMs ? nowMs - 15 * minuteMs : nowMs;
  const ask = (ip: string) =>
    countSignIn(`owner${startMs}@asked.example`, ip).then(
      () => 'counted',
      ({ status }) => status,
    );
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    for (let minute = 0; minute < 12; minute += 1) {
      vi.setSystemTime(startMs + minute * minuteMs);
      for (let times = 0; times < 5; times += 1)
        expect(await ask('198.51.100.66'), `${minute}`).toBe(minute < 10 ? 'counted' : 429);
      expect(await ask('203.0.113.7'), `${minute}`).toBe(minute < 10 ? 429 : 'counted');
    }
  } finally {
    vi.useRealTimers();
  }
});

import { beforeAll, expect, test } from 'vitest';
import { hashOf } from '#lib/auth/session.ts';
import { createSignIn } from '#lib/auth/session-store.ts';
import { dayMs, fromNow, hourMs, minuteMs } from '#lib/core/clock.ts';
import { rowKey } from '#lib/table/keys.ts';
import { readRow } from '#lib/table/rows.ts';
import { writeIf } from '#lib/table/write.ts';
import { asOneOf } from '#lib/workspaces/people.ts';
import { api } from '#test/client.ts';
import { advance } from '#test/harness.ts';
import { anonymous, newAddress, newMember, type Signed, signedIn } from '#test/panel/member.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

/** `PUBLIC_URL` of the tests. */
const own = 'https://crm.example';
const evil = 'https://evil.example';

interface Page {
  cookie: string;
  requestToken: string;
}

let workspace: TestWorkspace;
let page: Page;
let other: Page;
let script: Signed;

const linkOf = async (email = newAddress()) =>
  createSignIn(await asOneOf(workspace.id, await newMember(workspace.id, 'owner', email)));

const open = (token: string, headers: Record<string, string> = { origin: own }) =>
  anonymous().post('/panel/sessions', { token, cookie: true }, headers);

async function newPage(email?: string): Promise<Page> {
  const { headers, body } = await open(await linkOf(email));
  const [cookie = ''] = String(headers['set-cookie']).split(';');
  return { cookie, requestToken: body.requestToken };
}

const asPage = ({ cookie, requestToken }: Page) => ({ cookie, 'x-request-token': requestToken });

beforeAll(async () => {
  workspace = await newWorkspace();
  [page, other, script] = [await newPage(), await newPage(), await signedIn(workspace.id)];
});

test('a page gets its session in a cookie that no script, site, or host but its own can use', async () => {
  const { status, headers, body } = await open(await linkOf());
  expect([status, body.session, body.requestToken]).toEqual([201, null, expect.stringMatching(/^[\w-]{43}$/)]);
  expect(headers['set-cookie']).toMatch(
    /^__Host-crm-session=cps_[A-Za-z0-9]{43}; Max-Age=1209600; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
  );
  expect(JSON.stringify(body)).not.toContain('cps_');
});

test('a script gets the token of its session, and no cookie', async () => {
  const { headers, body } = await anonymous().post('/panel/sessions', { token: await linkOf() });
  expect([headers['set-cookie'], body.session]).toEqual([undefined, expect.stringMatching(/^cps_/)]);
});

test('a new tab gets the request token by the cookie', async () => {
  const { status, body } = await anonymous().get('/panel/sessions/current', {}, { cookie: page.cookie });
  expect([status, body.requestToken]).toEqual([200, page.requestToken]);
});

test.each(['/v1/contacts', '/panel/workspace', '/panel/sessions/current'])(
  'the cookie is a session on %s',
  async (path) => {
    const { status } = await anonymous().get(path, {}, { ...asPage(page), origin: own });
    expect(status).toBe(200);
  },
);

interface Attack {
  name: string;
  method?: string;
  path?: string;
  headers(): Record<string, string>;
  answer: [status: number, reason: string];
}

const foreign: [number, string] = [403, 'foreign_origin'];
const attacks: Attack[] = [
  { name: 'a forged origin', headers: () => ({ ...asPage(page), origin: evil }), answer: foreign },
  { name: 'the origin null', headers: () => ({ ...asPage(page), origin: 'null' }), answer: foreign },
  { name: 'another port', headers: () => ({ ...asPage(page), origin: `${own}:8443` }), answer: foreign },
  ...['cross-site', 'same-site', 'none'].map((site) => ({
    name: `Sec-Fetch-Site ${site}`,
    headers: () => ({ ...asPage(page), 'sec-fetch-site': site }),
    answer: foreign,
  })),
  {
    name: 'a forged origin that asks for the token',
    method: 'GET',
    path: '/panel/sessions/current',
    headers: () => ({ cookie: page.cookie, origin: evil }),
    answer: foreign,
  },
  { name: 'no token', headers: () => ({ cookie: page.cookie }), answer: [401, 'missing_key'] },
  {
    name: 'no token in the panel',
    method: 'DELETE',
    path: '/panel/sessions/current',
    headers: () => ({ cookie: page.cookie }),
    answer: [401, 'missing_session'],
  },
  ...[
    ['an empty token', () => ''],
    ['the token of another session', () => other.requestToken],
    ['the session as token', () => page.cookie.split('=')[1] as string],
    ['a token of as many letters outside ASCII', () => 'é'.repeat(other.requestToken.length)],
  ].map(
    ([name, token]): Attack => ({
      name: name as string,
      headers: () => ({ cookie: page.cookie, 'x-request-token': (token as () => string)() }),
      answer: [403, 'wrong_request_token'],
    }),
  ),
  {
    name: 'two cookies of the name',
    headers: () => ({ ...asPage(page), cookie: `${other.cookie}; ${page.cookie}` }),
    answer: [401, 'missing_key'],
  },
  {
    name: 'a cookie without the prefix',
    headers: () => ({ ...asPage(page), cookie: page.cookie.replace('__Host-', '') }),
    answer: [401, 'missing_key'],
  },
  {
    name: 'a key of nobody beside the cookie',
    headers: () => ({ ...asPage(page), authorization: `Bearer cps_${'x'.repeat(43)}` }),
    answer: [401, 'unknown_session'],
  },
  {
    name: 'the cookie outside /v1 and /panel',
    path: '/mcp',
    headers: () => asPage(page),
    answer: [401, 'missing_key'],
  },
];

test.each(attacks)('$name is refused', async ({ method = 'POST', path = '/v1/contacts', headers, answer }) => {
  const sent = method === 'POST' ? { body: { name: 'Forged' } } : {};
  const { status, body } = await anonymous().call(method, path, { headers: headers(), ...sent });
  expect([status, body.details?.reason ?? body.error?.data?.reason]).toEqual(answer);
});

test('a header Authorization counts, and not the cookie beside it', async () => {
  const byKey = await workspace.live.get('/v1/me', {}, asPage(page));
  expect(byKey.body.apiKey.keyId).toBe(workspace.liveKey.split('_')[2]?.slice(0, 12));
  const bySession = await script.get('/panel/sessions/current', {}, asPage(page));
  expect(bySession.body.member.id).toBe(script.memberId);
});

test.each([{ origin: evil }, { 'sec-fetch-site': 'cross-site' }])(
  'another site signs nobody in: %j',
  async (headers: Record<string, string>) => {
    const token = await linkOf();
    const refused = await open(token, headers);
    expect([refused.status, refused.body.details, refused.headers['set-cookie']]).toEqual([
      403,
      because('foreign_origin'),
      undefined,
    ]);
    expect((await open(token, { 'sec-fetch-site': 'same-origin' })).status).toBe(201);
  },
);

test('a session that somebody else has fixed is not taken over at sign-in', async () => {
  const { headers } = await open(await linkOf(), { origin: own, cookie: other.cookie });
  expect(headers['set-cookie']).not.toContain(other.cookie);
});

test('sign-out ends the session in all tabs, and takes the cookie', async () => {
  const mine = await newPage();
  const { status, headers } = await anonymous().delete('/panel/sessions/current', asPage(mine));
  expect([status, headers['set-cookie']]).toEqual([200, expect.stringMatching(/^__Host-crm-session=; Max-Age=0; /)]);
  const after = await anonymous().get('/v1/contacts', {}, asPage(mine));
  expect([after.status, after.body.details]).toEqual([401, because('unknown_session')]);
});

test('a member sees and ends own sessions, and nobody else does', async () => {
  const email = newAddress();
  const first = await signedIn(workspace.id, 'member', email);
  const again = async (userAgent: string) => {
    const person = { id: first.memberId, email, generation: 0 } as Parameters<typeof asOneOf>[1];
    const token = await createSignIn(await asOneOf(workspace.id, person));
    return (await anonymous().post('/panel/sessions', { token }, { 'user-agent': userAgent })).body.session as string;
  };
  const second = await again('Firefox');
  const third = await again(`Chrome ${'x'.repeat(200)}`);
  const list = async () => (await api(second).get('/panel/sessions')).body.items;
  const items = await list();
  expect(items).toEqual([
    expect.objectContaining({ isCurrent: false, userAgent: `Chrome ${'x'.repeat(113)}` }),
    {
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      isCurrent: true,
      createdAt: expect.stringMatching(/Z$/),
      lastUsedAt: expect.stringMatching(/Z$/),
      expiresAt: expect.stringMatching(/Z$/),
      ip: expect.stringMatching(/^127\.\d+\.\d+\.\*$/),
      userAgent: 'Firefox',
    },
    expect.objectContaining({ isCurrent: false, userAgent: null }),
  ]);
  expect((await script.delete(`/panel/sessions/${items[0].id}`)).status).toBe(404);
  expect((await api(second).delete(`/panel/sessions/${items[0].id}`)).body).toEqual({});
  expect((await api(second).delete(`/panel/sessions/${items[0].id}`)).status).toBe(404);
  expect((await api(third).get('/v1/contacts')).status).toBe(401);
  await again('Safari');
  expect((await api(second).delete('/panel/sessions')).body).toEqual({ ended: 2 });
  expect((await first.get('/v1/contacts')).status).toBe(401);
  expect(await list()).toEqual([expect.objectContaining({ isCurrent: true })]);
  expect((await script.get('/v1/contacts')).status).toBe(200);
});

test('a person has twenty sessions, and one more ends the oldest', async () => {
  const email = newAddress();
  const first = await signedIn(workspace.id, 'member', email);
  const person = { id: first.memberId, email, generation: 0 } as Parameters<typeof asOneOf>[1];
  const more = async () => {
    const token = await createSignIn(await asOneOf(workspace.id, person));
    return api((await anonymous().post('/panel/sessions', { token })).body.session);
  };
  let newest = await more();
  for (let n = 0; n < 18; n += 1) newest = await more();
  expect((await newest.get('/panel/sessions')).body.items).toHaveLength(20);
  expect((await first.get('/v1/contacts')).status).toBe(200);
  newest = await more();
  expect((await newest.get('/panel/sessions')).body.items).toHaveLength(20);
  expect((await first.get('/v1/contacts')).status).toBe(401);
});

test('a session that is not used for 12 hours has expired', async () => {
  const idle = await newPage();
  await advance(11 * hourMs);
  expect((await anonymous().get('/v1/contacts', {}, asPage(idle))).status).toBe(200);
  await advance(11 * hourMs);
  expect((await anonymous().get('/v1/contacts', {}, asPage(idle))).status).toBe(200);
  await advance(12 * hourMs + minuteMs);
  const { status, body } = await anonymous().get('/v1/contacts', {}, asPage(idle));
  expect([status, body.details]).toEqual([401, because('expired_session')]);
});

test('a session that is renewed by use ends after 14 days', async () => {
  const used = await newPage();
  const key = rowKey('session', { hash: hashOf(used.cookie.split('=')[1] as string) });
  const row = await readRow(key);
  expect(Date.parse(String(row?.['endsAt'])) - Date.parse(String(row?.['createdAt']))).toBe(14 * dayMs);
  // As if it had been used for 13 days and 11 hours.
  await writeIf({ key, set: { endsAt: fromNow(13 * hourMs) } });
  await advance(11 * hourMs);
  expect((await anonymous().get('/v1/contacts', {}, asPage(used))).status).toBe(200);
  await advance(2 * hourMs + minuteMs);
  const { status, body } = await anonymous().get('/v1/contacts', {}, asPage(used));
  expect([status, body.details]).toEqual([401, because('expired_session')]);
});

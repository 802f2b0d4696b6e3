import { beforeAll, expect, test } from 'vitest';
import { commands } from '#infra/admin/commands/workspace.ts';
import { loadRoutes } from '#infra/functions.ts';
import { type Role, roles } from '#lib/core/choices.ts';
import { scopes, scopesOf } from '#lib/core/scopes.ts';
import type { Route } from '#lib/http/route.ts';
import { api, eventually, everyItem } from '#test/client.ts';
import { anonymous, mailedToken, newAddress, type Signed, signedIn } from '#test/panel/member.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

const all = (await loadRoutes()).map(({ route }) => route);
const ofMembers = all.filter((route) => route.roles !== undefined);
const ofKeys = all.filter(({ path, scope }) => path.startsWith('/v1/') && scope !== 'public');

/** Scopes that a member of the role member does not have (contract section 27, and the powerful ones of revision 1.4). */
const closed = [
  'keys:manage',
  'accounts:manage',
  'finance:read',
  'finance:write',
  'contacts:erase',
  'fields:manage',
  'imports:run',
  'exports:run',
];

let workspace: TestWorkspace;
const signed = {} as Record<Role, Signed>;
beforeAll(async () => {
  workspace = await newWorkspace();
  for (const role of roles) signed[role] = await signedIn(workspace.id, role);
});

const nowhere = 2_147_483_647;
const pathOf = ({ path }: Route) => path.replaceAll(/\{[^}]+\}/g, String(nowhere));

test('there is something to test', () => {
  expect(ofMembers.length).toBeGreaterThan(15);
  expect(ofMembers.every(({ path, isUndocumented }) => path.startsWith('/panel/') && isUndocumented)).toBe(true);
});

test.each(ofMembers.map((route) => ({ name: `${route.method} ${route.path}`, route })))(
  '$name is for members alone, of the roles that it names and that have its scope',
  async ({ route }) => {
    const none = await anonymous().call(route.method, pathOf(route));
    expect([none.status, none.body.details]).toEqual([401, because('missing_session')]);
    const byKey = await workspace.live.call(route.method, pathOf(route));
    expect([byKey.status, byKey.body.error, byKey.body.details]).toEqual([403, 'forbidden', because('panel_only')]);
    if (route.path === '/panel/sessions/current' && route.method === 'DELETE') return;
    for (const role of roles) {
      const mayCall =
        route.roles?.includes(role) && !(role === 'member' && scopesOf(route).some((scope) => closed.includes(scope)));
      // A body that is none, so that nothing is done.
      const { status, body } = await signed[role].call(route.method, pathOf(route), route.body ? { body: '[]' } : {});
      if (mayCall) expect([role, [200, 400, 404].includes(status)]).toEqual([role, true]);
      else
        expect([role, status, body.details.reason]).toEqual([
          role,
          403,
          route.roles?.includes(role) ? 'missing_scope' : 'missing_role',
        ]);
    }
  },
);

test('a session does by the API what its role may', async () => {
  const refused: string[] = [];
  for (const route of ofKeys.filter(({ method }) => method === 'GET')) {
    const path = pathOf(route);
    const [owner, member] = [await signed.owner.get(path), await signed.member.get(path)];
    expect([path, owner.status]).not.toEqual([path, 403]);
    // There is finance in an export of a contact.
    const asked = route.path.endsWith('/export') ? ['finance:read' as const] : scopesOf(route);
    if (member.status === 403) refused.push(...asked);
  }
  expect([...new Set(refused)].sort()).toEqual([
    'contacts:erase',
    'exports:run',
    'finance:read',
    'imports:run',
    'keys:manage',
  ]);
  const { body } = await signed.member.get('/panel/sessions/current');
  expect(body.scopes).toEqual(scopes.filter((scope) => !closed.includes(scope)));
  expect((await signed.admin.get('/panel/sessions/current')).body.scopes).toEqual([...scopes]);
  expect((await signed.owner.get('/v1/me')).body).toMatchObject({ id: workspace.id, apiKey: { keyId: 'panel' } });
  const tools = await signed.member.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const names = tools.body.result.tools.map(({ name }: { name: string }) => name);
  expect([names.includes('contacts_search'), names.some((name: string) => name.startsWith('finance'))]).toEqual([
    true,
    false,
  ]);
});

test('a change by a member is recorded with the member in events, activities, audit and jobs', async () => {
  const { live } = workspace;
  const { owner } = signed;
  const { body: contact } = await owner.post('/v1/contacts', { name: 'Ann', email: 'ann@contacts.example' });
  const { body: note } = await owner.post(`/v1/contacts/${contact.id}/activities`, { text: 'Met' });
  expect([note.actorType, note.actorUserId, note.actorKeyId]).toEqual(['user', owner.memberId, null]);
  const { body: booked } = await owner.post('/v1/finance/transactions', { type: 'income', amount: 5, currency: 'EUR' });
  expect(booked.source).toBe('panel');
  const mail = await owner.post('/v1/email/messages', { to: [newAddress()], subject: 'Hello', bodyText: 'Hello' });
  const job = (await live.get(`/v1/jobs/${mail.body.id}`)).body;
  expect([job.source, job.apiKeyId]).toEqual(['panel', null]);
  const actor = { type: 'user', id: String(owner.memberId) };
  const event = await eventually(
    async () =>
      (await live.get('/v1/events', { limit: 100 })).body.items.find(
        (one: { event: string; data: { contact_id: string } }) =>
          one.event === 'contact.created' && one.data.contact_id === String(contact.id),
      ),
    'the event',
  );
  expect(event.data.actor).toEqual(actor);
  const entry = await eventually(
    async () =>
      (await everyItem(live, '/v1/audit-events')).find(
        (one) => one.path === '/v1/contacts' && one.resourceId === contact.id,
      ),
    'the audit entry',
  );
  expect([entry.keyId, entry.actor]).toEqual([null, actor]);
  const signIn = (await everyItem(live, '/v1/audit-events')).find(
    ({ path, method, actor: by }) => path === '/panel/sessions' && method === 'POST' && by.id === actor.id,
  );
  expect(signIn).toMatchObject({ keyId: null, status: 201, resourceType: 'session' });
  const ofKey = (await everyItem(live, '/v1/audit-events')).find(({ keyId }) => keyId !== null);
  expect(ofKey?.actor).toEqual({ type: 'api_key', id: ofKey?.keyId });
});

test('an Idempotency-Key is of the member who sent it first', async () => {
  const headers = { 'idempotency-key': 'mine' };
  const first = await signed.owner.post('/v1/contacts', { name: 'Once' }, headers);
  const again = await signed.owner.post('/v1/contacts', { name: 'Once' }, headers);
  expect([again.body.id, again.headers['idempotency-replayed']]).toEqual([first.body.id, 'true']);
  for (const other of [signed.admin, workspace.live]) {
    const { status, body } = await other.post('/v1/contacts', { name: 'Once' }, headers);
    expect([status, body.details]).toEqual([409, because('idempotency_key_reused')]);
  }
});

test('a key that an owner mints outlives the session, and none is minted by a member', async () => {
  const { status, body } = await signed.owner.post('/v1/keys', { name: 'Mine', scopes: [...scopes] });
  expect([status, body.expiresAt, body.createdByKeyId, body.rateLimitPerMinute]).toEqual([201, null, null, 600]);
  expect((await api(body.key).get('/v1/me')).status).toBe(200);
  expect((await signed.owner.delete(`/v1/keys/${body.id}`)).body.revoked).toBe(true);
  await signed.member.post('/v1/keys', { name: 'No', scopes: ['deals:read'] }, 403);
});

test('an invited member is mailed a link into the workspace, and is no member twice', async () => {
  const { owner } = signed;
  const email = newAddress();
  const invited = await owner.post('/panel/members', { email, name: 'Nina', role: 'admin' });
  expect([invited.status, invited.body]).toEqual([
    201,
    { id: expect.any(Number), email, name: 'Nina', role: 'admin', isActive: true, createdAt: expect.any(String) },
  ]);
  expect(invited.headers['location']).toBe(`/v1/members/${invited.body.id}`);
  const { body } = await anonymous().post('/panel/sessions', { token: await mailedToken(email) });
  expect([body.member.id, body.workspaces]).toEqual([invited.body.id, [{ id: workspace.id, name: 'Test' }]]);
  const twice = await owner.post('/panel/members', { email: email.toUpperCase() });
  expect([twice.status, twice.body.details]).toEqual([409, { ...because('member_exists'), memberId: invited.body.id }]);
});

test('admins invite and change members, but neither make owners nor change them', async () => {
  const { admin, owner } = signed;
  const refused = [
    await admin.post('/panel/members', { email: newAddress(), role: 'owner' }),
    await admin.patch(`/panel/members/${owner.memberId}`, { name: 'No' }),
    await admin.patch(`/panel/members/${admin.memberId}`, { role: 'owner' }),
  ];
  for (const { status, body } of refused)
    expect([status, body.details]).toEqual([403, { ...because('missing_role'), requiredRoles: ['owner'] }]);
  const { body } = await admin.post('/panel/members', { email: newAddress() });
  expect(body.role).toBe('member');
  const changed = await admin.patch(`/panel/members/${body.id}`, { name: 'Mia', role: 'admin' });
  expect([changed.status, changed.body.name, changed.body.role]).toEqual([200, 'Mia', 'admin']);
  expect((await owner.get(`/v1/members/${body.id}`)).body).toEqual(changed.body);
});

test('the last active owner stays one, also when two leave at the same moment', async () => {
  const { id } = await newWorkspace();
  const [one, two] = [await signedIn(id), await signedIn(id)];
  const leave = (of: Signed) => of.patch(`/panel/members/${of.memberId}`, { isActive: false });
  const answers = await Promise.all([leave(one), leave(two)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  const last = answers[0]?.status === 409 ? one : two;
  for (const change of [{ role: 'admin' }, { isActive: false }]) {
    const { status, body } = await last.patch(`/panel/members/${last.memberId}`, change);
    expect([status, body.details]).toEqual([409, because('last_owner')]);
  }
});

test('the workspace is named and its currency chosen by owners and admins', async () => {
  const { id } = await newWorkspace();
  const [owner, member] = [await signedIn(id), await signedIn(id, 'member')];
  const before = await member.get('/panel/workspace');
  expect([before.status, before.body]).toEqual([
    200,
    {
      id,
      name: 'Test',
      email: expect.any(String),
      currency: 'EUR',
      timeZone: 'UTC',
      country: null,
      linkByDomain: true,
      createdAt: expect.any(String),
    },
  ]);
  const changed = await owner.patch('/panel/workspace', { name: 'Acme', currency: 'usd' });
  expect([changed.status, changed.body]).toEqual([200, { ...before.body, name: 'Acme', currency: 'USD' }]);
  expect((await owner.in({ env: 'test' }).get('/panel/workspace')).body).toEqual(changed.body);
  expect((await owner.get('/panel/sessions/current')).body.workspaces).toEqual([{ id, name: 'Acme' }]);
});

test('an operator changes the settings of a workspace', async () => {
  const { id } = await newWorkspace();
  const settings = { timeZone: 'Asia/Tokyo', country: 'JP', linkByDomain: false };
  expect(await commands.update.run({ id, ...settings })).toEqual({ id, name: 'Test', currency: 'EUR', ...settings });
  expect((await (await signedIn(id)).get('/panel/workspace')).body).toMatchObject(settings);
});

test('the time zone, the country, and links by domain are chosen by owners and admins', async () => {
  const { id } = await newWorkspace();
  const [admin, member] = [await signedIn(id, 'admin'), await signedIn(id, 'member')];
  const patch = (of: Signed, body: object) => of.patch('/panel/workspace', body);
  const settings = { timeZone: 'Europe/Berlin', country: 'DE', linkByDomain: false };
  expect((await patch(member, settings)).status).toBe(403);
  expect((await patch(admin, { ...settings, country: 'de' })).body).toMatchObject(settings);
  expect((await patch(admin, { country: null })).body).toMatchObject({ ...settings, country: null });
  for (const [wrong, code] of [
    [{ timeZone: 'Mars/Olympus' }, 'invalid_format'],
    ...['DEU', 'UK', 'EU', 'YU', 'XX'].map((country) => [{ country }, 'invalid_format'] as const),
    [{ linkByDomain: 'no' }, 'invalid_type'],
  ] as const) {
    const { status, body } = await patch(admin, wrong);
    const [field] = Object.keys(wrong);
    expect([status, body.details.fields]).toEqual([400, [expect.objectContaining({ field, code })]]);
  }
});

import { expect, test } from 'vitest';
import { hashOf } from '#lib/auth/session.ts';
import { sendSignIn } from '#lib/auth/sign-in-mail.ts';
import { epochSeconds } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { addressKey } from '#lib/core/mail-address.ts';
import { operator } from '#lib/core/tenant.ts';
import { rowKey, sortableId } from '#lib/table/keys.ts';
import { remaining, take } from '#lib/table/quota.ts';
import { putRows, removeRows } from '#lib/table/rows.ts';
import { transact } from '#lib/table/transact.ts';
import { writeIf } from '#lib/table/write.ts';
import { getMember, inviteMember } from '#lib/workspaces/members.ts';
import { membershipsOf } from '#lib/workspaces/people.ts';
import { api, eventually, freshAddress } from '#test/client.ts';
import { sentWith } from '#test/email/outbox.ts';
import { anonymous, mailedToken, newAddress, newMember, signedIn } from '#test/panel/member.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace } from '#test/workspace.ts';

const tenantOf = (workspaceId: number) => ({ workspaceId, env: 'live' }) as const;
const invite = (workspaceId: number, email: string) =>
  transact(tenantOf(workspaceId), operator, (tx) =>
    inviteMember(tx, { email, name: null, role: 'member' }, 'https://crm.example'),
  );
/** Until the worker is done with it, mailed or not. */
const settled = (workspaceId: number, id: number) =>
  eventually(
    () =>
      transact(
        tenantOf(workspaceId),
        operator,
        async (tx) => (await getMember(tx, id)).invitation === null || undefined,
      ),
    'the invitation',
  );

test('no workspace keeps a member of another from signing in', async () => {
  const [attacker, victim] = [await newWorkspace(), await newWorkspace()];
  const mallory = await signedIn(attacker.id, 'admin');
  const { id: memberId, email } = await newMember(victim.id);
  for (let times = 0; times < 3; times += 1) {
    const { body } = await mallory.post('/panel/members', { email });
    await mallory.patch(`/panel/members/${body.id}`, { isActive: false }, 200);
  }
  expect(await membershipsOf(email)).toEqual([{ workspaceId: victim.id, memberId, generation: 0 }]);
  // Later than the own one, in workspaces whose ids sort before and behind it.
  const others = Array.from({ length: 1200 }, (_, index) => ({
    ...rowKey('memberAddress', {
      address: addressKey(email),
      workspace: sortableId(1_000_000_000 - index),
      id: sortableId(1),
    }),
    createdAt: '2099-01-01T00:00:00Z',
    generation: 0,
  }));
  await putRows(others);
  const found = await membershipsOf(email);
  expect([found.length, found[0]?.workspaceId]).toEqual([1000, victim.id]);
  await removeRows(others);
});

test('a look-alike of an ASCII letter is another address and is refused for a member', async () => {
  const { id } = await newWorkspace();
  const owner = await signedIn(id);
  const [email, spelled] = [`k${newAddress()}`, `\u212A${newAddress()}`];
  expect(addressKey(spelled)).not.toBe(addressKey(`k${spelled.slice(1)}`));
  expect([addressKey('Kate@Corp.Example'), addressKey('kate@\u212Aorp.example')]).toEqual([
    'kate@corp.example',
    'kate@korp.example',
  ]);
  for (const refused of [spelled, email.replace('k', '\uFF4B')]) {
    const { status, body } = await owner.post('/panel/members', { email: refused });
    expect([status, body.details.fields[0].field]).toEqual([400, 'email']);
  }
});

test('a link goes to the address as entered, not as another workspace spells it', async () => {
  const [other, own] = [await newWorkspace(), await newWorkspace()];
  const name = newAddress().split('@')[0];
  await newMember(other.id, 'member', `${name}@B\u00DCCHER.example`);
  await newMember(own.id, 'owner', `${name}@xn--bcher-kva.example`);
  await anonymous().post('/panel/sign-ins', { email: `${name}@xn--bcher-kva.example` });
  const token = await mailedToken(`${name}@xn--bcher-kva.example`);
  const { body } = await anonymous().post('/panel/sessions', { token });
  expect(body.workspaces.map((one: { id: number }) => one.id)).toEqual([other.id, own.id]);
});

test('an invitation opens the workspace that invites, and no other', async () => {
  const [other, own] = [await newWorkspace(), await newWorkspace()];
  const { email } = await newMember(other.id);
  await invite(own.id, email);
  const { body } = await anonymous().post('/panel/sessions', { token: await mailedToken(email) });
  expect(body.workspaces).toEqual([{ id: own.id, name: 'Test' }]);
});

test('invitations are e-mails of the day, from the sandbox as from live', async () => {
  const { id } = await newWorkspace();
  const owner = await signedIn(id);
  const before = await remaining(tenantOf(id), 'emails');
  expect((await owner.in({ env: 'test' }).post('/panel/members', { email: newAddress() })).status).toBe(201);
  expect(await remaining(tenantOf(id), 'emails')).toBe(before - 1);
  await take(tenantOf(id), 'emails', env('QUOTA_EMAILS_PER_DAY'));
  for (const client of [owner, owner.in({ env: 'test' })]) {
    const { status, body } = await client.post('/panel/members', { email: newAddress() });
    expect([status, body.details.reason]).toEqual([429, 'daily_quota']);
  }
});

test('an invitation says nothing that leads elsewhere', async () => {
  const { id } = await newWorkspace();
  const owner = await signedIn(id);
  for (const [name, isSaid] of [
    ['URGENT: pay at https://evil.example/now', false],
    ['evil.example', false],
    ['Müller & Co. (Hamburg)', true],
  ] as const) {
    await owner.patch('/panel/workspace', { name });
    const email = newAddress();
    await owner.post('/panel/members', { email });
    await mailedToken(email);
    const mail = (await sentWith(`To: ${email}`)).at(-1) ?? '';
    expect(mail).toContain('Subject: You are a member of a workspace\r\n');
    expect([name, mail.includes('Hamburg'), mail.includes('evil')]).toEqual([name, isSaid, false]);
  }
});

test('an address gets five invitations a day, and a further one still makes a member', async () => {
  const email = newAddress();
  for (let times = 0; times < 6; times += 1) {
    const { id } = await newWorkspace();
    await settled(id, (await invite(id, email)).id);
  }
  expect((await sentWith(`To: ${email}`)).length).toBe(5);
  expect((await membershipsOf(email)).length).toBe(6);
});

test('a member who has never signed in gets at most 3 links per client and 20 links a day', async () => {
  const { id } = await newWorkspace();
  const { email } = await newMember(id);
  const base = 'https://crm.example';
  const mailed = async () => (await sentWith(`To: ${email}`)).length;
  const before = await remaining(tenantOf(id), 'emails');
  const ask = async (client: string, times: number) => {
    for (let time = 0; time < times; time += 1) await sendSignIn({ email, base, client });
  };
  await ask('192.0.2.1', 5);
  expect([await mailed(), await remaining(tenantOf(id), 'emails')]).toEqual([3, before - 3]);
  // Somebody else has used up nothing of them.
  await ask('198.51.100.1', 1);
  // Nor of what a workspace is mailed for.
  const { id: other } = await newWorkspace();
  await settled(other, (await invite(other, email)).id);
  expect(await mailed()).toBe(5);
  for (let network = 1; network < 8; network += 1) await ask(`203.0.113.${network}`, 3);
  expect([await mailed(), await remaining(tenantOf(id), 'emails')]).toEqual([21, before - 20]);

  const token = await mailedToken(email);
  expect((await anonymous().post('/panel/sessions', { token })).status).toBe(201);
  await ask('192.0.2.1', 2);
  expect([await mailed(), await remaining(tenantOf(id), 'emails')]).toEqual([23, before - 20]);
  await sendSignIn({ email: email.toUpperCase(), base, client: '192.0.2.1' });
  expect(await mailed()).toBe(24);
});

test('a link before the first sign-in is paid by the first workspace with an e-mail left, or not sent', async () => {
  const [one, two] = [await newWorkspace(), await newWorkspace()];
  const { email } = await newMember(one.id);
  await newMember(two.id, 'member', email);
  const most = env('QUOTA_EMAILS_PER_DAY');
  await take(tenantOf(one.id), 'emails', most);
  await sendSignIn({ email, base: 'https://crm.example', client: '192.0.2.1' });
  expect([(await sentWith(`To: ${email}`)).length, await remaining(tenantOf(two.id), 'emails')]).toEqual([1, most - 1]);
  await take(tenantOf(two.id), 'emails', most);
  await sendSignIn({ email, base: 'https://crm.example', client: '192.0.2.1' });
  expect((await sentWith(`To: ${email}`)).length).toBe(1);
  const answers = [];
  for (const asked of [email, newAddress()]) answers.push(await anonymous().post('/panel/sign-ins', { email: asked }));
  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    [202, {}],
    [202, {}],
  ]);
});

test('a workspace has a thousand members at most', async () => {
  const { id } = await newWorkspace();
  const owner = await signedIn(id);
  await writeIf({ key: rowKey('memberCount', { workspace: id }), set: { made: 999 } });
  await owner.post('/panel/members', { email: newAddress() }, 201);
  const { status, body } = await owner.post('/panel/members', { email: newAddress() });
  expect([status, body.details]).toEqual([409, { ...because('limit_reached'), limit: 1000 }]);
});

test('a client asks for fifty links a day for an address, and uses up the day of nobody else', async () => {
  const email = newAddress();
  const window = Math.floor(epochSeconds() / 86_400) * 86_400;
  const address = freshAddress();
  const key = rowKey('signInCounts', { by: hashOf(`day of address ${email} by ${address}`), window });
  await writeIf({ key, set: { count: 49 } });
  const client = api(undefined, { address });
  await client.post('/panel/sign-ins', { email }, 202);
  const { status, headers } = await client.post('/panel/sign-ins', { email });
  expect([status, Math.abs(Number(headers['retry-after']) - (window + 86_400 - epochSeconds())) < 60]).toEqual([
    429,
    true,
  ]);
  expect((await anonymous().post('/panel/sign-ins', { email })).status).toBe(202);
});

test('an address that mail programs read differently is refused for members and links', async () => {
  const { id } = await newWorkspace();
  const owner = await signedIn(id);
  for (const email of [
    '0<victim@corp.example>',
    'victim(1)@corp.example',
    '1,victim@corp.example',
    'victim@corp.example.',
    '"victim"@corp.example',
  ]) {
    expect((await owner.post('/panel/members', { email })).body.details.fields[0].field).toBe('email');
    expect((await anonymous().post('/panel/sign-ins', { email })).status).toBe(400);
  }
});

test('a member without finance exports no contact, and replays no event about it', async () => {
  const { id } = await newWorkspace();
  const [owner, member] = [await signedIn(id), await signedIn(id, 'member')];
  const { body: contact } = await owner.post('/v1/contacts', { name: 'Exported' });
  const path = `/v1/contacts/${contact.id}/export`;
  expect([(await owner.get(path)).status, (await member.get(path)).status]).toEqual([200, 403]);

  const { body: endpoint } = await owner.post('/v1/webhooks', { url: 'https://receiver.example/hook', isActive: true });
  for (const eventKind of ['transaction.created', 'contact.created'])
    await owner.post(`/v1/webhooks/${endpoint.id}/test`, { eventKind });
  const deliveries = `/v1/webhooks/${endpoint.id}/deliveries`;
  const [about] = (await owner.get(deliveries, { eventKind: 'transaction.created' })).body.items;
  await member.post(`${deliveries}/${about.id}/replay`, {}, 404);
});

test('a member lists no delivery of an event that the role does not read', async () => {
  const { id } = await newWorkspace();
  const [owner, member] = [await signedIn(id), await signedIn(id, 'member')];
  const { body: endpoint } = await owner.post('/v1/webhooks', { url: 'https://receiver.example/hook' });
  const kinds = ['transaction.created', 'contact.created', 'invoice.paid', 'key.created'];
  for (const eventKind of kinds) await owner.post(`/v1/webhooks/${endpoint.id}/test`, { eventKind });
  const listed = async (client: typeof owner, query: Record<string, string> = {}) =>
    (await client.get(`/v1/webhooks/${endpoint.id}/deliveries`, query)).body.items.map(
      ({ eventKind }: { eventKind: string }) => eventKind,
    );
  expect(await listed(owner)).toEqual(kinds.toReversed());
  expect(await listed(member)).toEqual(['contact.created']);
  expect(await listed(member, { status: 'failed' })).toEqual(['contact.created']);
  expect(await listed(owner, { eventKind: 'invoice.paid' })).toEqual(['invoice.paid']);
  expect(await listed(member, { eventKind: 'invoice.paid' })).toEqual([]);
  expect(await listed(member, { eventKind: 'invoice.paid', status: 'succeeded' })).toEqual([]);
});

test('a member is shown and changes the secret of endpoints only where the role reads all that it signs', async () => {
  const { id } = await newWorkspace();
  const [owner, member] = [await signedIn(id), await signedIn(id, 'member')];
  const create = (client: typeof owner, name: string, eventKinds: string[]) =>
    client.post('/v1/webhooks', { url: `https://${name}.example/hook`, eventKinds });
  const first = await create(member, 'first', ['contact.created']);
  expect([first.status, first.body.secret]).toEqual([201, expect.any(String)]);
  const rotated = await member.post(`/v1/webhooks/${first.body.id}/rotate`, {});
  expect([rotated.status, rotated.body.secret]).toEqual([200, expect.any(String)]);

  const all = await create(owner, 'all', ['*']);
  for (const endpoint of [all, first]) {
    const refused = await member.post(`/v1/webhooks/${endpoint.body.id}/rotate`, {});
    expect([refused.status, refused.body.details]).toEqual([
      403,
      { ...because('missing_scope'), requiredScopes: ['imports:run', 'finance:read', 'keys:manage', 'exports:run'] },
    ]);
  }
  const second = await create(member, 'second', ['contact.created']);
  expect([second.status, second.body.secret]).toEqual([201, null]);
  await member.delete(`/v1/webhooks/${all.body.id}`, 403);
  expect((await owner.post(`/v1/webhooks/${all.body.id}/rotate`, {})).body.secret).toEqual(expect.any(String));
  await owner.delete(`/v1/webhooks/${all.body.id}`, 200);
  await member.post(`/v1/webhooks/${first.body.id}/rotate`, {}, 200);
  await member.delete(`/v1/webhooks/${first.body.id}`, 200);
});

test('an address is an active member once, also when several invite it at the same moment', async () => {
  const { id } = await newWorkspace();
  const owner = await signedIn(id);
  for (let round = 0; round < 4; round += 1) {
    const email = newAddress();
    const answers = await Promise.all([1, 2, 3, 4].map(() => owner.post('/panel/members', { email })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect((await membershipsOf(email)).length).toBe(1);
  }
  await expect(newMember(id, 'member', owner.email)).rejects.toMatchObject({ status: 409 });
});

test('a session acts in another workspace only where a call names it', async () => {
  const [one, two] = [await newWorkspace(), await newWorkspace()];
  const owner = await signedIn(one.id);
  const email = newAddress();
  await newMember(two.id, 'member', email);
  const session = await signedIn(one.id, 'member', email);
  await owner.patch(`/panel/members/${session.memberId}`, { isActive: false });
  for (const client of [session, session.in({ workspaceId: one.id })]) {
    const { status, body } = await client.get('/v1/me');
    expect([status, body.details]).toEqual([403, because('unknown_workspace')]);
  }
  expect((await session.in({ workspaceId: two.id }).get('/v1/me')).body.id).toBe(two.id);
});

test('a reactivated member has to sign in again', async () => {
  const { id } = await newWorkspace();
  const [owner, gone] = [await signedIn(id), await signedIn(id)];
  await anonymous().post('/panel/sign-ins', { email: gone.email });
  const token = await mailedToken(gone.email);
  for (const isActive of [false, true]) await owner.patch(`/panel/members/${gone.memberId}`, { isActive });
  const { status, body } = await gone.get('/v1/me');
  expect([status, body.details]).toEqual([401, because('inactive_member')]);
  expect((await anonymous().post('/panel/sessions', { token })).status).toBe(401);
  await anonymous().post('/panel/sign-ins', { email: gone.email });
  const next = await eventually(async () => {
    const found = await mailedToken(gone.email);
    return found === token ? undefined : found;
  }, 'another link');
  expect((await anonymous().post('/panel/sessions', { token: next })).status).toBe(201);
});

test('a member is shown no event about what the role does not read, and has none sent anywhere', async () => {
  const { id } = await newWorkspace();
  const [owner, member] = [await signedIn(id), await signedIn(id, 'member')];
  await owner.post('/v1/finance/transactions', { type: 'income', amount: 777, currency: 'EUR' });
  await owner.post('/v1/contacts', { name: 'Last' });
  const kindsOf = async (client: typeof owner) =>
    (await client.get('/v1/events', { limit: 100 })).body.items.map(({ event }: { event: string }) => event);
  const all = await kindsOf(owner);
  expect([all.includes('transaction.created'), all.includes('contact.created')]).toEqual([true, true]);
  expect(await kindsOf(member)).toEqual(all.filter((kind: string) => !/^(transaction|key)\./.test(kind)));
  expect((await member.get('/v1/events', { eventKind: 'transaction.created' })).body.items).toEqual([]);

  const url = () => `https://${newAddress().split('@')[0]}.example/hook`;
  for (const body of [{ url: url() }, { url: url(), eventKinds: ['invoice.paid'] }]) {
    const refused = await member.post('/v1/webhooks', body);
    expect([refused.status, refused.body.details.reason]).toEqual([403, 'missing_scope']);
  }
  const own = await member.post('/v1/webhooks', { url: url(), eventKinds: ['contact.created'] });
  expect(own.status).toBe(201);
  const owners = await owner.post('/v1/webhooks', { url: url() });
  await member.patch(`/v1/webhooks/${owners.body.id}`, { url: url() }, 403);
  await member.patch(`/v1/webhooks/${own.body.id}`, { eventKinds: ['*'] }, 403);
  await member.patch(`/v1/webhooks/${own.body.id}`, { description: 'Mine' }, 200);
  await owner.post(`/v1/webhooks/${owners.body.id}/test`, { eventKind: 'transaction.created' });
  const [{ id: deliveryId }] = (await owner.get(`/v1/webhooks/${owners.body.id}/deliveries`)).body.items;
  const path = `/v1/webhooks/${owners.body.id}/deliveries/${deliveryId}`;
  expect([(await owner.get(path)).status, (await member.get(path)).status]).toEqual([200, 404]);
});

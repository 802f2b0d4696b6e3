import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { spellingsOf } from '#lib/core/mail-address.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { suppress } from '#lib/email/suppressed.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { eventually } from '#test/client.ts';
import { receiveIn, trusted } from '#test/email/raw.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

const ascii = 'xn--bcher-kva.example';
const unicode = 'Bücher.example';
const spellings = [ascii, unicode, ascii.toUpperCase()];

let workspace: TestWorkspace;
let tenant: Tenant;
beforeAll(async () => {
  workspace = await newWorkspace();
  tenant = { workspaceId: workspace.id, env: 'live' };
});
const run = <Result>(work: (tx: UnitOfWork) => Promise<Result>) => transact(tenant, system, work);
const get = async (path: string, query: Record<string, string | number> = {}) =>
  (await workspace.live.get(path, query)).body;
const idsOf = async (path: string, query: Record<string, string | number>): Promise<number[]> =>
  (await get(path, query)).items.map(({ id }: { id: number }) => id);

test('a contact is one by all spellings of its address, and shows its own', async () => {
  const { body: contact } = await workspace.live.post('/v1/contacts', { name: 'Max', email: `max@${unicode}` });
  expect(contact.email).toBe(`max@${unicode}`);
  for (const domain of spellings) {
    expect(await idsOf('/v1/contacts', { email: `MAX@${domain}` })).toEqual([contact.id]);
    const upsert = { matchOn: 'email', email: `max@${domain}`, company: 'Bücher' };
    expect((await workspace.live.post('/v1/contacts/upsert', upsert)).body.id).toBe(contact.id);
  }
  const { body: twin } = await workspace.live.post('/v1/contacts', { name: 'Twin', email: `Max@${ascii}` });
  expect(await idsOf(`/v1/contacts/${contact.id}/duplicates`, {})).toEqual([twin.id]);
});

test.each(['/ü', '?ü', '#ü', '\\ü', '%2Fü', '/xn--bcher-kva'])(
  'a domain with a suffix is not a spelling of the domain: %s',
  async (more) => {
    const name = `sam-${randomUUID()}`;
    const [own, other] = [`${name}@${ascii}`, `${name}@${ascii}${more}`];
    const { body: contact } = await workspace.live.post('/v1/contacts', { name: 'Sam', email: own });
    await workspace.live.post('/v1/contacts', { name: 'Not Sam', email: other }, 400);
    expect(await idsOf('/v1/contacts', { email: own })).toEqual([contact.id]);
    expect(await idsOf('/v1/contacts', { email: other })).toEqual([]);
    expect(spellingsOf(other)).not.toContain(`${name}@bücher.example`);
    const mail = { to: [other], subject: 'For Sam', bodyText: 'Hello' };
    await workspace.live.post('/v1/email/messages', mail, 400);
  },
);

test.each(['𐀀.', '㌖.', '한.'])('a domain of %s that is too long in ASCII is one as it is written', async (label) => {
  const email = `x@${label.repeat(125)}a`;
  const { status, body: contact } = await workspace.live.post('/v1/contacts', { name: 'Long', email });
  expect(status).toBe(201);
  const upsert = { matchOn: 'email', email, company: 'Long' };
  for (const times of ['first', 'second'])
    expect([times, await workspace.live.post('/v1/contacts/upsert', upsert)]).toMatchObject([times, { status: 200 }]);
  expect(await idsOf('/v1/contacts', { email })).toEqual([contact.id]);
  expect(
    await workspace.live.post('/v1/contacts/upsert', { ...upsert, name: 'Other', email: `y${email}` }),
  ).toMatchObject({
    status: 201,
  });
});

test('a reply reaches its thread and contact in either spelling of the domain', async () => {
  const { body: contact } = await workspace.live.post('/v1/contacts', { name: 'Ida', email: `ida@${unicode}` });
  const mail = { to: [`ida@${unicode}`], subject: 'Your order', bodyText: 'Hello' };
  const { threadId } = (await workspace.live.post('/v1/email/messages', mail)).body;
  const reply = await receiveIn(workspace)({ from: `Ida <ida@${ascii}>`, subject: 'Re: Your order' });
  expect(reply.threadId).toBe(threadId);
  expect(await get(`/v1/email/threads/${threadId}`)).toMatchObject({ contactId: contact.id, unreadCount: 1 });
  expect(await get(`/v1/contacts/${contact.id}`)).toMatchObject({ hasUnreadMessages: true });
  for (const q of [`ida@${unicode}`, `ida@${ascii}`, 'ida@bü'])
    expect(await idsOf('/v1/email/threads', { q })).toEqual([threadId]);
  await run((tx) => suppress(tx, `ida@${ascii}`, 'bounce'));
  expect(await workspace.live.post('/v1/email/messages', mail)).toMatchObject({ status: 409 });
});

test('mail from before its sender was a contact is exported and erased', async () => {
  const { threadId } = await receiveIn(workspace)({
    from: `Eva <eva@${ascii}>`,
    to: `workspace-${workspace.id}@mail.example`,
    text: 'word-of-eva',
  });
  expect(await idsOf('/v1/email/threads', { q: `eva@${unicode}` })).toEqual([threadId]);
  const { body: contact } = await workspace.live.post('/v1/contacts', { name: 'Eva', email: `eva@${unicode}` });
  const { emailThreads, emailMessages } = await get(`/v1/contacts/${contact.id}/export`);
  expect([emailThreads.length, emailMessages.length]).toEqual([1, 1]);
  const { body } = await workspace.live.post(`/v1/contacts/${contact.id}/erasure`, { confirm: String(contact.id) });
  await eventually(async () => (await get(`/v1/erasures/${body.id}`)).status === 'completed', 'the erasure', 60_000);
  await workspace.live.get(`/v1/email/threads/${threadId}`, undefined, 404);
  expect(await idsOf('/v1/email/threads', { q: 'eva@' })).toEqual([]);
});

test('the domain of From is the one that DKIM signed, in either spelling', async () => {
  const { authenticationOf } = await import('#lib/email/authentication.ts');
  const results = { spf: 'none', dkim: 'pass', dmarc: 'none', spfDomain: undefined, dmarcDomain: undefined } as const;
  const from = { name: null, email: `eva@${unicode}` };
  const judged = authenticationOf({ from, hasOneAuthor: true }, { ...results, dkimDomains: [ascii] });
  expect(judged).toEqual({ ...trusted.authentication, spf: 'none', dmarc: 'none' });
});

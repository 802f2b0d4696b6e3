import { expect, test } from 'vitest';
import { scopes } from '#lib/core/scopes.ts';
import { conversations } from '#test/conversations/world.ts';
import { advance } from '#test/harness.ts';

async function stranger() {
  const world = await conversations();
  const { threadId } = await world.mail({ from: 'Zoe <zoe@example.com>', subject: 'Norway', text: 'Do you ship?' });
  const [conversation] = await world.list();
  const path = `/v1/email/threads/${threadId}/contact`;
  const historyOf = async (contactId: number) =>
    (await world.live.get(`/v1/contacts/${contactId}/messages`)).body.items as { body: string; isRead: boolean }[];
  return { ...world, threadId, conversation, path, historyOf };
}

test('the thread of a stranger becomes that of a new contact, with messages and conversation', async () => {
  const { live, mail, list, threadId, conversation, path, historyOf } = await stranger();
  await live.post(`/v1/conversations/${conversation.id}/read`, {}, 200);
  await advance(2000);
  await mail({ from: 'Zoe <zoe@example.com>', subject: 'Re: Norway', text: 'Hello?' });
  const runAt = new Date(Date.now() + 86_400_000).toISOString();
  const job = (await live.post(`/v1/email/threads/${threadId}/replies`, { bodyText: 'Yes', runAt }, 202)).body;
  const { contactId } = (await live.post(path, { create: { name: 'Zoe' } }, 200)).body;
  expect((await live.get(`/v1/contacts/${contactId}`)).body).toMatchObject({
    name: 'Zoe',
    email: 'zoe@example.com',
    hasUnreadMessages: true,
  });
  expect(await historyOf(contactId)).toMatchObject([
    { body: 'Yes', status: 'queued', contactId },
    { body: 'Hello?', isRead: false, contactId },
    { body: 'Do you ship?', isRead: true, contactId },
  ]);
  expect((await live.get(`/v1/jobs/${job.id}`)).body.contactId).toBe(contactId);
  const [shown, ...others] = await list();
  expect(others).toEqual([]);
  expect(shown).toMatchObject({ contactId, unreadCount: 1, createdAt: conversation.createdAt });
  expect((await live.get(`/v1/conversations/${conversation.id}`)).body).toEqual(shown);
});

test('the thread of a stranger joins a contact, who keeps an address', async () => {
  const { live, contact, list, path, historyOf } = await stranger();
  const ann = await contact('Ann', { email: 'ann@example.com' });
  expect((await live.post(path, { contactId: ann }, 200)).body.contactId).toBe(ann);
  expect((await live.get(`/v1/contacts/${ann}`)).body.email).toBe('ann@example.com');
  expect(await historyOf(ann)).toHaveLength(1);
  expect(await list()).toMatchObject([{ contactId: ann, unreadCount: 1 }]);
  await live.post(path, { contactId: ann }, 200);
  const other = await live.post(path, { create: { name: 'Zoe' } });
  expect([other.status, other.body.details.reason]).toEqual([409, 'thread_has_contact']);
});

test('a contact without an address gets that of the thread, and the company of its domain', async () => {
  const { live, contact, path } = await stranger();
  const company = (await live.post('/v1/companies', { name: 'Example', domains: ['example.com'] }, 201)).body.id;
  const ann = await contact('Ann', {});
  await live.post(path, { contactId: ann }, 200);
  expect((await live.get(`/v1/contacts/${ann}`)).body).toMatchObject({ email: 'zoe@example.com', company: 'Example' });
  expect((await live.get(`/v1/contacts/${ann}/companies`)).body.items).toMatchObject([{ companyId: company }]);
});

test.each([
  [{}, 400],
  [{ contactId: 1, create: { name: 'Zoe' } }, 400],
  [{ contactId: 999 }, 400],
  [{ create: { name: '' } }, 400],
])('a thread refuses the contact %j', async (body, status) => {
  const { live, path } = await stranger();
  expect((await live.post(path, body)).status).toBe(status);
});

test('connecting a thread needs the scope for contacts as well', async () => {
  const { mint, path } = await stranger();
  const { client } = await mint({ scopes: scopes.filter((scope) => scope !== 'contacts:write') });
  const { status, body } = await client.post(path, { create: { name: 'Zoe' } });
  expect([status, body.details.requiredScopes]).toEqual([403, ['contacts:write']]);
});

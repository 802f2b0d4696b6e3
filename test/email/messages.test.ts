import PostalMime from 'postal-mime';
import { beforeAll, expect, test, vi } from 'vitest';
import { fromNow } from '#lib/core/clock.ts';
import { operator } from '#lib/core/tenant.ts';
import { remaining, spend } from '#lib/table/quota.ts';
import { transact } from '#lib/table/transact.ts';
import { eventually } from '#test/client.ts';
import { sentWith } from '#test/email/outbox.ts';
import { receiveIn } from '#test/email/raw.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let receive: ReturnType<typeof receiveIn>;
beforeAll(async () => {
  workspace = await newWorkspace();
  receive = receiveIn(workspace);
});

const path = '/v1/email/messages';
const inDays = (days: number) => fromNow(days * 86_400_000);
const threadOf = async (id: number, client = workspace.live) => (await client.get(`/v1/email/threads/${id}`)).body;
const messagesOf = async (id: number, client = workspace.live) =>
  (await client.get(`/v1/email/threads/${id}/messages`)).body.items;
const ended = (threadId: number, status: string, client = workspace.live) =>
  eventually(async () => {
    const [message] = await messagesOf(threadId, client);
    return message.status === status && message;
  }, `a message that is ${status}`);

test('each recipient of a mail, of a copy, and of a hidden copy counts in the quota of the day', async () => {
  const { live, id } = await newWorkspace();
  vi.stubEnv('QUOTA_EMAILS_PER_DAY', '7');
  const of = (...names: string[]) => names.map((name) => `${name}@example.com`);
  const mail = { subject: 'Four', bodyText: 'of seven', to: of('a', 'b'), cc: of('c'), bcc: of('d') };
  await live.post(path, mail, 202);
  expect(await remaining({ workspaceId: id, env: 'live' }, 'emails')).toBe(3);
  vi.unstubAllEnvs();
});

test('a new mail leaves once in its own thread, and answers join that thread', async () => {
  const { body: contact } = await workspace.live.post('/v1/contacts', { name: 'Nora', email: 'Nora@example.com' });
  const { status, body, headers } = await workspace.live.post(path, {
    to: ['nora@example.com', 'ole@example.com', 'NORA@example.com'],
    cc: ['pia@example.com', 'ole@example.com'],
    bcc: ['quin@example.com'],
    subject: 'An offer',
    bodyText: 'We have one for you.',
    bodyHtml: '<p onclick="x()">We have <b>one</b> for you.</p><script>x()</script>',
  });
  expect({ status, body }).toEqual({
    status: 202,
    body: {
      id: expect.any(Number),
      threadId: expect.any(Number),
      status: 'queued',
      runAt: expect.any(String),
      createdAt: expect.any(String),
      updatedAt: null,
      lastError: null,
    },
  });
  expect(headers['location']).toBe(`/v1/jobs/${body.id}`);
  const { threadId } = body;
  expect(await threadOf(threadId)).toMatchObject({
    subject: 'An offer',
    status: 'open',
    unreadCount: 0,
    contactId: contact.id,
    preview: 'We have one for you.',
  });
  expect(await ended(threadId, 'sent')).toMatchObject({
    direction: 'outbound',
    from: { email: expect.any(String) },
    to: [
      { name: null, email: 'nora@example.com' },
      { name: null, email: 'ole@example.com' },
    ],
    cc: [{ name: null, email: 'pia@example.com' }],
    subject: 'An offer',
    bodyText: 'We have one for you.',
    bodyHtml: '<p>We have <b>one</b> for you.</p>',
    authentication: null,
    isRead: true,
  });
  expect((await workspace.live.get(`/v1/jobs/${body.id}`)).body).toMatchObject({
    status: 'sent',
    channel: 'email',
    contactId: contact.id,
    recipient: 'nora@example.com',
    source: 'api',
    attempts: 1,
  });
  const mails = await sentWith('ole@example.com');
  expect(mails).toHaveLength(1);
  expect(mails[0]).not.toContain('quin@example.com');
  const mail = await PostalMime.parse(mails[0] as string);
  expect(mail).toMatchObject({ subject: 'An offer', from: { name: 'Test' }, text: 'We have one for you.\n' });
  expect([mail.inReplyTo, mail.references]).toEqual([undefined, undefined]);
  // A blind copy answers to it as well.
  for (const from of ['Ole <ole@example.com>', 'quin@example.com']) {
    const answer = { from, subject: 'No subject in common', inReplyTo: (mail.messageId as string).slice(1, -1) };
    expect(await receive(answer)).toMatchObject({ threadId });
  }
  const stranger = { from: 'eve@example.com', inReplyTo: (mail.messageId as string).slice(1, -1) };
  expect((await receive(stranger)).threadId).not.toBe(threadId);
  const { body: reply } = await workspace.live.post(`/v1/email/threads/${threadId}/replies`, { bodyText: 'Fine' });
  expect(await ended(threadId, 'sent')).toMatchObject({ to: [{ email: 'quin@example.com' }], subject: 'Re: An offer' });
  expect(reply.threadId).toBe(threadId);
});

test('it belongs to the contact that is named, or to none', async () => {
  const { body: contact } = await workspace.live.post('/v1/contacts', { name: 'Rolf' });
  const write = async (more: object) => {
    const { body } = await workspace.live.post(path, {
      ...{ to: ['rolf@elsewhere.example'], subject: 'Hi', bodyText: 'Hi', ...more },
    });
    return (await threadOf(body.threadId)).contactId;
  };
  expect(await write({ contactId: contact.id })).toBe(contact.id);
  expect(await write({})).toBeNull();
  const { items } = (await workspace.live.get(`/v1/contacts/${contact.id}/messages`)).body;
  expect(items).toMatchObject([{ channel: 'email', direction: 'outbound', body: 'Hi', threadId: expect.any(String) }]);
});

test('it waits for its time', async () => {
  const runAt = fromNow(3_600_000);
  const { body } = await workspace.live.post(path, { to: ['a@example.com'], subject: 'S', bodyText: 'Later', runAt });
  expect(body).toMatchObject({ status: 'queued', runAt });
  expect(await messagesOf(body.threadId)).toMatchObject([{ status: 'queued', bodyText: 'Later', sentAt: null }]);
});

test('a repeated call under one key writes one mail', async () => {
  const call = () =>
    workspace.live.post(
      path,
      { to: ['once@example.com'], subject: 'S', bodyText: 'Once' },
      { 'idempotency-key': 'once' },
    );
  const first = await call();
  expect(await call()).toMatchObject({ status: 202, body: first.body });
  await ended(first.body.threadId, 'sent');
  expect(await sentWith('once@example.com')).toHaveLength(1);
});

test('in the sandbox nothing leaves, and a magic recipient fails', async () => {
  const write = async (to: string) =>
    (await workspace.test.post(path, { to: [to], subject: 'S', bodyText: 'Hello' })).body;
  const { threadId } = await write('sandra@example.com');
  await ended(threadId, 'sent', workspace.test);
  expect(await sentWith('sandra@example.com')).toEqual([]);
  const failing = await write('test_fail@example.com');
  await ended(failing.threadId, 'failed', workspace.test);
  expect((await workspace.test.get(`/v1/jobs/${failing.id}`)).body).toMatchObject({ lastError: 'recipient rejected' });
});

test('a key that may reply writes no new mails, unless it was given that scope by name', async () => {
  const mail = { to: ['a@example.com'], subject: 'S', bodyText: 'B' };
  const { client } = await workspace.mint({ scopes: ['email:send', 'email:read', 'email:write'] });
  expect(await client.post(path, mail)).toMatchObject({
    status: 403,
    body: { details: { reason: 'missing_scope', requiredScopes: ['email:compose'] } },
  });
  const { client: composer } = await workspace.mint({ scopes: ['email:compose'] });
  await composer.post(path, mail, 202);
});

test('an unknown field is named in X-Ignored-Parameters', async () => {
  const { status, headers } = await workspace.live.post(path, {
    ...{ to: ['a@example.com'], subject: 'S', bodyText: 'B', replyAll: true },
  });
  expect([status, headers['x-ignored-parameters']]).toEqual([202, 'replyAll']);
});

const many = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name}${index}@a.example`);

test.each([
  ['to', 'required', { to: undefined }],
  ['to', 'too_short', { to: [] }],
  ['to', 'too_many', { to: many('a', 21) }],
  ['to[0]', 'invalid_format', { to: ['Ann <ann@example.com>'] }],
  ['to[0]', 'invalid_format', { to: ['ann@example..com'] }],
  ['to[0]', 'invalid_format', { to: ['ann@example.com.'] }],
  ['to[1]', 'invalid_format', { to: ['ann@bücher.example', 'ann@example。。com'] }],
  ['to[0]', 'invalid_format', { to: ['ann@\u202emoc.elpmaxe'] }],
  ['cc[0]', 'invalid_format', { cc: ['ann@exam\u200bple.com'] }],
  ['cc', 'too_many', { cc: many('a', 21) }],
  ['bcc', 'too_many', { to: many('a', 20), cc: many('b', 20), bcc: many('c', 11) }],
  ['subject', 'required', { subject: ' ' }],
  ['subject', 'too_long', { subject: 's'.repeat(501) }],
  ['subject', 'invalid_format', { subject: 'a\nb' }],
  ['bodyText', 'too_long', { bodyText: 'x'.repeat(100_001) }],
  ['runAt', 'out_of_range', { runAt: '2999-01-01T00:00:00Z' }],
  ['contactId', 'unknown_reference', { contactId: 999_999 }],
])('one whose %s is %s is refused, and opens no thread', async (field, code, change) => {
  const subject = `Refused ${field} ${code}`;
  const mail = { to: ['a@example.com'], bodyText: 'B', subject, ...change };
  expect(await workspace.live.post(path, mail)).toMatchObject({
    status: 400,
    body: { details: { fields: [{ field, code }] } },
  });
  expect((await workspace.live.get('/v1/email/threads', { q: subject })).body.items).toEqual([]);
});

test('changing a queued mail replaces its body and its time, and leaves a sent one', async () => {
  const to = ['rolf@example.com'];
  const written = { to, subject: 'Soon', bodyText: 'Old words', bodyHtml: '<b>Old words</b>', runAt: inDays(2) };
  const { id, threadId } = (await workspace.live.post(path, written, 202)).body;
  const long = `New ${'words '.repeat(16_000)}`.trim();
  const later = inDays(3);
  const { body } = await workspace.live.patch(`/v1/jobs/${id}`, { text: long, runAt: later }, 200);
  expect(body).toEqual((await workspace.live.get(`/v1/jobs/${id}`)).body);
  expect(body).toMatchObject({ status: 'queued', runAt: later, textPreview: long.slice(0, 140) });
  expect(await messagesOf(threadId)).toMatchObject([{ bodyText: long, bodyHtml: null, newText: long }]);
  expect(await threadOf(threadId)).toMatchObject({ preview: expect.stringMatching(/^New words/) });
  await workspace.live.patch(`/v1/jobs/${id}`, { text: 'Newest words', runAt: null }, 200);
  expect(await ended(threadId, 'sent')).toMatchObject({ bodyText: 'Newest words', bodyHtml: null });
  const [mail, ...others] = await sentWith('rolf@example.com');
  expect([(await PostalMime.parse(mail as string)).text, others]).toEqual(['Newest words\n', []]);
  expect(mail).not.toContain('Old words');
  const late = await workspace.live.patch(`/v1/jobs/${id}`, { text: 'Too late' }, 409);
  expect(late.body.details.reason).toBe('job_not_queued');
});

test('changing the day of a queued mail pays by the quota of the new day', async () => {
  const { live, id: workspaceId } = await newWorkspace();
  const perDay = 2000;
  const pay = (amount: number, at: string) =>
    transact({ workspaceId, env: 'live' }, operator, (tx) => spend(tx, 'emails', amount, at));
  const written = { to: ['s@example.com'], cc: ['t@example.com'], subject: 'Two', bodyText: 'Hi', runAt: inDays(2) };
  const { id } = (await live.post(path, written, 202)).body;
  await pay(perDay - 1, inDays(3));
  const full = await live.patch(`/v1/jobs/${id}`, { runAt: inDays(3) }, 429);
  expect(full.body.details.reason).toBe('daily_quota');
  await live.patch(`/v1/jobs/${id}`, { text: 'Hello', runAt: inDays(4) }, 200);
  await expect(pay(perDay - 1, inDays(4))).rejects.toThrow();
  await pay(perDay - 2, inDays(4));
  await pay(perDay, inDays(2));
});

import PostalMime from 'postal-mime';
import { beforeAll, expect, test } from 'vitest';
import { fromNow } from '#lib/core/clock.ts';
import { eventually } from '#test/client.ts';
import { sentWith } from '#test/email/outbox.ts';
import { receiveIn } from '#test/email/raw.ts';
import { eventsAbout } from '#test/feed.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let receive: ReturnType<typeof receiveIn>;
beforeAll(async () => {
  workspace = await newWorkspace();
  receive = receiveIn(workspace);
});

const newest = (threadId: number, status: string, client = workspace.live) =>
  eventually(async () => {
    const [message] = (await client.get(`/v1/email/threads/${threadId}/messages`)).body.items;
    return message.status === status && message;
  }, `a message that is ${status}`);

test('a reply leaves once, in the thread that it answers, and its answer comes back to it', async () => {
  const { body: contact } = await workspace.live.post('/v1/contacts', { name: 'Rita', email: 'rita@example.com' });
  const { threadId } = await receive({
    from: 'Rita <rita@example.com>',
    subject: 'Prices',
    messageId: 'p1@example.com',
  });
  const { status, body, headers } = await workspace.live.post(`/v1/email/threads/${threadId}/replies`, {
    bodyText: 'They are low: 12 €.',
    bodyHtml: '<p onclick="x()">They are <b>low</b>: 12 €.</p><script>x()</script>',
  });
  expect({ status, body }).toEqual({
    status: 202,
    body: {
      id: expect.any(Number),
      threadId,
      status: 'queued',
      runAt: expect.any(String),
      createdAt: expect.any(String),
      updatedAt: null,
      lastError: null,
    },
  });
  expect(headers['location']).toBe(`/v1/jobs/${body.id}`);
  const sent = await newest(threadId, 'sent');
  expect(sent).toMatchObject({
    direction: 'outbound',
    to: [{ name: 'Rita', email: 'rita@example.com' }],
    subject: 'Re: Prices',
    bodyText: 'They are low: 12 €.',
    bodyHtml: '<p>They are <b>low</b>: 12 €.</p>',
    isRead: true,
    sentAt: expect.any(String),
  });
  expect((await workspace.live.get(`/v1/jobs/${body.id}`)).body).toMatchObject({
    status: 'sent',
    channel: 'email',
    accountId: null,
    contactId: contact.id,
    recipient: 'rita@example.com',
    attempts: 1,
  });
  const mails = await sentWith('rita@example.com');
  expect(mails).toHaveLength(1);
  const mail = await PostalMime.parse(mails[0] as string);
  expect(mail).toMatchObject({
    subject: 'Re: Prices',
    from: { name: 'Test' },
    to: [{ name: 'Rita', address: 'rita@example.com' }],
    inReplyTo: '<p1@example.com>',
    references: '<p1@example.com>',
    text: 'They are low: 12 €.\n',
  });
  expect(mail.html).not.toContain('script');
  const answer = { from: 'rita@example.com', subject: 'So?', inReplyTo: (mail.messageId as string).slice(1, -1) };
  expect(await receive(answer)).toMatchObject({ threadId });
  const events = await eventsAbout(workspace.id, `contact/${contact.id}`, 4);
  expect(events[2]).toMatchObject({
    event: 'message.created',
    data: { direction: 'outbound', channel: 'email', thread_id: String(threadId), job_id: String(body.id) },
  });
  const [completed] = await eventsAbout(workspace.id, `job/${body.id}`, 1);
  expect(completed).toMatchObject({
    event: 'job.completed',
    data: { status: 'sent', channel: 'email', account_id: null },
  });
});

test('a reply to all goes to the other recipients too, but not to our own address', async () => {
  const { threadId } = await receive({
    from: 'Sam <sam@example.com>',
    to: `workspace-${workspace.id}@mail.example.org, Tom <tom@example.com>`,
    cc: 'uma@example.com, SAM@example.com',
  });
  await workspace.live.post(`/v1/email/threads/${threadId}/replies`, {
    bodyText: 'Hello all',
    replyAll: true,
    cc: ['vic@example.com', 'TOM@example.com'],
    bcc: ['wim@example.com'],
  });
  expect(await newest(threadId, 'sent')).toMatchObject({
    to: [{ name: 'Sam', email: 'sam@example.com' }],
    cc: [
      { name: 'Tom', email: 'tom@example.com' },
      { name: null, email: 'uma@example.com' },
      { name: null, email: 'vic@example.com' },
    ],
  });
  const [mail] = await sentWith('uma@example.com');
  expect(mail).not.toContain('wim@example.com');
});

test('a reply to all is sent when it goes to 49 people other than those written to before', async () => {
  await workspace.live.post('/v1/contacts', { name: 'Xen', email: 'xen@example.com' });
  const ask = async (group: string, inReplyTo?: string) => {
    const cc = Array.from({ length: 49 }, (_, index) => `${group}${index}@example.com`).join(', ');
    const to = `workspace-${workspace.id}@mail.example.org`;
    const mail = { from: 'Xen <xen@example.com>', to, cc, subject: 'Crowd', messageId: `${group}@example.com` };
    return receive({ ...mail, ...(inReplyTo && { inReplyTo }) });
  };
  const { threadId } = await ask('first');
  for (const [group, before] of [
    ['first'],
    ['second', 'first@example.com'],
    ['third', 'second@example.com'],
  ] as const) {
    if (before) expect(await ask(group, before)).toMatchObject({ threadId });
    await workspace.live.post(`/v1/email/threads/${threadId}/replies`, { bodyText: 'Hello all', replyAll: true });
    expect((await newest(threadId, 'sent')).cc).toHaveLength(49);
  }
});

test('a reply to all leaves out addresses that SES does not take, and the API refuses them', async () => {
  const { threadId } = await receive({
    from: 'Yan <yan@example.com>',
    to: `workspace-${workspace.id}@mail.example.org`,
    cc: 'ü@example.com, "a b"@example.com, Eva <eva@bücher.example>, x@[127.0.0.1], EVA@xn--bcher-kva.example',
  });
  const path = `/v1/email/threads/${threadId}/replies`;
  await workspace.live.post(path, { bodyText: 'Hello all', replyAll: true });
  expect(await newest(threadId, 'sent')).toMatchObject({
    to: [{ email: 'yan@example.com' }],
    cc: [{ name: 'Eva', email: 'eva@bücher.example' }],
  });
  for (const address of ['ü@example.com', 'x y@example.com', 'a(b)@example.com', 'x@[127.0.0.1]', 'a:b@example.com']) {
    const { status, body } = await workspace.live.post(path, { bodyText: 'Hello', cc: [address] });
    expect([status, body.details.fields], address).toEqual([
      400,
      [expect.objectContaining({ field: 'cc[0]', code: 'invalid_format' })],
    ]);
  }
});

test('a reply waits for its time', async () => {
  const { threadId } = await receive();
  const runAt = fromNow(3_600_000);
  const { body } = await workspace.live.post(`/v1/email/threads/${threadId}/replies`, { bodyText: 'Later', runAt });
  expect(body).toMatchObject({ status: 'queued', runAt });
  expect(await newest(threadId, 'queued')).toMatchObject({ bodyText: 'Later', sentAt: null });
});

test('in the sandbox nothing leaves, and a magic recipient fails', async () => {
  const into = receiveIn(workspace, 'test');
  const { threadId } = await into({ from: 'sandy@example.com' });
  await workspace.test.post(`/v1/email/threads/${threadId}/replies`, { bodyText: 'Hello' });
  await newest(threadId, 'sent', workspace.test);
  expect(await sentWith('sandy@example.com')).toEqual([]);
  const { threadId: failing } = await into({ from: 'test_fail@example.com' });
  const { body } = await workspace.test.post(`/v1/email/threads/${failing}/replies`, { bodyText: 'Hello' });
  await newest(failing, 'failed', workspace.test);
  expect((await workspace.test.get(`/v1/jobs/${body.id}`)).body).toMatchObject({
    status: 'failed',
    lastError: 'recipient rejected',
  });
});

test('a spam thread is not answered', async () => {
  const { threadId } = await receive();
  await workspace.live.post(`/v1/email/threads/${threadId}/status`, { status: 'spam' });
  expect(await workspace.live.post(`/v1/email/threads/${threadId}/replies`, { bodyText: 'Stop' })).toMatchObject({
    status: 409,
    body: { error: 'conflict', details: { reason: 'thread_is_spam' } },
  });
});

test.each([
  ['bodyText', 'required', {}],
  ['bodyText', 'too_long', { bodyText: 'x'.repeat(100_001) }],
  ['cc', 'too_many', { bodyText: 'x', cc: Array.from({ length: 21 }, (_, index) => `a${index}@example.com`) }],
  ['bcc[0]', 'invalid_format', { bodyText: 'x', bcc: ['nobody'] }],
  ['cc[0]', 'invalid_format', { bodyText: 'x', cc: ['ann@example..com'] }],
  ['cc[0]', 'invalid_format', { bodyText: 'x', cc: ['ann@\u202eb.example'] }],
  ['runAt', 'out_of_range', { bodyText: 'x', runAt: '2999-01-01T00:00:00Z' }],
])('a reply whose %s is %s is refused', async (field, code, reply) => {
  const { threadId } = await receive();
  expect(await workspace.live.post(`/v1/email/threads/${threadId}/replies`, reply)).toMatchObject({
    status: 400,
    body: { details: { fields: [{ field, code }] } },
  });
});

test('replies at the limits of their length are kept and shown whole', async () => {
  const { threadId } = await receive();
  const bodyText = '漢'.repeat(100_000);
  const bodyHtml = Array.from({ length: 200_000 }, (_, index) =>
    String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000)),
  ).join('');
  const { status } = await workspace.live.post(`/v1/email/threads/${threadId}/replies`, { bodyText, bodyHtml });
  expect(status).toBe(202);
  const [message] = (await workspace.live.get(`/v1/email/threads/${threadId}/messages`)).body.items;
  expect(message.bodyText === bodyText && message.bodyHtml === bodyHtml).toBe(true);
});

test.each([
  ['quotes', '"'],
  ['four bytes each', '😀'],
  ['three bytes each', '漢'],
])('a reply of the greatest length in %s leaves once', async (name, character) => {
  const from = `${name.replaceAll(' ', '-')}@example.com`;
  const { threadId } = await receive({ from });
  const bodyText = character.repeat(100_000);
  const { body } = await workspace.live.post(`/v1/email/threads/${threadId}/replies`, { bodyText });
  expect((await newest(threadId, 'sent')).bodyText === bodyText).toBe(true);
  expect(await sentWith(from)).toHaveLength(1);
  expect((await workspace.live.get(`/v1/jobs/${body.id}`)).body).toMatchObject({ status: 'sent', attempts: 1 });
});

test('nobody is written to whose address could not be kept', async () => {
  const { threadId } = await receive({ from: `A <a@${'b'.repeat(300)}.example.com>` });
  const { status, body } = await workspace.live.post(`/v1/email/threads/${threadId}/replies`, { bodyText: 'Hello' });
  expect([status, body.details]).toEqual([400, because('no_recipient')]);
});

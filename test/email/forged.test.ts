import * as v from 'valibot';
import { beforeAll, describe, expect, test } from 'vitest';
import { commands } from '#infra/admin/commands/email.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Threads } from '#lib/entities/email-thread.ts';
import { enroll } from '#lib/sequences/enroll.ts';
import { createSequence } from '#lib/sequences/store.ts';
import { transact } from '#lib/table/transact.ts';
import { eventually } from '#test/client.ts';
import { type MailFields, rawMail, receiveIn, trusted } from '#test/email/raw.ts';
import { eventsAbout } from '#test/feed.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

const forged = { authentication: v.parse(commands.receive.input.entries.authentication, 'fail') };

let workspace: TestWorkspace;
let receive: ReturnType<typeof receiveIn>;
let contactId: number;
beforeAll(async () => {
  workspace = await newWorkspace();
  receive = receiveIn(workspace);
  const { body } = await workspace.live.post('/v1/contacts', { name: 'Cora', email: 'cora@example.com' });
  contactId = body.id;
});
const of = 'Cora <cora@example.com>';
const contact = async () => (await workspace.live.get(`/v1/contacts/${contactId}`)).body;
const thread = async (id: number) => (await workspace.live.get(`/v1/email/threads/${id}`)).body;
const messages = async (id: number) => (await workspace.live.get(`/v1/email/threads/${id}/messages`)).body.items;
const conversation = async () => (await workspace.live.get(`/v1/contacts/${contactId}/messages`)).body.items;

/** The contact gets mails of a new sequence; the function tells how that stands. */
async function enrolled() {
  const tenant: Tenant = { workspaceId: workspace.id, env: 'live' };
  const steps = [{ delayMinutes: 60, subject: 'Hi', text: 'Hello' }];
  const input = { name: 'Spring', channel: 'email', accountId: null, status: 'active', steps } as const;
  const { id } = await transact(tenant, operator, (tx) => createSequence(tx, { ...input, steps }));
  await transact(tenant, operator, (tx) => enroll(tx, id, contactId));
  return async () => (await workspace.live.get(`/v1/sequences/${id}/enrollments`)).body.items[0];
}

describe('a mail that is not from whom it names', () => {
  test('gets its own thread, belongs to no contact and says so', async () => {
    const real = await receive({ from: of, subject: 'Prices', messageId: 'real@example.com' });
    const { lastMessageAt } = await contact();
    const spoof: MailFields = {
      from: of,
      subject: 'Re: Prices',
      inReplyTo: 'real@example.com',
      cc: 'eve@evil.example',
    };
    const { threadId } = await receive(spoof, forged);
    expect(threadId).not.toBe(real.threadId);
    expect(await thread(threadId)).toMatchObject({ contactId: null, unreadCount: 1 });
    expect(await messages(threadId)).toMatchObject([
      { authentication: { spf: 'fail', dkim: 'fail', dmarc: 'fail', verdict: 'fail' } },
    ]);
    expect(await contact()).toMatchObject({ lastMessageAt });
    expect(await conversation()).toHaveLength(1);
  });

  test('adds no recipient to a reply to all', async () => {
    const { threadId } = await receive({ from: of, subject: 'Offer', cc: 'eve@evil.example' }, forged);
    await workspace.live.post(`/v1/email/threads/${threadId}/replies`, { bodyText: 'Hello', replyAll: true });
    const sent = await eventually(async () => {
      const [message] = await messages(threadId);
      return message.direction === 'outbound' && message;
    }, 'the reply');
    expect(sent).toMatchObject({ to: [{ email: 'cora@example.com' }], cc: [], authentication: null });
  });

  test('stops no sequence, as a real one does', async () => {
    const enrollment = await enrolled();
    await receive({ from: of, subject: 'Stop' }, forged);
    expect(await enrollment()).toMatchObject({ status: 'active', nextRunAt: expect.any(String) });
    await receive({ from: of, subject: 'Stop' });
    expect(await enrollment()).toMatchObject({ status: 'replied' });
  });

  test('draws no real one into its thread, and keeps none out that has the same Message-ID', async () => {
    const { threadId } = await receive({ from: of, subject: 'Contract', messageId: 'c@example.com' }, forged);
    expect(await receive({ from: of, subject: 'Contract', messageId: 'c@example.com' }, forged)).toMatchObject({
      threadId,
    });
    const real = await receive({
      from: of,
      subject: 'Re: Contract',
      messageId: 'c@example.com',
      inReplyTo: 'c@example.com',
    });
    expect(real.threadId).not.toBe(threadId);
    expect(await messages(real.threadId)).toMatchObject([{ authentication: trusted.authentication }]);
  });
});

describe('a stranger, although verified, who knows a Message-ID', () => {
  const eve = 'eve@evil.example';
  const newestReply = (threadId: number) =>
    eventually(async () => {
      const [message] = await messages(threadId);
      return message.direction === 'outbound' && message.status === 'sent' && message;
    }, 'the reply');

  test('takes over no thread: neither its contact nor who is answered changes', async () => {
    const customer = await receive({
      from: of,
      cc: 'colleague@example.com',
      subject: 'Terms',
      messageId: 't@example.com',
    });
    const before = [await contact(), await thread(customer.threadId)];
    const stored = (await workspace.live.get(`/v1/contacts/${contactId}/messages`)).body.items.length;
    const own = await receive({ from: eve, cc: 'eve2@evil.example', subject: 'Re: Terms', inReplyTo: 't@example.com' });
    expect(own.threadId).not.toBe(customer.threadId);
    expect(await thread(own.threadId)).toMatchObject({ contactId: null });
    expect([await contact(), await thread(customer.threadId)]).toEqual(before);
    expect((await workspace.live.get(`/v1/contacts/${contactId}/messages`)).body.items).toHaveLength(stored);
    await workspace.live.post(`/v1/email/threads/${customer.threadId}/replies`, { bodyText: 'Here', replyAll: true });
    const { to, cc } = await newestReply(customer.threadId);
    expect([...to, ...cc].map(({ email }) => email)).toEqual([
      'cora@example.com',
      'sales@acme.example',
      'colleague@example.com',
    ]);
  });

  test('is passed over where an earlier message that a mail answers is its sender’s thread', async () => {
    const { threadId } = await receive({ from: of, subject: 'Dates', messageId: 'd1@example.com' });
    await receive({ from: eve, subject: 'Re: Dates', inReplyTo: 'd1@example.com', messageId: 'e1@evil.example' });
    const references = '<d1@example.com> <e1@evil.example>';
    expect(await receive({ from: of, subject: 'Re: Dates', references })).toMatchObject({ threadId });
  });

  test('draws nobody into a thread by naming them, unless they answer it or we write to them there', async () => {
    const bait = await receive({
      from: eve,
      cc: 'cora@example.com',
      subject: 'Payment',
      messageId: 'bait@evil.example',
    });
    const reply = { from: of, subject: 'Re: Payment' };
    const { threadId } = await receive(reply);
    expect(threadId).not.toBe(bait.threadId);
    expect(await receive({ ...reply, inReplyTo: 'bait@evil.example' })).toMatchObject({ threadId: bait.threadId });
    const other = await receive({ from: eve, cc: 'cora@example.com', subject: 'Refund' });
    await workspace.live.post(`/v1/email/threads/${other.threadId}/replies`, { bodyText: 'No', replyAll: true });
    await newestReply(other.threadId);
    expect(await receive({ from: of, subject: 'Re: Refund' })).toMatchObject({ threadId: other.threadId });
  });

  test.each(['cc', 'bcc'])('is none when we sent a mail of the thread to them in %s', async (field) => {
    const { threadId } = await receive({ from: of, subject: `Meet ${field}`, messageId: `${field}@example.com` });
    const answer = { from: `${field}@friend.example`, inReplyTo: `${field}@example.com` };
    expect((await receive(answer)).threadId).not.toBe(threadId);
    const reply = { bodyText: 'Hello', [field]: [answer.from] };
    await workspace.live.post(`/v1/email/threads/${threadId}/replies`, reply);
    await newestReply(threadId);
    expect(await receive(answer)).toMatchObject({ threadId });
    expect(await receive({ from: answer.from, subject: `Re: Meet ${field}` })).toMatchObject({ threadId });
  });

  test('is none as the contact of the thread, by another address than before', async () => {
    const { body } = await workspace.live.post('/v1/contacts', { name: 'Max', email: 'max@example.com' });
    const { threadId } = await receive({ from: 'max@example.com', messageId: 'max1@example.com' });
    await workspace.live.patch(`/v1/contacts/${body.id}`, { email: 'max@example.org' });
    expect(await receive({ from: 'max@example.org', inReplyTo: 'max1@example.com' })).toMatchObject({ threadId });
  });
});

test('a stranger cannot keep a mail out by taking its Message-ID first', async () => {
  const eve = await receive({ from: 'eve@evil.example', subject: 'First', messageId: 'taken@example.com' });
  const real = await receive({ from: of, subject: 'Second', messageId: 'taken@example.com' });
  expect(real.threadId).not.toBe(eve.threadId);
  expect(await receive({ from: of, subject: 'Second', messageId: 'taken@example.com' })).toEqual(real);
});

test('mails with the longest of everything never make a thread refuse the next one', async () => {
  const people = (letter: string, nameLength: number) =>
    Array.from({ length: 100 }, (_, at) => `"${'漢'.repeat(nameLength)}" <${letter}${at}@${'d'.repeat(230)}.example>`);
  const file = ['--x', `Content-Type: ${'t'.repeat(300)}/x; name="${'漢'.repeat(200)}"`, '', 'x'];
  const longest = (letter: string, nameLength: number) =>
    [
      `From: ${of}`,
      `To: ${people(letter, nameLength).join(', ')}`,
      `Cc: ${people(`${letter}x`, nameLength).join(', ')}`,
      `Subject: Re: Party ${'漢'.repeat(2000)}`,
      `Message-ID: <${'漢'.repeat(600)}${letter}>`,
      `References: ${Array.from({ length: 60 }, (_, at) => `<${'漢'.repeat(400)}${at}>`).join(' ')}`,
      'Content-Type: multipart/mixed; boundary=x',
      '',
      ...['--x', 'Content-Type: text/plain; charset=utf-8', '', '漢'.repeat(120_000)],
      ...Array.from({ length: 110 }, () => file).flat(),
      '--x--',
    ].join('\r\n');
  const place = { workspaceId: workspace.id, env: 'live' as const, ...trusted };
  for (const letter of ['b', 'c']) await commands.receive.run({ ...place, raw: longest(letter, 1200) });
  const { threadId } = await commands.receive.run({ ...place, raw: longest('a', 300) });
  expect(await thread(threadId)).toMatchObject({ contactId });
  const stored = await transact(place, operator, (tx) => tx.get(Threads, { id: threadId }));
  expect(stored.participants).toHaveLength(100);
  const [message] = await messages(threadId);
  expect([message.to, message.cc, message.attachments].map(({ length }) => length)).toEqual([100, 100, 100]);
  expect(await receive({ from: of, subject: message.subject })).toEqual({
    threadId: expect.any(Number),
    messageId: expect.any(Number),
  });
});

test.each([
  [undefined, trusted.authentication],
  ['none', { spf: 'none', dkim: 'none', dmarc: 'none', verdict: 'none' }],
  [
    { spf: 'pass', dkim: 'none', dmarc: 'fail', verdict: 'fail' },
    { spf: 'pass', dkim: 'none', dmarc: 'fail', verdict: 'fail' },
  ],
])('the operator states how far a mail is to be believed: %j', (given, authentication) => {
  const input = { workspaceId: 1, env: 'live', raw: rawMail(), ...(given !== undefined && { authentication: given }) };
  expect(v.parse(commands.receive.input, input).authentication).toEqual(authentication);
});

test('a mail from another sender in a contact’s thread is not the contact’s', async () => {
  const { threadId } = await receive({ from: of, cc: 'eve@evil.example', messageId: 'invited@example.com' });
  const enrollment = await enrolled();
  const [before, { lastMessageAt }] = [await conversation(), await contact()];
  const theirs = { from: 'eve@evil.example', inReplyTo: 'invited@example.com', text: 'I am Cora' };
  expect(await receive(theirs)).toMatchObject({ threadId });
  expect(await thread(threadId)).toMatchObject({ contactId, unreadCount: 2 });
  expect(await messages(threadId)).toMatchObject([{ from: { email: 'eve@evil.example' } }, { from: { name: 'Cora' } }]);
  expect(await conversation()).toEqual(before);
  expect(await contact()).toMatchObject({ lastMessageAt });
  expect(await enrollment()).toMatchObject({ status: 'active' });
  const events = await eventsAbout(workspace.id, `contact/${contactId}`, 1);
  expect(events.filter(({ data }) => data.body === theirs.text)).toEqual([]);
});

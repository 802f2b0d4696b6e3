import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { fromNow } from '#lib/core/clock.ts';
import { operator, type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { createMessage } from '#lib/email/compose.ts';
import { createReply } from '#lib/email/reply.ts';
import { getThread } from '#lib/email/store.ts';
import { MessageIds } from '#lib/entities/email-message.ts';
import { Threads } from '#lib/entities/email-thread.ts';
import { Jobs } from '#lib/entities/job.ts';
import { pauseJob, resumeJob } from '#lib/messages/jobs/store.ts';
import { rowKey } from '#lib/table/keys.ts';
import { remaining, spend } from '#lib/table/quota.ts';
import { readRow } from '#lib/table/rows.ts';
import { transact } from '#lib/table/transact.ts';
import { cancelQueuedJobs } from '#lib/transport/sending/cancel.ts';
import { cancelJob } from '#lib/transport/sending/end.ts';
import { deliverEmail } from '#lib/transport/sending/mail.ts';
import { unreachable } from '#test/crash.ts';
import { receiveIn, trusted } from '#test/email/raw.ts';
import { redirect } from '#test/endpoints.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

/** SES as this process meets it: it takes what `answer` lets it take, and nothing else sends these mails. */
const ses = {
  taken: [] as string[],
  envelopes: [] as Record<string, string[]>[],
  ids: 0,
  answer: (): { status: number; type?: string; message?: string } => ({ status: 200 }),
};
const server = createServer(async (request, response) => {
  const { Content, Destination } = (await json(request)) as {
    Content: { Raw: { Data: string } };
    Destination: Record<string, string[]>;
  };
  const { status, type, message = `${type}` } = ses.answer();
  if (status === 0) {
    request.socket.destroy();
    return;
  }
  if (status === 200) {
    ses.taken.push(Buffer.from(Content.Raw.Data, 'base64').toString());
    ses.envelopes.push(Destination);
    ses.ids += 1;
  }
  response.writeHead(status, { 'content-type': 'application/json', ...(type && { 'x-amzn-errortype': type }) });
  response.end(JSON.stringify(status === 200 ? { MessageId: `0100-${ses.ids}` } : { message }));
});

let restore: () => void;
let workspace: TestWorkspace;
let live: Tenant;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  restore = redirect('SESV2', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  workspace = await newWorkspace();
  live = { workspaceId: workspace.id, env: 'live' };
});
afterEach(() => {
  vi.unstubAllEnvs();
  ses.answer = () => ({ status: 200 });
  ses.taken = [];
  ses.envelopes = [];
});
afterAll(() => {
  restore();
  server.close();
});

const tomorrow = () => fromNow(86_400_000);

/** A reply that only this process may send: it is due, but its message is not sent before tomorrow. */
async function newReply(threadId: number, more: Partial<Parameters<typeof createReply>[2]> = {}): Promise<number> {
  const unsent = { cc: [], bcc: [], replyAll: false, runAt: tomorrow(), force: false };
  const reply = { bodyText: 'Hello', bodyHtml: null, ...unsent, ...more };
  const { id } = await transact(live, { type: 'api_key', id: 'test' }, (tx) => createReply(tx, threadId, reply));
  await hurry(id);
  return id;
}

/** A throttle of such a job lasts longer than the test. */
const oftenThrottled = 10;

const hurry = (id: number) =>
  transact(live, operator, async (tx) => {
    const job = await tx.get(Jobs, { id });
    const floodWaits = Math.max(oftenThrottled, job.floodWaits);
    tx.update(Jobs, { ...job, runAt: tomorrow(), queuedFor: tx.now, floodWaits });
  });

const readJob = (id: number) => transact(live, operator, (tx) => tx.get(Jobs, { id }));
const jobOf = async (id: number) => (await workspace.live.get(`/v1/jobs/${id}`)).body;
const receive = (mail: Parameters<ReturnType<typeof receiveIn>>[0] = {}) => receiveIn(workspace)(mail);

test('a reply names the Message-ID of SES, and an answer to it finds the thread', async () => {
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  const { threadId } = await receive({ from: 'Rita <rita@example.com>', messageId: 'q1@example.com' });
  await deliverEmail(live, await newReply(threadId));
  await deliverEmail(live, await newReply(threadId));
  const [first, second] = await Promise.all(ses.taken.map((mail) => PostalMime.parse(mail)));
  expect(first?.references).toBe('<q1@example.com>');
  expect(second?.references).toBe('<q1@example.com> <0100-1@eu-central-1.amazonses.com>');
  const answer = { from: 'rita@example.com', subject: 'So?', inReplyTo: '0100-1@eu-central-1.amazonses.com' };
  expect(await receive(answer)).toMatchObject({ threadId });
});

test('ids that were kept without a region are named with it, and still found', async () => {
  vi.stubEnv('AWS_REGION', 'us-east-1');
  const { threadId } = await receive();
  await transact(live, operator, async (tx) => {
    tx.create(MessageIds, { messageId: 'older@amazonses.com', threadId, id: 1 });
    const thread = await getThread(tx, threadId);
    tx.update(Threads, { ...thread, references: ['older@amazonses.com', 'theirs@mail.amazonses.com.example'] });
  });
  await deliverEmail(live, await newReply(threadId));
  const [mail] = await Promise.all(ses.taken.map((raw) => PostalMime.parse(raw)));
  expect(mail?.references).toBe('<older@email.amazonses.com> <theirs@mail.amazonses.com.example>');
  const answer = { subject: 'So?', inReplyTo: 'older@email.amazonses.com' };
  expect(await receive(answer)).toMatchObject({ threadId });
});

test('no line of a mail exceeds the limit of SES with any Message-IDs', async () => {
  const { threadId } = await receive({ messageId: `${'i'.repeat(986)}@example.com` });
  await receive({ inReplyTo: `${'i'.repeat(986)}@example.com`, messageId: 'short@example.com' });
  await deliverEmail(live, await newReply(threadId));
  const [raw = ''] = ses.taken;
  expect(Math.max(...raw.split('\r\n').map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(998);
  expect(await PostalMime.parse(raw)).toMatchObject({ references: '<short@example.com>' });
});

test('a Message-ID of a stranger that is not printable ASCII gets into no header', async () => {
  const { threadId } = await receive({ messageId: 'plain@example.com' });
  await receive({ inReplyTo: 'plain@example.com', messageId: 'grüße@example.com' });
  await receive({ inReplyTo: 'plain@example.com', messageId: 'a\u202eb@example.com' });
  await deliverEmail(live, await newReply(threadId));
  const [raw = ''] = ses.taken;
  const [head = ''] = raw.split('\r\n\r\n');
  expect(head).toMatch(/^[\r\n -~]*$/);
  const { inReplyTo, references } = await PostalMime.parse(raw);
  expect([inReplyTo, references]).toEqual([undefined, '<plain@example.com>']);
});

test('an internationalized domain is sent to SES in ASCII, and its answers find the thread', async () => {
  const { threadId } = await receive({ from: 'Åsa <asa@blåbær.example>' });
  await deliverEmail(live, await newReply(threadId, { cc: ['Tom@bücher.example'], bcc: ['uma@日本.example'] }));
  expect(ses.envelopes).toEqual([
    {
      ToAddresses: ['asa@xn--blbr-roah.example'],
      CcAddresses: ['Tom@xn--bcher-kva.example'],
      BccAddresses: ['uma@xn--wgv71a.example'],
    },
  ]);
  expect(await PostalMime.parse(ses.taken[0] as string)).toMatchObject({
    to: [{ address: 'asa@xn--blbr-roah.example' }],
    cc: [{ address: 'Tom@xn--bcher-kva.example' }],
  });
  const answer = { from: 'tom@xn--bcher-kva.example', inReplyTo: `0100-${ses.ids}@eu-central-1.amazonses.com` };
  expect(await receive(answer)).toMatchObject({ threadId });
});

test('a mail of others that bears the Message-ID of ours is stored, and ours that comes back is known', async () => {
  vi.stubEnv('MAIL_FROM', 'crm@mail.example.org');
  const { threadId } = await receive();
  await deliverEmail(live, await newReply(threadId));
  const messageId = `0100-${ses.ids}@eu-central-1.amazonses.com`;
  const sent = (await workspace.live.get(`/v1/email/threads/${threadId}/messages`)).body.items[0].id;
  expect(await receive({ from: 'crm@mail.example.org', messageId })).toEqual({ threadId, messageId: sent });
  const unchecked = { authentication: { ...trusted.authentication, verdict: 'none' as const } };
  const places = [
    await receive({ from: 'eve@evil.example', messageId, text: 'From Eve' }),
    await receiveIn(workspace)({ from: 'crm@mail.example.org', messageId, text: 'Perhaps ours' }, unchecked),
  ];
  for (const place of places) {
    const { items } = (await workspace.live.get(`/v1/email/threads/${place.threadId}/messages`)).body;
    expect(items[0]).toMatchObject({ id: place.messageId, direction: 'inbound' });
  }
  expect(await receive({ from: 'eve@evil.example', messageId })).toEqual(places[0]);
});

test('a mail that arrives with our next Message-ID does not make the sender send again', async () => {
  const { threadId } = await receive();
  const id = await newReply(threadId);
  const messageId = `0100-${ses.ids + 1}@eu-central-1.amazonses.com`;
  await receive({ from: 'eve@evil.example', messageId });
  await deliverEmail(live, id);
  expect(await jobOf(id)).toMatchObject({ status: 'sent', attempts: 1 });
  expect((await workspace.live.get(`/v1/email/threads/${threadId}/messages`)).body.items[0].status).toBe('sent');
  expect(await receive({ inReplyTo: messageId, subject: 'So?' })).toMatchObject({ threadId });
});

test('a reply is refused without a sender address, and a queued one fails with the reason', async () => {
  const { threadId } = await receive();
  const id = await newReply(threadId);
  vi.stubEnv('MAIL_FROM', '');
  await expect(newReply(threadId)).rejects.toMatchObject({
    status: 409,
    code: 'conflict',
    details: { reason: 'mail_not_configured' },
  });
  const into = await receiveIn(workspace, 'test')();
  const reply = { bodyText: 'Hello', bodyHtml: null, cc: [], bcc: [], replyAll: false, runAt: null, force: false };
  const sandboxed = transact({ ...live, env: 'test' }, operator, (tx) => createReply(tx, into.threadId, reply));
  await expect(sandboxed).rejects.toMatchObject({ details: { reason: 'mail_not_configured' } });
  const mail = { ...reply, to: ['a@example.com'], subject: 'S', contactId: null };
  const written = transact(live, operator, (tx) => createMessage(tx, mail));
  await expect(written).rejects.toMatchObject({ details: { reason: 'mail_not_configured' } });
  await deliverEmail(live, id);
  expect(await jobOf(id)).toMatchObject({ status: 'failed', lastError: expect.stringContaining('no sender address') });
});

test.each([
  ['an encoded word', '=?utf-8?Q?Your=20invoice?= is due'],
  ['many of them', `${'=?utf-8?B?w5xiZXI=?= '.repeat(47)}Ω 😀`],
  ['half of one', 'a=?b'],
  ['no such thing', 'Über "uns" 😀'],
])('a subject arrives as it was written: %s', async (_, subject) => {
  const written = {
    subject,
    to: ['a@example.com'],
    cc: [],
    bcc: [],
    bodyText: 'Hello',
    bodyHtml: null,
    contactId: null,
  };
  const { id } = await transact(live, operator, (tx) =>
    createMessage(tx, { ...written, runAt: tomorrow(), force: false }),
  );
  await hurry(id);
  await deliverEmail(live, id);
  const [raw = ''] = ses.taken;
  expect((await PostalMime.parse(raw)).subject).toBe(subject);
  expect(Math.max(...raw.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(78);
});

test('recipients count against the day, copies included, and a mail has fifty of them at most', async () => {
  vi.stubEnv('QUOTA_EMAILS_PER_DAY', '60');
  const of = await newWorkspace();
  const tenant = { workspaceId: of.id, env: 'live' } as const;
  const many = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${name}${index}@example.com`);
  const { threadId } = await receiveIn(of)({ from: 'rita@example.com', cc: many('o', 15).join(', ') });
  const reply = (more: object) =>
    transact(tenant, operator, (tx) =>
      createReply(tx, threadId, {
        ...{ bodyText: 'Hello', bodyHtml: null, cc: [], bcc: [], replyAll: false, runAt: tomorrow(), force: false },
        ...more,
      }),
    );
  await expect(reply({ cc: many('c', 20), bcc: many('b', 20), replyAll: true })).rejects.toMatchObject({
    status: 400,
    details: { fields: [{ field: 'replyAll', code: 'too_many' }] },
  });
  await reply({ cc: many('c', 20), bcc: [...many('b', 20), 'RITA@example.com'] });
  await expect(reply({ cc: many('c', 19) })).rejects.toMatchObject({
    status: 429,
    details: { reason: 'daily_quota', retryAfterSeconds: expect.any(Number) },
  });
  await reply({ cc: many('c', 18) });
  await expect(reply({})).rejects.toMatchObject({ status: 429 });
  const mail = { to: ['a@example.com'], subject: 'S', bodyText: 'Hello', bodyHtml: null, cc: [], bcc: [] };
  const written = { ...mail, contactId: null, runAt: tomorrow(), force: false };
  await expect(transact(tenant, operator, (tx) => createMessage(tx, written))).rejects.toMatchObject({
    status: 429,
    details: { reason: 'daily_quota' },
  });
  expect((await of.live.get('/v1/jobs')).body.items).toHaveLength(2);
});

test('a mail that a pause has moved to another day is paid for when it leaves', async () => {
  const { threadId } = await receive();
  const id = await newReply(threadId);
  const job = () => transact(live, operator, (tx) => tx.get(Jobs, { id }));
  const move = (runAt: string) =>
    transact(live, operator, async (tx) => {
      pauseJob(tx, await tx.get(Jobs, { id }));
      resumeJob(tx, await tx.get(Jobs, { id }), runAt);
    });
  await move((await job()).runAt);
  expect((await job()).isUnpaid).toBeUndefined();
  await move(fromNow(3 * 86_400_000));
  await hurry(id);
  vi.stubEnv('QUOTA_EMAILS_PER_DAY', '1');
  await transact(live, operator, async (tx) => spend(tx, 'emails', 1)).catch(() => undefined);
  await deliverEmail(live, id);
  expect([ses.taken.length, (await job()).status]).toEqual([0, 'queued']);
  vi.stubEnv('QUOTA_EMAILS_PER_DAY', '1000');
  const before = await remaining(live, 'emails');
  await hurry(id);
  await deliverEmail(live, id);
  expect([ses.taken.length, before - (await remaining(live, 'emails'))]).toEqual([1, 1]);
});

test('a day gets back what it has paid for a mail that has surely not left, once', async () => {
  const { threadId } = await receive();
  const day = (await readJob(await newReply(threadId))).paid?.day as string;
  const used = async () =>
    (await readRow(rowKey('quota', { tenant: tenantKey(live), day, quota: 'emails' })))?.['used'] as number;
  const before = await used();
  const three = () => newReply(threadId, { cc: ['a@example.com'], bcc: ['b@example.com'] });
  const cancel = (id: number) => transact(live, operator, (tx) => cancelJob(tx, id, 'email'));

  const canceled = await three();
  expect((await used()) - before).toBe(3);
  await cancel(canceled);
  await expect(cancel(canceled)).rejects.toMatchObject({ status: 409 });
  expect((await used()) - before).toBe(0);

  const paused = await three();
  await transact(live, operator, async (tx) => {
    pauseJob(tx, await tx.get(Jobs, { id: paused }));
    resumeJob(tx, await tx.get(Jobs, { id: paused }), fromNow(3 * 86_400_000));
  });
  expect((await used()) - before).toBe(0);
  await cancel(paused);
  expect((await used()) - before).toBe(0);

  const refused = await three();
  ses.answer = () => ({ status: 400, type: 'MessageRejected' });
  await deliverEmail(live, refused);
  expect([(await jobOf(refused)).status, (await used()) - before]).toEqual(['failed', 0]);

  const unknown = await three();
  ses.answer = () => ({ status: 0 });
  await deliverEmail(live, unknown);
  await cancel(unknown);
  expect((await used()) - before).toBe(3);

  const sent = await three();
  ses.answer = () => ({ status: 200 });
  await deliverEmail(live, sent);
  expect([(await jobOf(sent)).status, (await used()) - before]).toEqual(['sent', 6]);

  await three();
  await transact(live, operator, (tx) => cancelQueuedJobs(tx, { keyId: 'test', env: 'live' }));
  // The mail of the first line is canceled, too.
  expect((await used()) - before).toBe(5);
});

test('a burst that SES throttles leaves whole, and no throttle counts as an attempt', async () => {
  vi.stubEnv('EMAILS_PER_SECOND', '100000');
  const { threadId } = await receive();
  const ids = await Promise.all(Array.from({ length: 12 }, () => newReply(threadId)));
  let calls = 0;
  ses.answer = () => {
    calls += 1;
    return calls % 4 === 0 ? { status: 200 } : { status: 429, type: 'TooManyRequestsException' };
  };
  for (let left = ids; left.length > 0; ) {
    await Promise.all(left.map((id) => deliverEmail(live, id)));
    const jobs = await Promise.all(left.map(jobOf));
    left = jobs.filter(({ status }) => status === 'queued').map(({ id }) => id);
    for (const job of jobs.filter(({ status }) => status === 'queued')) {
      expect(job).toMatchObject({ attempts: 0, lastError: null });
      expect(job.runAt > job.updatedAt).toBe(true);
    }
    await Promise.all(left.map(hurry));
  }
  expect(ses.taken).toHaveLength(12);
  for (const id of ids) expect(await jobOf(id)).toMatchObject({ status: 'sent', attempts: 1 });
});

test('a mail over the daily quota of SES shows that reason while it waits', async () => {
  const { threadId } = await receive();
  const id = await newReply(threadId);
  const message = 'Daily message quota exceeded.';
  ses.answer = () => ({ status: 429, type: 'TooManyRequestsException', message });
  await deliverEmail(live, id);
  expect(await jobOf(id)).toMatchObject({ status: 'queued', attempts: 0, lastError: message });
  ses.answer = () => ({ status: 200 });
  await hurry(id);
  await deliverEmail(live, id);
  expect(await jobOf(id)).toMatchObject({ status: 'sent', lastError: null });
});

test('a mail without an answer from SES leaves once more, and one that SES refused is retried', async () => {
  const { threadId } = await receive();
  const lost = await newReply(threadId);
  ses.answer = () => ({ status: 0 });
  let calls = 0;
  for (; (await jobOf(lost)).status === 'queued' && calls < 9; calls += 1) {
    await hurry(lost);
    await deliverEmail(live, lost);
  }
  expect(await jobOf(lost)).toMatchObject({
    status: 'failed',
    attempts: 2,
    lastError: expect.stringContaining('may or may not have been delivered'),
  });
  const busy = await newReply(threadId);
  ses.answer = () => ({ status: 500, type: 'InternalServiceError' });
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    await hurry(busy);
    await deliverEmail(live, busy);
    expect(await jobOf(busy)).toMatchObject({ attempts: attempt, status: attempt < 5 ? 'queued' : 'failed' });
  }
});

test.each<[type: string, status: number, message?: string]>([
  ['AccessDeniedException', 403],
  ['SendingPausedException', 400],
  ['AccountSuspendedException', 400],
  ['MailFromDomainNotVerifiedException', 400],
  ['NotFoundException', 404],
  ['MessageRejected', 400, 'Email address is not verified. The following identities failed the check: crm@example.com'],
])(
  'a mail that SES refuses for %s of ours waits, and leaves once when that is fixed',
  async (type, status, message = type) => {
    const { threadId } = await receive();
    const id = await newReply(threadId);
    ses.answer = () => ({ status, type, message });
    await deliverEmail(live, id);
    expect(await jobOf(id)).toMatchObject({ status: 'queued', attempts: 0, lastError: message });
    ses.answer = () => ({ status: 200 });
    await hurry(id);
    await deliverEmail(live, id);
    expect(await jobOf(id)).toMatchObject({ status: 'sent', attempts: 1, lastError: null });
    expect(ses.taken).toHaveLength(1);
  },
);

test('a mail that cannot be prepared stays queued, and leaves when it can be', async () => {
  const { threadId } = await receive();
  const id = await newReply(threadId);
  // Beginning with what pays for the mail, which a pause has moved to another day.
  const job = await transact(live, operator, async (tx) =>
    tx.update(Jobs, { ...(await tx.get(Jobs, { id })), isUnpaid: true }),
  );
  const asked = [
    ['Update', /#quota"/],
    ['Get', /#email-thread"/],
    ['Query', new RegExp(`job=${job.id}"`)],
    ['Get', /#email-thread"/],
  ] as const;
  for (const [index, [command, row]] of asked.entries()) {
    await unreachable(new RegExp(`^${command}`), row, () => deliverEmail(live, id));
    expect(await jobOf(id)).toMatchObject({
      status: 'queued',
      attempts: index + 1,
      lastError: 'the mail could not be prepared (TimeoutError)',
    });
    await hurry(id);
  }
  expect(ses.taken).toEqual([]);
  await deliverEmail(live, id);
  expect(await jobOf(id)).toMatchObject({ status: 'sent', attempts: 5, lastError: null });
  expect(ses.taken).toHaveLength(1);
});

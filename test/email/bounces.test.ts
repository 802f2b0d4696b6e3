import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test, vi } from 'vitest';
import { handler } from '#functions/workers/receive-mail-notices.ts';
import { commands } from '#infra/admin/commands/email.ts';
import { fromNow, now } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { createMessage } from '#lib/email/compose.ts';
import { EmailMessages } from '#lib/entities/email-message.ts';
import { Jobs } from '#lib/entities/job.ts';
import { claimJob } from '#lib/messages/jobs/queue.ts';
import { firstIndexed } from '#lib/table/entries.ts';
import { transact } from '#lib/table/transact.ts';
import { deliverEmail } from '#lib/transport/sending/mail.ts';
import { eventually } from '#test/client.ts';
import { dyingAfter } from '#test/crash.ts';
import { sentWith } from '#test/email/outbox.ts';
import { receiveIn } from '#test/email/raw.ts';
import { eventsAbout } from '#test/feed.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let live: Tenant;
beforeAll(async () => {
  workspace = await newWorkspace();
  live = { workspaceId: workspace.id, env: 'live' };
});

const path = '/v1/email/messages';
type Written = Partial<Parameters<typeof createMessage>[1]>;

const write = async (more: Written) =>
  (await workspace.live.post(path, { to: ['a@example.com'], subject: 'S', bodyText: 'Hello', ...more }, 202)).body;
const jobOf = async (id: number) => (await workspace.live.get(`/v1/jobs/${id}`)).body;
const mailIn = async (threadId: number) =>
  (await workspace.live.get(`/v1/email/threads/${threadId}/messages`)).body.items[0];
const sent = async (more: Written) => {
  const { id, threadId } = await write(more);
  const message = await eventually(async () => {
    const mail = await mailIn(threadId);
    return mail.status !== 'queued' && mail;
  }, 'a mail that is sent');
  return { id, threadId, message };
};
const eventsOf = async (threadId: number, count: number) =>
  (await eventsAbout(workspace.id, `email-thread/${threadId}`, count)).map(({ event, data }) => ({ event, data }));

/** What SES says of the mail of a job, as the queue hands it out. */
const noticeOf = (jobId: number, detail: object, sesId = 'ses-1') => ({
  source: 'aws.ses',
  'detail-type': 'Email Bounced',
  detail: {
    mail: {
      messageId: sesId,
      tags: { workspace: [String(workspace.id)], environment: ['live'], job: [String(jobId)] },
    },
    ...detail,
  },
});
const bounceOf = (recipients: object[], bounceType = 'Permanent') => ({
  eventType: 'Bounce',
  bounce: { bounceType, bounceSubType: 'General', bouncedRecipients: recipients },
});
const bounced = (emailAddress: string, diagnosticCode?: string) => ({ emailAddress, diagnosticCode });
const complaintOf = (emailAddress: string) => ({
  eventType: 'Complaint',
  complaint: { complainedRecipients: [{ emailAddress }] },
});
const receive = (...events: object[]) =>
  handler({
    Records: events.map((event, index) => ({ messageId: `m${index}`, body: JSON.stringify(event) }) as never),
  });
const done = { batchItemFailures: [] };

test('a mail in which SES finds malware fails with its job, and its addresses are written to as before', async () => {
  const address = `fine-${randomUUID()}@example.com`;
  const { id, threadId } = await write({ to: [address] });
  await eventually(async () => (await jobOf(id)).status === 'sent', 'the mail');
  const said = noticeOf(id, { eventType: 'Reject', reject: { reason: 'Bad content' } });
  const detail = { ...said.detail, mail: { ...said.detail.mail, destination: [address] } };
  expect(await receive({ ...said, detail })).toEqual(done);
  const lastError = 'bounced: SES rejected the mail: Bad content';
  expect(await jobOf(id)).toMatchObject({ status: 'failed', lastError });
  expect(await eventsOf(threadId, 1)).toMatchObject([
    { event: 'email.bounced', data: { recipient: address, reason: 'SES rejected the mail: Bad content' } },
  ]);
  await write({ to: [address] });
});

test('a mail that SES bounces fails with its job, and its address needs force afterwards', async () => {
  const address = 'bounce@simulator.amazonses.com';
  const { body: contact } = await workspace.live.post('/v1/contacts', { name: 'Gone', email: address });
  const { id, threadId } = await write({ to: [address] });
  const job = await eventually(async () => {
    const found = await jobOf(id);
    return found.status === 'failed' && found;
  }, 'a mail that has bounced');
  expect(job).toMatchObject({ lastError: 'bounced: smtp; 550 5.1.1 user unknown', attempts: 1 });
  const message = await mailIn(threadId);
  expect(message).toMatchObject({ status: 'failed' });
  const { items } = (await workspace.live.get(`/v1/contacts/${contact.id}/messages`)).body;
  expect(items).toMatchObject([{ channel: 'email', status: 'failed' }]);
  expect(await eventsOf(threadId, 1)).toEqual([
    {
      event: 'email.bounced',
      data: {
        thread_id: String(threadId),
        message_id: String(message.id),
        recipient: address,
        bounce_type: 'permanent',
        reason: 'smtp; 550 5.1.1 user unknown',
      },
    },
  ]);
  // SES has taken it, whichever came first.
  expect(await eventsAbout(workspace.id, `job/${id}`, 2)).toMatchObject([
    { event: 'job.completed', data: { status: 'sent', error: null } },
    { event: 'job.completed', data: { status: 'failed', error: 'bounced: smtp; 550 5.1.1 user unknown' } },
  ]);

  const refused = {
    status: 409,
    body: {
      error: 'conflict',
      details: { reason: 'recipient_bounced', recipients: ['BOUNCE@simulator.amazonses.com'] },
    },
  };
  const again = { to: ['b@example.com'], bcc: ['BOUNCE@simulator.amazonses.com'], subject: 'S', bodyText: 'Hello' };
  expect(await workspace.live.post(path, again)).toMatchObject(refused);
  expect(await workspace.live.post(path, { ...again, force: true })).toMatchObject({ status: 202 });
  expect(await workspace.test.post(path, again)).toMatchObject({ status: 202 });
  const { threadId: theirs } = await receiveIn(workspace)({ from: 'BOUNCE@simulator.amazonses.com' });
  const replies = `/v1/email/threads/${theirs}/replies`;
  expect(await workspace.live.post(replies, { bodyText: 'Hi' })).toMatchObject(refused);
  expect(await workspace.live.post(replies, { bodyText: 'Hi', force: true })).toMatchObject({ status: 202 });
});

test('a complaint emits its event, and fails nothing', async () => {
  const address = 'complaint@simulator.amazonses.com';
  const { id, threadId, message } = await sent({ to: [address] });
  expect(await eventsOf(threadId, 1)).toEqual([
    {
      event: 'email.complained',
      data: { thread_id: String(threadId), message_id: String(message.id), recipient: address },
    },
  ]);
  expect([(await jobOf(id)).status, (await mailIn(threadId)).status]).toEqual(['sent', 'sent']);
  await workspace.live.post(path, { to: [address], subject: 'S', bodyText: 'B' }, 202);
});

test('a transient bounce fails nothing, and the same notice twice, beside itself too, changes nothing', async () => {
  const { id, threadId } = await sent({ to: ['busy@example.com', 'gone@example.com'], cc: ['lost@example.com'] });
  const busy = noticeOf(id, bounceOf([bounced('"Busy" <busy@example.com>')], 'Transient'));
  expect(await receive(busy, busy)).toEqual(done);
  expect(await receive(busy)).toEqual(done);
  expect(await jobOf(id)).toMatchObject({ status: 'sent', lastError: null });
  const gone = noticeOf(id, bounceOf([bounced('GONE@example.com', 'smtp; 550\r\nno'), bounced('lost@example.com')]));
  expect(await receive(gone)).toEqual(done);
  expect(await receive(gone, noticeOf(id, complaintOf('busy@example.com')))).toEqual(done);
  // The first that bounced says why.
  expect(await jobOf(id)).toMatchObject({ status: 'failed', lastError: 'bounced: smtp; 550 no' });
  const events = await eventsOf(threadId, 4);
  expect(events.map(({ event, data }) => [event, data['recipient'], data['bounce_type'], data['reason']])).toEqual([
    ['email.bounced', 'busy@example.com', 'transient', 'General'],
    ['email.bounced', 'GONE@example.com', 'permanent', 'smtp; 550 no'],
    ['email.bounced', 'lost@example.com', 'permanent', 'General'],
    ['email.complained', 'busy@example.com', undefined, undefined],
  ]);
});

test('addresses that the mail did not go to are ignored in any number', async () => {
  const { id, threadId } = await sent({ to: ['forwards@example.com'], cc: ['gone@outsider.example'] });
  const strangers = Array.from({ length: 300 }, (_, index) => bounced(`x${index}@stranger.example`));
  const info = vi.spyOn(log(), 'info').mockImplementation(() => {});
  expect(await receive(noticeOf(id, bounceOf([bounced('victim@example.com'), ...strangers])))).toEqual(done);
  expect(info.mock.calls).toEqual([[expect.any(String), { ...live, jobId: id, passedOver: 301 }]]);
  expect(await jobOf(id)).toMatchObject({ status: 'sent', lastError: null });
  const twice = [
    bounced('gone@outsider.example', '550 no'),
    ...strangers,
    bounced('GONE@outsider.example', '550 never'),
  ];
  expect(await receive(noticeOf(id, bounceOf(twice)))).toEqual(done);
  info.mockRestore();
  expect(await jobOf(id)).toMatchObject({ status: 'failed', lastError: 'bounced: 550 no' });
  expect((await eventsOf(threadId, 1)).map(({ data }) => data['recipient'])).toEqual(['gone@outsider.example']);
  for (const to of ['victim@example.com', 'forwards@example.com'])
    await workspace.live.post(path, { to: [to], subject: 'S', bodyText: 'B' }, 202);
});

test('a notice of a missing mail is logged and done, and an unreadable one stays in its queue', async () => {
  const { id } = await sent({});
  const info = vi.spyOn(log(), 'info').mockImplementation(() => {});
  const good = noticeOf(id, complaintOf('a@example.com'));
  const foreign = { ...good, detail: { ...good.detail, mail: { messageId: 'x', tags: {} } } };
  const erased = noticeOf(999_999, bounceOf([bounced('a@example.com'), bounced('b@example.com')]));
  expect(await receive(erased, good, foreign)).toEqual({ batchItemFailures: [{ itemIdentifier: 'm2' }] });
  expect(info.mock.calls).toEqual([[expect.any(String), { ...live, jobId: 999_999, notices: 2 }]]);
  info.mockRestore();
});

/** A mail that this process alone may send: its timer is of tomorrow. */
async function unsent(to: string, cc: string[] = []) {
  const runAt = fromNow(86_400_000);
  const mail = { to: [to], subject: 'S', bodyText: 'Hello', bodyHtml: null, cc, bcc: [], contactId: null };
  const written = await transact(live, operator, (tx) => createMessage(tx, { ...mail, runAt, force: false }));
  await transact(live, operator, async (tx) => {
    tx.update(Jobs, { ...(await tx.get(Jobs, { id: written.id })), queuedFor: tx.now });
  });
  return { id: written.id as number, threadId: written.threadId };
}

test('a bounce before the sender’s own record fails the mail, which is not sent again', async () => {
  const { id, threadId } = await unsent('early@example.com');
  const claimed = await claimJob(live, id, now() + 60_000);
  expect(claimed?.id).toBe(id);
  expect(await receive(noticeOf(id, bounceOf([bounced('early@example.com', '550 no')]), 'ses-early'))).toEqual(done);
  await deliverEmail(live, id);
  expect(await sentWith('early@example.com')).toEqual([]);
  expect(await jobOf(id)).toMatchObject({ status: 'failed', lastError: 'bounced: 550 no', attempts: 1 });
  expect((await eventsOf(threadId, 1)).map(({ event }) => event)).toEqual(['email.bounced']);
  // What is answered to it finds its thread, as if its sender had written down the Message-ID.
  const inReplyTo = 'ses-early@email.amazonses.com';
  expect(await receiveIn(workspace)({ from: 'early@example.com', inReplyTo })).toMatchObject({ threadId });
});

test('a bounce is recorded whole or not at all when its process dies, and counts once when retried', async () => {
  for (let allowed = 0; ; allowed += 1) {
    const to = `dying${allowed}@example.com`;
    const { id, threadId } = await unsent(to, [`${to}.also`]);
    await claimJob(live, id, now() + 60_000);
    const notice = noticeOf(id, bounceOf([bounced(to), bounced(`${to}.also`)]), `ses-dying-${allowed}`);
    const survived = await dyingAfter(allowed, () => receive(notice));
    const half = await jobOf(id);
    const isMarked = (await workspace.live.post(path, { to: [to], subject: 'S', bodyText: 'B' })).status === 409;
    expect([half.status === 'failed', (await mailIn(threadId)).status]).toEqual([isMarked, half.status]);
    expect(await receive(notice)).toEqual(done);
    expect(await jobOf(id)).toMatchObject({ status: 'failed', lastError: 'bounced: General' });
    expect(await mailIn(threadId)).toMatchObject({ status: 'failed' });
    const events = await eventsOf(threadId, 2);
    expect(events.map(({ data }) => data['recipient'])).toEqual([to, `${to}.also`]);
    const completed = await eventsAbout(workspace.id, `job/${id}`, 2);
    expect(completed.map(({ data }) => data.status)).toEqual(['sent', 'failed']);
    if (survived) {
      // The settlement, and a notice of each recipient.
      expect(allowed).toBeGreaterThanOrEqual(3);
      return;
    }
  }
});

test('an operator reports what SES would', async () => {
  const { id, threadId, message } = await sent({ to: ['local@example.com'], cc: ['copy@example.com'] });
  const place = { workspaceId: workspace.id, env: 'live' } as const;
  const bounce = (type: 'permanent' | 'transient' | 'complaint', recipient: string, messageId = message.id) =>
    commands.bounce.run({ ...place, messageId, recipient, type, reason: 'no such user' });
  const known = { threadId, messageId: message.id };
  expect(await bounce('transient', 'copy@example.com')).toEqual({ ...known, isKnown: false });
  expect(await bounce('complaint', 'copy@example.com')).toEqual({ ...known, isKnown: false });
  expect(await jobOf(id)).toMatchObject({ status: 'sent' });
  expect(await bounce('permanent', 'LOCAL@example.com')).toEqual({ ...known, isKnown: false });
  expect(await bounce('permanent', 'local@example.com')).toEqual({ ...known, isKnown: true });
  expect(await jobOf(id)).toMatchObject({ status: 'failed', lastError: 'bounced: no such user' });
  expect((await eventsOf(threadId, 3)).map(({ event }) => event)).toEqual([
    'email.bounced',
    'email.complained',
    'email.bounced',
  ]);
  await expect(bounce('permanent', 'nobody@example.com')).rejects.toMatchObject({ status: 400 });
  await expect(bounce('permanent', 'local@example.com', 999_999)).rejects.toMatchObject({ status: 404 });
  const received = await receiveIn(workspace)();
  await expect(bounce('permanent', 'sales@acme.example', received.messageId)).rejects.toMatchObject({ status: 404 });
  const waiting = await unsent('waiting@example.com');
  const mail = await transact(live, operator, (tx) => firstIndexed(tx, EmailMessages, { job: waiting.id }));
  await expect(bounce('permanent', 'waiting@example.com', mail?.id)).rejects.toThrow('still being sent');
});

import * as v from 'valibot';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { dayMs, fromNow, minuteMs, nextDay, secondMs, shifted } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { operator } from '#lib/core/tenant.ts';
import { queueOutreach } from '#lib/email/outreach.ts';
import { suppress } from '#lib/email/suppressed.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { Enrollments, type StoredEnrollment } from '#lib/entities/enrollment.ts';
import { Jobs, type StoredJob } from '#lib/entities/job.ts';
import { CreateSequence, Sequences } from '#lib/entities/sequence.ts';
import { createAccount } from '#lib/messages/accounts/store.ts';
import { pauseJob } from '#lib/messages/jobs/store.ts';
import { endingDuplicates } from '#lib/sequences/duplicates.ts';
import { enroll } from '#lib/sequences/enroll.ts';
import { resumeSequence } from '#lib/sequences/pause.ts';
import { stepCompleted } from '#lib/sequences/progress.ts';
import { contactReplied } from '#lib/sequences/reply.ts';
import { runningEnrollments } from '#lib/sequences/running.ts';
import { createSequence } from '#lib/sequences/store.ts';
import { take } from '#lib/table/quota.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { receiveMessage } from '#lib/transport/receiving/message.ts';
import { between } from '#test/between.ts';
import { type Client, eventually, everyItem } from '#test/client.ts';
import { sentWith } from '#test/email/outbox.ts';
import { receiveIn } from '#test/email/raw.ts';
import { advance, settle } from '#test/harness.ts';
import { rowsRead } from '#test/rows.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
afterEach(() => vi.unstubAllEnvs());
let client: Client;
let accountId: number;

const inSandbox = <Result>(work: (tx: UnitOfWork) => Promise<Result>) =>
  transact({ workspaceId: workspace.id, env: 'test' }, operator, work);

beforeAll(async () => {
  workspace = await newWorkspace();
  client = workspace.test;
  const account = {
    channel: 'telegram',
    kind: 'bot',
    name: 'Bot',
    username: null,
    dailyLimit: 1000,
    secret: '1:a',
  } as const;
  accountId = (await inSandbox((tx) => createAccount(tx, account))).id;
});

async function newSequence(delaysMinutes: number[], options: Partial<v.InferOutput<typeof CreateSequence>> = {}) {
  const steps = delaysMinutes.map((delayMinutes, index) => ({
    delayMinutes,
    ...(options.channel === 'email' && { subject: `Subject ${index + 1}` }),
    text: `Step ${index + 1}`,
  }));
  const input = { name: 'Spring', channel: 'telegram', accountId, status: 'active', steps, ...options } as const;
  return (await inSandbox((tx) => createSequence(tx, input))).id;
}

let people = 0;
async function newContact() {
  people += 1;
  const { body } = await client.post('/v1/contacts', { name: `Person ${people}`, username: `person_${people}` });
  return body as { id: number; name: string; username: string };
}

const enrolled = (sequenceId: number, contactId: number) => inSandbox((tx) => enroll(tx, sequenceId, contactId));

async function enrollmentIs(sequenceId: number, status: string) {
  return eventually(async () => {
    const { body } = await client.get(`/v1/sequences/${sequenceId}/enrollments`);
    return body.items[0].status === status && body.items[0];
  }, `an enrollment that is ${status}`);
}

test('every step is sent, then the enrollment and the sequence are completed', async () => {
  const id = await newSequence([0, 0]);
  const contact = await newContact();
  const { id: enrollmentId } = await enrolled(id, contact.id);
  expect(await enrollmentIs(id, 'completed')).toEqual({
    id: enrollmentId,
    sequenceId: id,
    contactId: contact.id,
    contactName: contact.name,
    status: 'completed',
    currentStep: 2,
    nextRunAt: null,
    lastError: null,
    enrolledAt: expect.any(String),
    completedAt: expect.any(String),
  });
  const { body: sequence } = await client.get(`/v1/sequences/${id}`);
  expect(sequence).toEqual({
    id,
    name: 'Spring',
    channel: 'telegram',
    accountId,
    status: 'completed',
    stepCount: 2,
    enrolledCount: 1,
    activeCount: 0,
    completedCount: 1,
    repliedCount: 0,
    failedCount: 0,
    startedAt: expect.any(String),
    pausedAt: null,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    steps: [
      { id: 1, position: 1, delayMinutes: 0, subject: null, text: 'Step 1' },
      { id: 2, position: 2, delayMinutes: 0, subject: null, text: 'Step 2' },
    ],
  });
  const jobs = await everyItem(client, '/v1/jobs', { sequenceId: id });
  expect(jobs.map(({ status, source, textPreview }) => [status, source, textPreview])).toEqual([
    ['sent', 'sequence', 'Step 2'],
    ['sent', 'sequence', 'Step 1'],
  ]);
});

test('a reply on any channel ends the enrollment', async () => {
  const id = await newSequence([0, 60]);
  const contact = await newContact();
  await enrolled(id, contact.id);
  await eventually(async () => {
    const { body } = await client.get(`/v1/sequences/${id}/enrollments`);
    return body.items[0].currentStep === 1 && body.items[0].nextRunAt !== null;
  }, 'the first step to be sent');
  await inSandbox((tx) =>
    receiveMessage(tx, {
      channel: 'telegram',
      accountId,
      from: { username: contact.username },
      body: 'Yes!',
      threadId: null,
    }),
  );
  expect(await enrollmentIs(id, 'replied')).toMatchObject({ nextRunAt: null, completedAt: expect.any(String) });
  expect((await client.get(`/v1/sequences/${id}`)).body).toMatchObject({ activeCount: 0, repliedCount: 1 });
});

const inbound = async (contactId: number) =>
  (await everyItem(client, `/v1/contacts/${contactId}/messages`)).filter(({ direction }) => direction === 'inbound');
const waitsForItsSecondStep = (id: number, contactId: number) =>
  eventually(async () => {
    const [enrollment] = (await client.get(`/v1/sequences/${id}/enrollments`, { contactId })).body.items;
    return enrollment.currentStep === 1 && enrollment.nextRunAt !== null;
  }, 'the first step to be sent');
const statuses = async (id: number) =>
  (await everyItem(client, `/v1/sequences/${id}/enrollments`)).map(({ status }) => status);

test('a reply counts for the contact of its thread, and stops the sequences of namesakes', async () => {
  const named = (name: string) => client.post('/v1/contacts', { name, email: 'max@namesakes.example' });
  const [{ body: oldest }, { body: asked }, { body: youngest }] = [
    await named('A'),
    await named('B'),
    await named('C'),
  ];
  const id = await newSequence([0, 60], { channel: 'email', accountId: null, name: 'Namesakes' });
  await enrolled(id, asked.id);
  await waitsForItsSecondStep(id, asked.id);
  const other = await newSequence([60]);
  for (const contact of [oldest, youngest]) await enrolled(other, contact.id);
  const [thread] = (await client.get('/v1/email/threads', { contactId: asked.id })).body.items;
  const reply = await receiveIn(workspace, 'test')({ from: 'MAX@namesakes.example', subject: 'Re: Subject 1' });
  expect(reply.threadId).toBe(thread.id);
  expect((await inbound(asked.id)).map(({ threadId }) => threadId)).toEqual([String(thread.id)]);
  expect([...(await inbound(oldest.id)), ...(await inbound(youngest.id))]).toEqual([]);
  expect(await statuses(id)).toEqual(['replied']);
  await eventually(async () => (await statuses(other)).every((status) => status === 'replied'), 'the others to stop');
});

test.each([false, true])(
  'every heir of an address has replied when it writes (held by a contact: %s)',
  async (isHeld) => {
    const address = `merged-${isHeld}@namesakes.example`;
    const named = async (email: string) => (await client.post('/v1/contacts', { name: 'A', email })).body.id;
    const kept = [await named(`one-${isHeld}@kept.example`), await named(`two-${isHeld}@kept.example`)];
    for (const id of kept)
      await client.post(`/v1/contacts/${id}/merge`, { sourceContactId: await named(address.toUpperCase()) });
    if (isHeld) await named(address);
    const id = await newSequence([60]);
    for (const contactId of kept) await enrolled(id, contactId);
    await receiveIn(workspace, 'test')({ from: address, subject: 'A question' });
    await eventually(async () => (await statuses(id)).every((status) => status === 'replied'), 'both to stop');
  },
);

test('a reply of merged duplicates starts no search for other contacts', async () => {
  const email = 'twice@namesakes.example';
  const duplicates = [1, 2, 3].map(async () => (await client.post('/v1/contacts', { name: 'Ann', email })).body.id);
  const [one, ...others] = await Promise.all(duplicates);
  for (const sourceContactId of others) await client.post(`/v1/contacts/${one}/merge`, { sourceContactId });
  const isLookedFor = async () => {
    const writes: string[] = [];
    await between(
      ({ input }, next) => {
        writes.push(JSON.stringify(input));
        return next();
      },
      () => inSandbox((tx) => contactReplied(tx, one, { email })),
    );
    return writes.some((write) => /"replied"/.test(write));
  };
  expect(await isLookedFor()).toBe(false);
  const { body: other } = await client.post('/v1/contacts', { name: 'Bob', email: 'bob@kept.example' });
  const { body: source } = await client.post('/v1/contacts', { name: 'Ann', email });
  await client.post(`/v1/contacts/${other.id}/merge`, { sourceContactId: source.id });
  expect(await isLookedFor()).toBe(true);
});

test('two contacts of one sequence continue it once after a merge, at the later step', async () => {
  const id = await newSequence([60, 60]);
  const other = await newSequence([60]);
  const [target, source] = [await newContact(), await newContact()];
  for (const each of [target, source]) await enrolled(id, each.id);
  await enrolled(other, source.id);
  const further = await inSandbox(async (tx) => {
    const running = await runningEnrollments(tx, source.id);
    const enrollment = running.find(({ sequenceId }) => sequenceId === id) as StoredEnrollment;
    return tx.update(Enrollments, { ...enrollment, currentStep: 1 });
  });
  const merge = await client.post(`/v1/contacts/${target.id}/merge`, { sourceContactId: source.id });
  expect(merge.status).toBe(200);
  await eventually(async () => (await client.get(`/v1/sequences/${id}`)).body.activeCount === 1, 'one of them to end');
  const { items } = (await client.get(`/v1/sequences/${id}/enrollments`)).body;
  expect(items.map((one: StoredEnrollment) => [one.id === further.id, one.contactId, one.status])).toEqual([
    [true, target.id, 'active'],
    [false, target.id, 'stopped'],
  ]);
  expect(await statuses(other)).toEqual(['active']);
});

test('a merge keeps the enrollment with a sent step, although the other one began first', async () => {
  const id = await newSequence([60, 60]);
  const [target, source] = [await newContact(), await newContact()];
  for (const each of [target, source]) await enrolled(id, each.id);
  const message = { accountId, contactId: target.id, text: 'Step one', runAt: fromNow(dayMs) };
  const { body: job } = await client.post('/v1/telegram/messages', message);
  const [waiting, reached] = await inSandbox(async (tx) => {
    const own = async (contactId: number) => (await runningEnrollments(tx, contactId))[0] as StoredEnrollment;
    return [
      tx.update(Enrollments, { ...(await own(target.id)), currentStep: 1, jobId: job.id, nextRunAt: null }),
      tx.update(Enrollments, { ...(await own(source.id)), currentStep: 1 }),
    ] as const;
  });
  await client.post(`/v1/contacts/${target.id}/merge`, { sourceContactId: source.id });
  await eventually(async () => (await client.get(`/v1/sequences/${id}`)).body.activeCount === 1, 'one of them to end');
  const { items } = (await client.get(`/v1/sequences/${id}/enrollments`)).body;
  const statusOf = Object.fromEntries(items.map((one: StoredEnrollment) => [one.id, one.status]));
  expect(statusOf).toEqual({ [reached.id]: 'active', [waiting.id]: 'stopped' });
  expect((await client.get(`/v1/jobs/${job.id}`)).body).toMatchObject({ status: 'failed', lastError: 'canceled' });
});

test('after what was noted it is looked whether somebody is in more sequences twice', async () => {
  const { id: contactId } = await newContact();
  const step = (left: [] | null) => inSandbox((tx) => endingDuplicates.step(tx, { contactId, left }, 'saga'));
  expect(await step([])).toEqual({ contactId, left: null });
  expect(await step(null)).toBeUndefined();
});

test('a reply counts for the namesake to whom the account has written', async () => {
  const named = (name: string) => client.post('/v1/contacts', { name, username: 'bobby_twice' });
  const [{ body: oldest }, { body: asked }, { body: youngest }] = [
    await named('A'),
    await named('B'),
    await named('C'),
  ];
  const id = await newSequence([0, 60]);
  await enrolled(id, asked.id);
  await waitsForItsSecondStep(id, asked.id);
  const other = await newSequence([60]);
  for (const contact of [oldest, youngest]) await enrolled(other, contact.id);
  const from = { telegramUserId: 7_200_001, username: 'Bobby_Twice' };
  const got = await inSandbox((tx) =>
    receiveMessage(tx, { channel: 'telegram', accountId, from, body: 'Stop', threadId: null }),
  );
  expect(got.contactId).toBe(asked.id);
  expect(await statuses(id)).toEqual(['replied']);
  await eventually(async () => (await statuses(other)).every((status) => status === 'replied'), 'the others to stop');
});

test('an address from which a mail has bounced for good gets no step', async () => {
  const id = await newSequence([0], { channel: 'email', accountId: null, name: 'Gone' });
  const { body: contact } = await client.post('/v1/contacts', { name: 'Gone', email: 'Gone@example.com' });
  await inSandbox((tx) => suppress(tx, 'gone@EXAMPLE.com', 'bounce'));
  await enrolled(id, contact.id);
  const failed = { currentStep: 0, lastError: 'mail to the contact has bounced for good' };
  expect(await enrollmentIs(id, 'failed')).toMatchObject(failed);
  expect(await everyItem(client, '/v1/jobs', { sequenceId: id })).toEqual([]);
});

test('a rejected message fails the enrollment', async () => {
  const id = await newSequence([0]);
  const { body: contact } = await client.post('/v1/contacts', { username: 'test_fail' });
  await enrolled(id, contact.id);
  expect(await enrollmentIs(id, 'failed')).toMatchObject({ lastError: 'recipient rejected' });
});

test('an e-mail sequence writes one thread', async () => {
  const id = await newSequence([0, 0], { channel: 'email', accountId: null, name: 'News' });
  const { body: contact } = await client.post('/v1/contacts', { name: 'Eva', email: 'eva@example.com' });
  await enrolled(id, contact.id);
  await enrollmentIs(id, 'completed');
  const { body: threads } = await client.get('/v1/email/threads', { contactId: contact.id });
  expect(threads.items).toHaveLength(1);
  const messages = await everyItem(client, `/v1/email/threads/${threads.items[0].id}/messages`);
  expect(messages.map(({ status, subject }) => [status, subject])).toEqual([
    ['sent', 'Subject 2'],
    ['sent', 'Subject 1'],
  ]);
});

test('a pause holds and a resume shifts by the time held', async () => {
  const id = await newSequence([30]);
  const before = await enrolled(id, (await newContact()).id);
  expect(await client.post(`/v1/sequences/${id}/resume`)).toMatchObject({
    status: 409,
    body: { error: 'conflict', details: { reason: 'sequence_not_paused' } },
  });
  const paused = await client.post(`/v1/sequences/${id}/pause`);
  expect(paused).toMatchObject({ status: 200, body: { id, status: 'paused', pausedAt: expect.any(String) } });
  expect(paused.body).not.toHaveProperty('steps');
  expect(await client.post(`/v1/sequences/${id}/pause`)).toMatchObject({
    status: 409,
    body: { details: { reason: 'sequence_not_active' } },
  });
  await advance(2 * secondMs);
  const resumed = await client.post(`/v1/sequences/${id}/resume`);
  expect(resumed).toMatchObject({ status: 200, body: { status: 'active', pausedAt: null } });
  const { body } = await client.get(`/v1/sequences/${id}/enrollments`);
  const heldMs = new Date(resumed.body.updatedAt).getTime() - new Date(paused.body.pausedAt).getTime();
  expect(heldMs).toBeGreaterThan(0);
  expect(new Date(body.items[0].nextRunAt).getTime() - new Date(before.nextRunAt as string).getTime()).toBe(heldMs);
});

test('a step that was sent while its sequence was paused is held with it', async () => {
  const id = await newSequence([600, 600]);
  const { id: enrollmentId } = await enrolled(id, (await newContact()).id);
  const place = { sequenceId: id, id: enrollmentId };
  const job = { id: 4242, sequenceId: id, enrollmentId, status: 'sent' } as StoredJob;
  await inSandbox(async (tx) => {
    const enrollment = await tx.get(Enrollments, place);
    tx.update(Enrollments, { ...enrollment, jobId: job.id, nextRunAt: null, currentStep: 1 });
  });
  let isFirst = true;
  await inSandbox(async (tx) => {
    expect((await tx.get(Sequences, { id })).status).toBe(isFirst ? 'active' : 'paused');
    if (isFirst) await client.post(`/v1/sequences/${id}/pause`);
    isFirst = false;
    await stepCompleted(tx, job);
  });
  const enrollment = await inSandbox((tx) => tx.get(Enrollments, place));
  expect(enrollment).toMatchObject({ jobId: null, nextRunAt: expect.any(String), heldAt: expect.any(String) });
});

test('a sequence paused among fifteen messages sends each once after the resume', async () => {
  const id = await newSequence([0], { status: 'paused' });
  const contacts = await Promise.all(Array.from({ length: 15 }, newContact));
  for (const contact of contacts) await enrolled(id, contact.id);
  const sequence = async () => (await client.get(`/v1/sequences/${id}`)).body;
  const jobs = (query = {}) => everyItem(client, '/v1/jobs', { sequenceId: id, ...query });
  expect(await sequence()).toMatchObject({ status: 'paused', enrolledCount: 15, activeCount: 15 });
  expect(await jobs()).toEqual([]);
  await client.post(`/v1/sequences/${id}/resume`);
  const sending = settle();
  const isSome = async () => expect((await jobs({ status: 'sent' })).length).toBeGreaterThan(0);
  await vi.waitFor(isSome, { timeout: 10_000, interval: 5 });
  await client.post(`/v1/sequences/${id}/pause`, undefined, 200);
  // What a sender had in hand when the sequence was paused still leaves.
  await sending;
  const held = { ...(await sequence()), sent: (await jobs({ status: 'sent' })).length };
  expect(held.sent).toBeLessThan(15);
  await advance(minuteMs);
  expect({ ...(await sequence()), sent: (await jobs({ status: 'sent' })).length }).toEqual(held);
  await client.post(`/v1/sequences/${id}/resume`);
  await eventually(async () => (await sequence()).activeCount === 0, 'all to be sent', 60_000);
  expect(await sequence()).toMatchObject({ enrolledCount: 15, activeCount: 0, completedCount: 15, failedCount: 0 });
  const sent = await jobs({ status: 'sent' });
  expect(sent.map(({ contactId }) => contactId).sort()).toEqual(contacts.map((contact) => contact.id).sort());
});

test('an enrollment shows the present name of its contact and follows it through a merge', async () => {
  const id = await newSequence([60]);
  const [source, target] = [await newContact(), await newContact()];
  await enrolled(id, source.id);
  const enrollment = async () => (await client.get(`/v1/sequences/${id}/enrollments`)).body.items[0];
  await client.patch(`/v1/contacts/${source.id}`, { name: 'Renamed' });
  expect(await enrollment()).toMatchObject({ contactId: source.id, contactName: 'Renamed' });
  await client.post(`/v1/contacts/${target.id}/merge`, { sourceContactId: source.id });
  expect(await enrollment()).toMatchObject({ contactId: target.id, contactName: target.name, status: 'active' });
});

test('sequences and enrollments are filtered exactly', async () => {
  const name = 'Filtered Ünique';
  const id = await newSequence([60], { name });
  const draft = await newSequence([0], { name, status: 'draft' });
  const contact = await newContact();
  await enrolled(id, contact.id);
  await enrolled(draft, contact.id);
  const ids = async (query: Record<string, string | number>) =>
    (await everyItem(client, '/v1/sequences', { q: 'FILTERED ün', ...query })).map((sequence) => sequence.id);
  expect(
    (await client.get('/v1/sequences', { limit: 2 })).body.items.map((sequence: { id: number }) => sequence.id),
  ).toEqual([draft, id]);
  expect(await ids({})).toEqual([draft, id]);
  expect(await ids({ status: 'draft' })).toEqual([draft]);
  expect(await ids({ channel: 'telegram', limit: 1 })).toEqual([draft, id]);
  expect(await ids({ channel: 'email' })).toEqual([]);
  const enrollments = (query: Record<string, string | number>) =>
    everyItem(client, `/v1/sequences/${id}/enrollments`, query);
  expect(await enrollments({ status: 'active', contactId: contact.id })).toHaveLength(1);
  expect(await enrollments({ status: 'replied' })).toEqual([]);
  expect(await enrollments({ contactId: contact.id + 1000 })).toEqual([]);
  await client.get('/v1/sequences/999999/enrollments', undefined, 404);
});

test('one by e-mail is not resumed where no mail can leave', async () => {
  const id = await newSequence([0], { channel: 'email', accountId: null });
  const other = await newSequence([0]);
  for (const each of [id, other]) await client.post(`/v1/sequences/${each}/pause`, {});
  vi.stubEnv('MAIL_FROM', '');
  const resume = (of: number) => inSandbox((tx) => resumeSequence(tx, of));
  await expect(resume(id)).rejects.toMatchObject({ status: 409, details: { reason: 'mail_not_configured' } });
  expect(await resume(other)).toMatchObject({ status: 'active' });
  vi.unstubAllEnvs();
  expect(await resume(id)).toMatchObject({ status: 'active' });
});

test('a reply of a contact in very many sequences ends some at once and the others soon after', async () => {
  const { id: contactId } = await newContact();
  const steps = [{ delayMinutes: 60, subject: 'Hi', text: 'Hello' }];
  const ids: number[] = [];
  for (let index = 0; index < 60; index += 1)
    ids.push(
      await inSandbox(async (tx) => {
        const { id } = await createSequence(tx, {
          name: `${index}`,
          channel: 'email',
          accountId: null,
          status: 'active',
          steps,
        });
        return id;
      }),
    );
  for (const id of ids) await inSandbox((tx) => enroll(tx, id, contactId));
  const running = () => inSandbox((tx) => runningEnrollments(tx, contactId));
  expect(await running()).toHaveLength(60);
  const left = await inSandbox(async (tx) => {
    await contactReplied(tx, contactId);
    return tx.written(Enrollments).length;
  });
  expect(left).toBe(10);
  await eventually(async () => (await running()).length === 0, 'the others to end');
  for (const id of ids)
    expect((await client.get(`/v1/sequences/${id}`)).body).toMatchObject({ repliedCount: 1, activeCount: 0 });
});

test('a mail of a sequence that a reply stops has failed in its thread too', async () => {
  const id = await newSequence([0], { channel: 'email', accountId: null, name: 'Stopped' });
  const { body: contact } = await client.post('/v1/contacts', { name: 'Ida', email: 'ida@example.com' });
  const tenant = { workspaceId: workspace.id, env: 'test' } as const;
  const { id: enrollmentId } = await inSandbox(async (tx) => {
    const enrollment = await enroll(tx, id, contact.id);
    return tx.update(Enrollments, { ...enrollment, nextRunAt: shifted(tx.now, 86_400_000) });
  });
  const jobId = await inSandbox(async (tx) => {
    const sent = {
      contact: await tx.get(Contacts, { id: contact.id }),
      threadId: null,
      subject: 'Stopped',
      text: 'Hello',
    };
    const origin = { source: 'sequence', sequenceId: id, enrollmentId } as const;
    const queued = await queueOutreach(tx, { ...sent, origin });
    if ('obstacle' in queued) throw new Error(queued.obstacle);
    tx.update(Enrollments, {
      ...(await tx.get(Enrollments, { sequenceId: id, id: enrollmentId })),
      jobId: queued.jobId,
    });
    pauseJob(tx, await tx.get(Jobs, { id: queued.jobId }));
    return queued.jobId;
  });
  await transact(tenant, operator, (tx) => contactReplied(tx, contact.id));
  expect((await client.get(`/v1/jobs/${jobId}`)).body).toMatchObject({
    status: 'failed',
    lastError: 'the contact replied',
  });
  const [thread] = (await client.get('/v1/email/threads', { contactId: contact.id })).body.items;
  const [mail] = (await client.get(`/v1/email/threads/${thread.id}/messages`)).body.items;
  expect(mail).toMatchObject({ bodyText: 'Hello', status: 'failed' });
});

test('past enrollments add no rows to a reply or an enrollment', async () => {
  const id = await newSequence([60]);
  const { id: contactId } = await newContact();
  const once = async () => {
    const toEnroll = await rowsRead(() => enrolled(id, contactId));
    await expect(enrolled(id, contactId)).rejects.toMatchObject({ details: { reason: 'already_enrolled' } });
    return [toEnroll, await rowsRead(() => inSandbox((tx) => contactReplied(tx, contactId)))];
  };
  await once();
  const second = await once();
  for (let index = 0; index < 10; index += 1) await once();
  expect(await once()).toEqual(second);
  const { body } = await client.get(`/v1/sequences/${id}`);
  expect(body).toMatchObject({ enrolledCount: 13, repliedCount: 13, activeCount: 0 });
});

test('a step over the quota of mails waits for the next day and says so', async () => {
  const of = await newWorkspace();
  const tenant = { workspaceId: of.id, env: 'test' } as const;
  await take(tenant, 'emails', env('QUOTA_EMAILS_PER_DAY'));
  const { body: contact } = await of.test.post('/v1/contacts', { name: 'Rita', email: 'rita@example.com' });
  const id = await transact(tenant, operator, async (tx) => {
    const steps = [{ delayMinutes: 0, subject: 'Hi', text: 'Hello' }];
    const input = { name: 'Spring', channel: 'email', accountId: null, status: 'active', steps } as const;
    return (await createSequence(tx, { ...input, steps })).id;
  });
  await transact(tenant, operator, (tx) => enroll(tx, id, contact.id));
  const enrollment = await eventually(async () => {
    const [first] = (await of.test.get(`/v1/sequences/${id}/enrollments`)).body.items;
    return first.lastError !== null && first;
  }, 'the step to be put off');
  expect(enrollment).toMatchObject({ status: 'active', currentStep: 0, lastError: expect.stringContaining('used up') });
  expect(enrollment.nextRunAt.slice(0, 10)).toBe(nextDay().slice(0, 10));
  expect((await of.test.get('/v1/jobs')).body.items).toEqual([]);
});

test('a sequence holds as much text as its row can keep, and more is refused', async () => {
  const ofBytes = (bytes: number) => ({
    ...{ name: 'Long', channel: 'telegram', accountId, status: 'draft' },
    steps: Array.from({ length: 25 }, () => ({ delayMinutes: 0, text: '𝕏'.repeat(bytes / 4 / 25) })),
  });
  const { id } = await inSandbox((tx) => createSequence(tx, v.parse(CreateSequence, ofBytes(250_000))));
  expect((await client.get(`/v1/sequences/${id}`)).body.steps).toHaveLength(25);
  const { issues } = v.safeParse(CreateSequence, ofBytes(250_100));
  expect(issues).toMatchObject([{ message: 'must have at most 250000 bytes of text together' }]);
});

test('a step of an e-mail sequence has a subject, filled variables, and Auto-Submitted', async () => {
  const input = { name: 'Internal', channel: 'email', accountId: null, status: 'active' } as const;
  const made = (step: object) =>
    inSandbox((tx) => createSequence(tx, { ...input, steps: [{ delayMinutes: 0, text: 'x', ...step }] }));
  await expect(made({})).rejects.toMatchObject({ code: 'bad_request' });
  await expect(made({ subject: 'Hi', text: '{{nmae}}' })).rejects.toMatchObject({ code: 'bad_request' });
  const own = await newWorkspace();
  const live = <Result>(work: (tx: UnitOfWork) => Promise<Result>) =>
    transact({ workspaceId: own.id, env: 'live' }, operator, work);
  const steps = [
    { delayMinutes: 0, subject: 'For {{company|you}}', text: 'Hi {{firstName}}, {{ fields.plan }} {{fields.seat|x}}' },
  ];
  for (const slug of ['plan', 'seat'])
    await own.live.post('/v1/fields', { object: 'contact', slug, title: slug, type: 'text' }, 201);
  const { id } = await live((tx) => createSequence(tx, { ...input, steps }));
  const { body: ann } = await own.live.post('/v1/contacts', {
    name: 'Ann Lee',
    email: 'ann@variables.example',
    fields: { plan: 'Pro' },
  });
  const { body: nobody } = await own.live.post('/v1/contacts', {
    username: 'nobody',
    email: 'nobody@variables.example',
  });
  const { body: planless } = await own.live.post('/v1/contacts', { name: 'Bo', email: 'bo@variables.example' });
  for (const contact of [ann, nobody, planless]) await live((tx) => enroll(tx, id, contact.id));
  await settle();
  const { items } = (await own.live.get(`/v1/sequences/${id}/enrollments`)).body;
  expect(items).toMatchObject([
    { contactId: planless.id, status: 'failed', lastError: expect.stringContaining('{{fields.plan}}') },
    { contactId: nobody.id, status: 'failed', lastError: expect.stringContaining('{{firstName}}') },
    { contactId: ann.id, status: 'completed' },
  ]);
  const [sent = ''] = await sentWith('ann@variables.example');
  expect(sent).toContain('Subject: For you');
  expect(sent).toContain('Hi Ann, Pro x');
  expect(sent).toContain('Auto-Submitted: auto-generated');
});

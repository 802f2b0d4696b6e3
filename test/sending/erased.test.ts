import { beforeAll, expect, test, vi } from 'vitest';
import { openTelegram } from '#lib/channels/telegram/sender.ts';
import { mergeContacts, merging } from '#lib/contacts/merge.ts';
import { dayMs, fromNow, minuteMs, now, secondMs, shifted, sleep, timestamp } from '#lib/core/clock.ts';
import { operator, system, type Tenant } from '#lib/core/tenant.ts';
import { takePace } from '#lib/email/pace.ts';
import { Accounts } from '#lib/entities/account.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { Enrollments } from '#lib/entities/enrollment.ts';
import { claims, Jobs, type StoredJob } from '#lib/entities/job.ts';
import { Senders } from '#lib/entities/sender.ts';
import { Sequences } from '#lib/entities/sequence.ts';
import { acquire, release } from '#lib/messages/accounts/sender.ts';
import { pauseJob, recordEnd, retryJob } from '#lib/messages/jobs/store.ts';
import { advance } from '#lib/sequences/advance.ts';
import { enroll } from '#lib/sequences/enroll.ts';
import { resumeSequence } from '#lib/sequences/pause.ts';
import { changeStatus } from '#lib/sequences/progress.ts';
import { contactReplied } from '#lib/sequences/reply.ts';
import { heldWithSequence } from '#lib/sequences/step.ts';
import { createSequence } from '#lib/sequences/store.ts';
import { listAll } from '#lib/table/list.ts';
import { newSaga, Sagas } from '#lib/table/saga.ts';
import { finishSaga, transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { drainAccount } from '#lib/transport/sending/drain.ts';
import { deliverEmail } from '#lib/transport/sending/mail.ts';
import { messageCompletion } from '#lib/transport/sending/settle.ts';
import { between } from '#test/between.ts';
import { eventually } from '#test/client.ts';
import { dyingAfter } from '#test/crash.ts';
import { sentWith } from '#test/email/outbox.ts';
import { atFirstWait } from '#test/harness.ts';
import { hears, newAccount } from '#test/telegram/line.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let live: Tenant;
beforeAll(async () => {
  workspace = await newWorkspace();
  live = { workspaceId: workspace.id, env: 'live' };
});

const post = async (path: string, body: object, client = workspace.live) => {
  const answer = await client.post(path, body);
  expect([path, answer.status]).toEqual([path, expect.toBeOneOf([200, 201, 202])]);
  return answer.body;
};

const later = () => ({ runAt: fromNow(dayMs) });

/** The job is due, but no timer of it rings: only this process takes it. */
const due = (id: number, tenant = live) =>
  transact(tenant, operator, async (tx) =>
    tx.update(Jobs, { ...(await tx.get(Jobs, { id })), queuedFor: shifted(tx.now, -minuteMs) }),
  );

/** As an accepted erasure leaves it while its saga waits for its turn. */
const gone = (id: number, tenant = live) =>
  transact(tenant, operator, async (tx) => tx.delete(Contacts, await tx.get(Contacts, { id })));

const drain = (accountId: number, tenant = live) =>
  drainAccount({ tenant, channel: 'telegram', accountId }, [], openTelegram);

/** Somebody who has written to an account of theirs, and a message to them for another day. */
async function waiting(userId: number, more: object = {}) {
  const account = await newAccount(live);
  const { contactId } = await hears(live, account.id, { telegramUserId: userId, name: 'Heard' });
  const id = contactId as number;
  const message = { accountId: account.id, contactId: id, text: 'for you alone', ...later(), ...more };
  const job = await post('/v1/telegram/messages', message);
  return { account, contactId: id, jobId: job.id as number };
}

const newSequence = async (): Promise<number> => {
  const steps = [{ delayMinutes: 60, subject: 'Hi', text: 'Hello' }];
  const input = { name: 'Steps', channel: 'email', accountId: null, status: 'active', steps } as const;
  return (await transact(live, operator, (tx) => createSequence(tx, { ...input, steps }))).id;
};

/** Makes a message the step of a sequence in which somebody is, or was. */
const stepOf = (sequenceId: number, contactId: number, jobId: number, status: 'active' | 'failed' = 'active') =>
  transact(live, operator, async (tx) => {
    const { id } = await enroll(tx, sequenceId, contactId);
    const enrollment = await tx.get(Enrollments, { sequenceId, id });
    tx.update(Enrollments, { ...enrollment, status, jobId, nextRunAt: null });
    // What failed and is tried again is no step any more (`retryJob`).
    const enrollmentId = status === 'failed' ? null : id;
    tx.update(Jobs, { ...(await tx.get(Jobs, { id: jobId })), sequenceId, enrollmentId });
  });

const jobOf = async (id: number, client = workspace.live) => (await client.get(`/v1/jobs/${id}`)).body;
const canceled = { status: 'failed', lastError: 'canceled', attempts: 0, completedAt: expect.any(String) };

test('a due message is canceled once the erasure of its recipient is accepted', async () => {
  const { account, contactId, jobId } = await waiting(31_001);
  await due(jobId);
  await gone(contactId);
  await drain(account.id);
  expect(await jobOf(jobId)).toMatchObject(canceled);
  expect((await account.arrived()).stored).toEqual([]);
  const sender = await new UnitOfWork(live, system).find(Senders, { id: account.id });
  expect(sender?.pace.peers).toEqual({});
});

test.each(['live', 'test'] as const)('so is a mail in the environment %s', async (env) => {
  const tenant = { ...live, env };
  const client = workspace[env];
  const { id: contactId } = await post('/v1/contacts', { name: 'Wanda', email: `wanda@${env}.example` }, client);
  const mail = { to: [`wanda@${env}.example`], subject: 'Hi', bodyText: `Dear Wanda in ${env}`, contactId, ...later() };
  const { id: jobId } = await post('/v1/email/messages', mail, client);
  await due(jobId, tenant);
  await gone(contactId, tenant);
  await deliverEmail(tenant, jobId);
  expect(await jobOf(jobId, client)).toMatchObject(canceled);
  expect(await sentWith(`Dear Wanda in ${env}`)).toEqual([]);
});

test('a waiting mail is canceled when its contact is erased', async () => {
  const { id: contactId } = await post('/v1/contacts', { name: 'Yara', email: 'yara@turns.example' });
  const mail = { to: ['yara@turns.example'], subject: 'Hi', bodyText: 'Dear Yara', contactId, ...later() };
  const { id: jobId } = await post('/v1/email/messages', mail);
  await due(jobId);
  vi.stubEnv('EMAILS_PER_SECOND', '2');
  await takePace(live, 2);
  await atFirstWait(
    () => gone(contactId),
    () => deliverEmail(live, jobId),
  );
  vi.unstubAllEnvs();
  expect(await jobOf(jobId)).toMatchObject(canceled);
  expect(await sentWith('Dear Yara')).toEqual([]);
});

test('a due message of a paused sequence is held, and leaves after the resume', async () => {
  const sequenceId = await newSequence();
  const { account, contactId, jobId } = await waiting(31_004);
  const { id: xenia } = await post('/v1/contacts', { name: 'Xenia', email: 'xenia@held.example' });
  const mail = { to: ['xenia@held.example'], subject: 'Hi', bodyText: 'Dear Xenia', contactId: xenia, ...later() };
  const { id: mailJobId } = await post('/v1/email/messages', mail);
  const retried = await waiting(31_005);
  await stepOf(sequenceId, contactId, jobId);
  await stepOf(sequenceId, xenia, mailJobId);
  await stepOf(sequenceId, retried.contactId, retried.jobId, 'failed');
  const sendAll = async () => {
    for (const id of [jobId, mailJobId]) await due(id);
    await drain(account.id);
    await deliverEmail(live, mailJobId);
  };
  await transact(live, operator, async (tx) => changeStatus(tx, await tx.get(Sequences, { id: sequenceId }), 'paused'));
  await sendAll();
  for (const id of [jobId, mailJobId]) {
    expect(await jobOf(id)).toMatchObject({ status: 'queued', attempts: 0 });
    expect(await new UnitOfWork(live, system).get(Jobs, { id })).toMatchObject({ isHeld: true, claimedUntil: null });
  }
  expect([(await account.arrived()).stored, await sentWith('Dear Xenia')]).toEqual([[], []]);
  // One that somebody has tried again is no step any more.
  await due(retried.jobId);
  await drain(retried.account.id);
  expect(await jobOf(retried.jobId)).toMatchObject({ status: 'sent' });
  await transact(live, operator, (tx) => resumeSequence(tx, sequenceId));
  await sendAll();
  for (const id of [jobId, mailJobId]) expect(await jobOf(id)).toMatchObject({ status: 'sent' });
});

test('a step that cannot be held with its enrollment is checked again by its own timer', async () => {
  const sequenceId = await newSequence();
  const { id: contactId } = await post('/v1/contacts', { name: 'Zara', email: 'zara@unheld.example' });
  const mail = { to: ['zara@unheld.example'], subject: 'Hi', bodyText: 'Dear Zara', contactId, ...later() };
  const { id: jobId } = await post('/v1/email/messages', mail);
  await stepOf(sequenceId, contactId, jobId);
  await transact(live, operator, async (tx) => changeStatus(tx, await tx.get(Sequences, { id: sequenceId }), 'paused'));
  await due(jobId);
  const startedAt = timestamp();
  await between(
    async ({ operation, input }, next) => {
      if (operation === 'TransactWriteItems' && JSON.stringify(input).includes('"heldAt":"')) throw new Error('unheld');
      return next();
    },
    () => deliverEmail(live, jobId),
  );
  const job = await new UnitOfWork(live, system).get(Jobs, { id: jobId });
  expect(job).toMatchObject({ status: 'queued', isHeld: false, claimedUntil: null });
  expect(job.runAt >= shifted(startedAt, minuteMs) && job.runAt < shifted(startedAt, 2 * minuteMs)).toBe(true);
  // An account's queue goes by this.
  expect(job.queuedFor).toBe(job.runAt);
});

test('a step that its sender has in hand when the contact replies is not tried again, but by hand', async () => {
  const sequenceId = await newSequence();
  const { account, contactId, jobId } = await waiting(31_009);
  await stepOf(sequenceId, contactId, jobId);
  const change = (change: (job: StoredJob) => StoredJob | Promise<StoredJob>) =>
    transact(live, operator, async (tx) => tx.update(Jobs, await change(await tx.get(Jobs, { id: jobId }))));
  await change((job) => ({ ...job, ...claims.taken(now() + minuteMs) }));
  await transact(live, operator, (tx) => contactReplied(tx, contactId));
  expect(await jobOf(jobId)).toMatchObject({ status: 'queued' });
  // Its attempt has failed for now.
  await change((job) => ({ ...job, claimedUntil: null }));
  await due(jobId);
  await drain(account.id);
  expect(await jobOf(jobId)).toMatchObject({ ...canceled, lastError: 'the contact replied' });
  expect((await account.arrived()).stored).toEqual([]);
  await transact(live, operator, async (tx) => {
    const job = await retryJob(tx, jobId, 'telegram');
    expect(job).toMatchObject({ sequenceId, enrollmentId: null });
    tx.update(Jobs, { ...job, runAt: shifted(tx.now, dayMs), queuedFor: shifted(tx.now, -minuteMs) });
  });
  await drain(account.id);
  expect(await jobOf(jobId)).toMatchObject({ status: 'sent' });
  expect((await account.arrived()).stored).toHaveLength(1);
});

test('a message that was canceled while it was held leaves when it is tried again', async () => {
  const { account, jobId } = await waiting(31_010);
  await transact(live, operator, async (tx) => pauseJob(tx, await tx.get(Jobs, { id: jobId })));
  await post(`/v1/telegram/messages/${jobId}/cancel`, {});
  await transact(live, operator, async (tx) => {
    expect(await tx.get(Jobs, { id: jobId })).toMatchObject({ status: 'failed', isHeld: false });
    const job = await retryJob(tx, jobId, 'telegram');
    tx.update(Jobs, { ...job, runAt: shifted(tx.now, dayMs), queuedFor: shifted(tx.now, -minuteMs) });
  });
  await drain(account.id);
  expect(await jobOf(jobId)).toMatchObject({ status: 'sent' });
});

/** As `recordAttempt` leaves a message when what follows cannot be written: the job has ended, the rest is its saga's. */
const endedAlone = (id: number, status: 'sent' | 'failed') =>
  transact(live, system, async (tx) => {
    const job = recordEnd(tx, { ...(await tx.get(Jobs, { id })), status, lastError: null });
    const state = { jobId: job.id, status, facts: { channel: 'telegram' as const } };
    return tx.create(Sagas, newSaga(tx, messageCompletion.saga, state)).id;
  });

test('a message that is tried again by hand leaves, though its sender read it while it was a step', async () => {
  const sequenceId = await newSequence();
  const { account, contactId, jobId } = await waiting(31_011);
  const first = await post('/v1/telegram/messages', { accountId: account.id, contactId, text: 'first', ...later() });
  await stepOf(sequenceId, contactId, jobId);
  await transact(live, operator, async (tx) => {
    const stored = await tx.get(Accounts, { id: account.id });
    tx.update(Accounts, { ...stored, pacing: { ...stored.pacing, gapMs: 3000, peerGapMs: 3000 } });
    for (const [id, minutes] of [[first.id, 2] as const, [jobId, 1] as const])
      tx.update(Jobs, { ...(await tx.get(Jobs, { id })), queuedFor: shifted(tx.now, -minutes * minuteMs) });
  });
  const draining = drain(account.id);
  await eventually(async () => (await jobOf(first.id)).status === 'sent', 'the first to be sent');
  await transact(live, system, (tx) => contactReplied(tx, contactId));
  expect(await jobOf(jobId)).toMatchObject({ status: 'failed', lastError: 'the contact replied' });
  await post(`/v1/telegram/messages/${jobId}/retry`, {});
  await draining;
  await eventually(async () => (await jobOf(jobId)).status === 'sent', 'the message to be sent');
});

test('a step that is tried again before its end is written down has ended its enrollment', async () => {
  const sequenceId = await newSequence();
  const { contactId, jobId } = await waiting(31_012);
  await stepOf(sequenceId, contactId, jobId);
  const sagaId = await endedAlone(jobId, 'failed');
  await post(`/v1/telegram/messages/${jobId}/retry`, {});
  await finishSaga(live, messageCompletion.saga, { id: sagaId, actor: system });
  const { items } = (await workspace.live.get(`/v1/sequences/${sequenceId}/enrollments`)).body;
  expect(items).toMatchObject([{ status: 'failed' }]);
  expect((await workspace.live.get(`/v1/sequences/${sequenceId}`)).body).toMatchObject({ activeCount: 0 });
});

test('a merge keeps the enrollment whose step was sent, also before that is recorded', async () => {
  const sequenceId = await newSequence();
  const one = await waiting(31_013);
  const two = await waiting(31_014);
  for (const { contactId, jobId } of [one, two]) await stepOf(sequenceId, contactId, jobId);
  await endedAlone(two.jobId, 'sent');
  await post(`/v1/contacts/${one.contactId}/merge`, { sourceContactId: two.contactId });
  await due(one.jobId);
  await drain(one.account.id);
  await eventually(async () => (await jobOf(one.jobId)).status === 'failed', 'the second message not to leave');
  expect((await one.account.arrived()).stored).toEqual([]);
});

test('a step whose sequence was resumed while its sender held it is due at once', async () => {
  const sequenceId = await newSequence();
  const { contactId, jobId } = await waiting(31_008);
  await stepOf(sequenceId, contactId, jobId);
  await transact(live, operator, async (tx) => {
    const job = { ...(await tx.get(Jobs, { id: jobId })), isHeld: true, runAt: shifted(tx.now, -minuteMs) };
    expect(await heldWithSequence(tx, job)).toEqual({ ...job, isHeld: false, runAt: tx.now });
  });
});

test('a due message of a contact in a merge goes to the merged contact', async () => {
  const { account, contactId, jobId } = await waiting(31_002);
  const { contactId: target } = await hears(live, account.id, { telegramUserId: 31_003, name: 'Target' });
  const merge = (tx: UnitOfWork) => mergeContacts(tx, target as number, { sourceContactId: contactId });
  await dyingAfter(1, () => transact(live, operator, merge));
  const job = await transact(live, operator, (tx) => tx.get(Jobs, { id: jobId }));
  expect(job.contactId).toBe(contactId);
  await due(jobId);
  await drain(account.id);
  expect(await jobOf(jobId)).toMatchObject({ status: 'sent' });
  expect((await account.arrived()).stored).toHaveLength(1);
});

test.each([
  ['target', 31_107],
  ['source', 31_108],
] as const)(
  'a merge of two contacts in one sequence sends one message when the %s is due first',
  async (first, userId) => {
    const { account, contactId: target, jobId } = await waiting(userId - 100);
    const { contactId: source } = await hears(live, account.id, { telegramUserId: userId, name: 'Source' });
    const message = { accountId: account.id, contactId: source, text: 'for you alone', ...later() };
    const { id: other } = await post('/v1/telegram/messages', message);
    const sequenceId = await newSequence();
    for (const [contactId, id] of [
      [target, jobId],
      [source as number, other],
    ] as const)
      await stepOf(sequenceId, contactId, id);
    const merge = (tx: UnitOfWork) => mergeContacts(tx, target, { sourceContactId: source as number });
    await dyingAfter(1, () => transact(live, operator, merge));
    const [one, two] = first === 'target' ? [jobId, other] : [other, jobId];
    for (const id of [one, two]) {
      await due(id);
      await drain(account.id);
    }
    expect(await jobOf(one)).toMatchObject({ status: 'sent' });
    expect(await jobOf(two)).toMatchObject({ status: 'failed', lastError: 'canceled', attempts: 0 });
    expect((await account.arrived()).stored).toHaveLength(1);
  },
);

test('a message by username to somebody who is being merged goes to the id that they have written by', async () => {
  const { account, contactId: target } = await waiting(31_113);
  const source = await post('/v1/contacts', { name: 'Source', platform: 'telegram', username: 'merged_soon' });
  const message = { accountId: account.id, contactId: source.id, text: 'for you alone', ...later() };
  const { id } = await post('/v1/telegram/messages', message);
  await hears(live, account.id, { telegramUserId: 31_114, username: 'merged_soon', name: 'Source' });
  const merge = (tx: UnitOfWork) => mergeContacts(tx, target, { sourceContactId: source.id });
  await dyingAfter(1, () => transact(live, operator, merge));
  await due(id);
  await drain(account.id);
  expect(await jobOf(id)).toMatchObject({ status: 'sent' });
});

test('a contact who has replied gets no step by an enrollment merged into it', async () => {
  const sequenceId = await newSequence();
  const replied = await waiting(31_115);
  const merged = await waiting(31_116);
  for (const { contactId, jobId } of [replied, merged]) await stepOf(sequenceId, contactId, jobId);
  await sleep(secondMs);
  await transact(live, system, (tx) => contactReplied(tx, replied.contactId));
  await post(`/v1/contacts/${replied.contactId}/merge`, { sourceContactId: merged.contactId });
  await due(merged.jobId);
  await drain(merged.account.id);
  expect(await jobOf(merged.jobId)).toMatchObject({ status: 'failed', lastError: 'canceled' });
  expect((await merged.account.arrived()).stored).toEqual([]);
});

test('a reply ends what is under way of a contact who is being merged into whoever wrote', async () => {
  const { account, contactId: target } = await waiting(31_111);
  const { contactId: source } = await hears(live, account.id, { telegramUserId: 31_112, name: 'Source' });
  const message = { accountId: account.id, contactId: source, text: 'for you alone', ...later() };
  const { id } = await post('/v1/telegram/messages', message);
  const sequenceId = await newSequence();
  await stepOf(sequenceId, source as number, id);
  const merge = (tx: UnitOfWork) => mergeContacts(tx, target, { sourceContactId: source as number });
  await dyingAfter(1, () => transact(live, operator, merge));
  await transact(live, system, (tx) => contactReplied(tx, target));
  expect(await jobOf(id)).toMatchObject({ status: 'failed', lastError: 'the contact replied' });
});

test('a step that is due for somebody who is being merged is made for the one whom they are now', async () => {
  const { account, contactId: target } = await waiting(31_109);
  const { contactId: source } = await hears(live, account.id, { telegramUserId: 31_110, name: 'Source' });
  const steps = [{ delayMinutes: 60, text: 'Hello' }];
  const input = { name: 'Due', channel: 'telegram', accountId: account.id, status: 'active', steps } as const;
  const sequenceId = (await transact(live, operator, (tx) => createSequence(tx, { ...input, steps }))).id;
  const { id } = await transact(live, operator, (tx) => enroll(tx, sequenceId, source as number));
  const merge = (tx: UnitOfWork) => mergeContacts(tx, target, { sourceContactId: source as number });
  await dyingAfter(1, () => transact(live, operator, merge));
  await transact(live, operator, async (tx) => {
    const enrollment = await tx.get(Enrollments, { sequenceId, id });
    tx.update(Enrollments, { ...enrollment, nextRunAt: shifted(tx.now, -minuteMs) });
  });
  await advance(live, sequenceId, id);
  const { jobId, status } = await new UnitOfWork(live, system).get(Enrollments, { sequenceId, id });
  expect([status, await jobOf(Number(jobId))]).toMatchObject(['active', { contactId: target }]);
});

test('an erasure cancels what is queued before it waits for a merge', async () => {
  const { account, contactId, jobId } = await waiting(31_004);
  const { contactId: source } = await hears(live, account.id, { telegramUserId: 31_005, name: 'Source' });
  const merge = (tx: UnitOfWork) => mergeContacts(tx, contactId, { sourceContactId: source as number });
  await dyingAfter(1, () => transact(live, operator, merge));
  const { id } = await post(`/v1/contacts/${contactId}/erasure`, { confirm: String(contactId) });
  const isGone = async () => (await workspace.live.get(`/v1/jobs/${jobId}`)).status === 404;
  await eventually(isGone, 'the job is gone', 15_000);
  expect((await workspace.live.get(`/v1/erasures/${id}`)).body.status).toBe('running');
  for (const saga of await transact(live, operator, (tx) => listAll(tx, Sagas)))
    if (saga.kind === merging.name) await finishSaga(live, merging, saga);
});

test('a message sent during an erasure leaves no trace in the pace of the account', async () => {
  const account = await newAccount(live);
  const { contactId } = await hears(live, account.id, { telegramUserId: 31_006, name: 'Traced' });
  const lease = await acquire({ tenant: live, channel: 'telegram', accountId: account.id }, minuteMs);
  if (!lease) throw new Error('the account is taken');
  const { id } = await post(`/v1/contacts/${contactId}/erasure`, { confirm: String(contactId) });
  const erasure = async () => (await workspace.live.get(`/v1/erasures/${id}`)).body;
  const isAtTraces = async () =>
    (await transact(live, operator, (tx) => listAll(tx, Sagas))).some(
      ({ state }) => state['erasureId'] === id && state['stage'] === 'traces',
    );
  await eventually(isAtTraces, 'the erasure waits for the sender');
  lease.pace = { peers: { 31006: now(), 31007: now() }, sends: [] };
  await release(lease, null);
  await eventually(async () => (await erasure()).status === 'completed', 'the erasure is completed', 60_000);
  const sender = await new UnitOfWork(live, system).get(Senders, { id: account.id });
  expect(Object.keys(sender.pace.peers)).toEqual(['31007']);
});

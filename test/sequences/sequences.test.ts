import type * as v from 'valibot';
import { beforeAll, expect, test } from 'vitest';
import { createAccount } from '#lib/accounts/store.ts';
import { receiveMessage } from '#lib/messages/receive.ts';
import { enroll } from '#lib/sequences/enroll.ts';
import type { CreateSequence } from '#lib/sequences/sequence.ts';
import { createSequence } from '#lib/sequences/store.ts';
import { type Transaction, transact } from '#lib/table/transaction.ts';
import { operator } from '#lib/tenant.ts';
import { type Client, eventually } from '#test/client.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let client: Client;
let accountId: number;

const inSandbox = <Result>(work: (tx: Transaction) => Promise<Result>) =>
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
  const steps = delaysMinutes.map((delayMinutes, index) => ({ delayMinutes, text: `Step ${index + 1}` }));
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
      { id: 1, position: 1, delayMinutes: 0, text: 'Step 1' },
      { id: 2, position: 2, delayMinutes: 0, text: 'Step 2' },
    ],
  });
  const { body: jobs } = await client.get('/v1/jobs', { sequenceId: id });
  expect(jobs.items.map((job: any) => [job.status, job.source, job.textPreview])).toEqual([
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
  const { body: messages } = await client.get(`/v1/email/threads/${threads.items[0].id}/messages`);
  expect(messages.items.map((message: any) => [message.status, message.subject])).toEqual([
    ['sent', 'Re: News'],
    ['sent', 'News'],
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
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const resumed = await client.post(`/v1/sequences/${id}/resume`);
  expect(resumed).toMatchObject({ status: 200, body: { status: 'active', pausedAt: null } });
  const { body } = await client.get(`/v1/sequences/${id}/enrollments`);
  const heldMs = new Date(resumed.body.updatedAt).getTime() - new Date(paused.body.pausedAt).getTime();
  expect(heldMs).toBeGreaterThan(0);
  expect(new Date(body.items[0].nextRunAt).getTime() - new Date(before.nextRunAt as string).getTime()).toBe(heldMs);
});

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { GetQueueAttributesCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type * as v from 'valibot';
import { expect, test } from 'vitest';
import { fieldsOf } from '#infra/admin/fields.ts';
import { queueUrl } from '#lib/core/env.ts';
import { eventually } from '#test/client.ts';
import { place } from '#test/place.ts';
import { newAccount } from '#test/telegram/line.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace } from '#test/workspace.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

async function admin<Result>(noun: string, verb: string, input: object): Promise<Result> {
  const options = { cwd: root, env: { ...process.env, DATA_DIR: place('dataDir') } };
  const args = ['infra/admin.ts', noun, verb, JSON.stringify(input)];
  return JSON.parse((await run(process.execPath, args, options)).stdout);
}

test('- reads JSON from stdin, and names the limit when a value is too large for KMS', async () => {
  const { id } = await newWorkspace();
  const fed = async (session: string) => {
    const input = { workspaceId: id, env: 'live', kind: 'user', name: 'Eve', session };
    const started = run(process.execPath, ['infra/admin.ts', 'telegram-account', 'create', '-'], {
      cwd: root,
      env: { ...process.env, DATA_DIR: place('dataDir') },
    });
    // More than an argument may have.
    started.child.stdin?.end(JSON.stringify(input).padEnd(300_000));
    return JSON.parse((await started).stdout);
  };
  expect(await fed('😀'.repeat(1024))).toEqual({ id: 1 });
  await expect(fed('😀'.repeat(4000))).rejects.toMatchObject({
    stderr: expect.stringMatching(/^session: must have at most 4096 bytes in UTF-8; /),
  });
});

test('telegram-account login asks on the terminal, again after what is wrong, and shows no password', async () => {
  const { id: workspaceId } = await newWorkspace();
  const input = JSON.stringify({ workspaceId, env: 'test', phone: '+49 151 1234567', name: 'Sales' });
  const started = run(process.execPath, ['infra/admin.ts', 'telegram-account', 'login', input], {
    cwd: root,
    env: { ...process.env, DATA_DIR: place('dataDir') },
  });
  started.child.stdin?.end('11111\n00000\ntest\n');
  const { stdout, stderr } = await started;
  expect(JSON.parse(stdout)).toEqual({ id: 1, status: 'connected' });
  expect(stderr.split('\n')).toEqual(['code (by app): the code is wrong', 'code (by app): password (test): ', '']);
  const gaveUp = run(process.execPath, ['infra/admin.ts', 'telegram-account', 'login', input], {
    cwd: root,
    env: { ...process.env, DATA_DIR: place('dataDir') },
  });
  gaveUp.child.stdin?.end();
  await expect(gaveUp).rejects.toMatchObject({ stderr: expect.stringContaining('the terminal was closed') });
});

test('queue redrive puts dead letters back to work', async () => {
  const sqs = new SQSClient({});
  const QueueUrl = queueUrl('twitter');
  const attributes = (url: string | undefined) =>
    sqs.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] }));
  const policy = (await attributes(QueueUrl)).Attributes?.['RedrivePolicy'] as string;
  const deadUrl = QueueUrl.replace(/[^/]+$/, JSON.parse(policy).deadLetterTargetArn.split(':').at(-1));
  const MessageBody = JSON.stringify({ tenant: '999999:live', accountId: 1 });
  await sqs.send(new SendMessageBatchCommand({ QueueUrl: deadUrl, Entries: [{ Id: '1', MessageBody }] }));
  const messages = Number((await attributes(deadUrl)).Attributes?.['ApproximateNumberOfMessages']);

  const moved = await admin('queue', 'redrive', { queue: 'twitter' });

  expect(messages).toBeGreaterThan(0);
  expect(moved).toEqual({ queue: 'twitter', status: 'COMPLETED', messages });
  expect((await attributes(deadUrl)).Attributes).toMatchObject({ ApproximateNumberOfMessages: '0' });
  await eventually(async () => {
    const { Attributes } = await attributes(QueueUrl);
    return Attributes?.['ApproximateNumberOfMessages'] === '0' &&
      Attributes['ApproximateNumberOfMessagesNotVisible'] === '0'
      ? true
      : undefined;
  }, 'the worker to take the message');
});

test('queue redrive names the queues that there are', async () => {
  await expect(admin('queue', 'redrive', { queue: 'nonsense' })).rejects.toMatchObject({
    stderr: expect.stringMatching(/^queue: [^\n]*"slow-deliveries"[^\n]*\n$/),
  });
});

test('deployment guard has nothing to roll back on the local system', async () => {
  await expect(admin('deployment', 'guard', {})).rejects.toMatchObject({ stderr: expect.stringMatching(/--stack/) });
});

test('delivery replay delivers an event once more, by either id of the delivery', async () => {
  await using receiver = await startReceiver();
  const workspace = await newWorkspace();
  const { body: webhook } = await workspace.live.post('/v1/webhooks', {
    url: receiver.url,
    eventKinds: ['contact.created'],
  });
  await workspace.live.post('/v1/contacts', { platform: 'telegram', name: 'Ada' });
  const original = await eventually(async () => {
    const { body } = await workspace.live.get(`/v1/webhooks/${webhook.id}/deliveries`, { status: 'succeeded' });
    return body.items[0];
  }, 'the delivery');
  const place = { workspaceId: workspace.id, env: 'live', webhookId: webhook.id };

  for (const deliveryId of [original.id, original.deliveryId]) {
    const before = receiver.received.length;
    const replay = await admin<{ deliveryId: string }>('delivery', 'replay', { ...place, deliveryId });
    expect(replay).toMatchObject({ replayOfId: original.id, eventId: original.eventId, status: 'pending' });
    expect(Object.keys(replay).sort()).toEqual(Object.keys(original).sort());
    await eventually(async () => receiver.received.length > before, 'the replay to arrive');
    expect(receiver.received.at(-1)).toMatchObject({
      headers: { 'webhook-id': replay.deliveryId, 'x-svc-replay-of': original.deliveryId },
      text: receiver.received[0]?.text,
    });
  }
});

test('delivery replay of what is not there is one line on standard error', async () => {
  const workspace = await newWorkspace();
  const missing = { workspaceId: workspace.id, env: 'live', webhookId: 1, deliveryId: randomUUID() };
  await expect(admin('delivery', 'replay', missing)).rejects.toMatchObject({
    code: 1,
    stderr: 'webhook endpoint not found\n',
  });
});

test('a workspace moves through a file by export and import, and connect restores its accounts’ tokens', async () => {
  const origin = await newWorkspace();
  const { id: accountId } = await newAccount({ workspaceId: origin.id, env: 'live' });
  const folder = await mkdtemp(join(tmpdir(), 'crm-admin-'));
  try {
    const file = join(folder, 'workspace.ndjson');
    const { id } = await admin<{ id: number }>('workspace', 'create', { name: 'Empty' });
    const exported = await admin('workspace', 'export', { id: origin.id, file });
    expect(exported).toEqual({ counts: expect.objectContaining({ members: 1, accounts: 1, pipelines: 4 }) });
    expect(await admin('workspace', 'import', { id, file })).toEqual(exported);
    const unsigned = join(folder, 'unsigned.ndjson');
    await writeFile(unsigned, (await readFile(file, 'utf8')).replace(/,"seal":"[^"]+"/, ''));
    const { id: third } = await admin<{ id: number }>('workspace', 'create', { name: 'Third' });
    await expect(admin('workspace', 'import', { id: third, file: unsigned })).rejects.toMatchObject({
      stderr: expect.stringMatching(/^the seal of the file is not of this deployment: [^\n]+\n$/),
    });
    expect(await admin('workspace', 'import', { id: third, file: unsigned, unsigned: true })).toEqual(exported);
    const place = { workspaceId: id, env: 'live', id: accountId };
    const connected = { id: accountId, status: 'active' };
    expect(await admin('telegram-account', 'connect', { ...place, botToken: 'another' })).toEqual(connected);
    const pacing = { peerGapMs: 5000, perMinute: 3 };
    expect(await admin('telegram-account', 'update', { ...place, dailyLimit: 7, pacing })).toEqual({
      id: accountId,
      dailyLimit: 7,
      pacing,
    });
    expect(await admin('telegram-account', 'update', { ...place, pacing: {} })).toEqual({
      id: accountId,
      dailyLimit: 7,
      pacing: {},
    });
    await expect(admin('telegram-account', 'connect', { ...place, session: 'x' })).rejects.toMatchObject({
      stderr: expect.stringMatching(/^the account is of kind bot\n$/),
    });
    await expect(admin('telegram-account', 'connect', place)).rejects.toMatchObject({
      stderr: expect.stringMatching(/^botToken or session is required; the JSON is [^\n]+\n$/),
    });
    await expect(admin('twitter-account', 'connect', { ...place, accessToken: 'x' })).rejects.toMatchObject({
      stderr: expect.stringMatching(/^account not found\n$/),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a wrong call is answered with one line that says how to call', async () => {
  const refusal = async (...args: string[]) => {
    const options = { cwd: root, env: { ...process.env, DATA_DIR: place('dataDir') } };
    return (await run(process.execPath, ['infra/admin.ts', ...args], options).catch((error) => error)).stderr;
  };
  const listed =
    /^[^\n]*commands: agent create\|update, dead-letter list\|retry\|discard, deal win, [^\n]*workspace create\|update\|show\|reindex\|finish\|export\|import; [^\n]*\n$/;
  expect(await refusal()).toMatch(listed);
  expect(await refusal('deal', 'lose')).toMatch(listed);
  expect(await refusal('deal', 'win')).toBe(
    'workspaceId: is required; env: is required; id: is required; the JSON is {workspaceId: integer, env: live|test, id: integer}\n',
  );
  expect(await refusal('deal', 'win', '{')).toBe('the argument after noun and verb is not JSON\n');
  expect(await refusal('workspace', 'import', '{"id": 999, "file": "/nowhere.ndjson"}')).toBe(
    'there is no file /nowhere.ndjson\n',
  );
});

test('the fields of every command can be shown', async () => {
  for await (const file of glob('infra/admin/commands/*.ts', { cwd: root })) {
    const { commands = {} } = await import(join(root, file));
    for (const { input } of Object.values<{ input: v.GenericSchema }>(commands))
      expect(fieldsOf(input)).toMatch(/^\{.*\}$/);
  }
});

test('workspace reindex ends when no rows are of an older version', async () => {
  const { id } = await newWorkspace();
  const done = { reindexing: null };
  expect(await admin('workspace', 'reindex', { id })).toMatchObject({ live: done, test: done });
});

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  PurgeQueueCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { expect, inject, test } from 'vitest';
import { eventually } from '#test/client.ts';
import { newAccount } from '#test/telegram/line.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace } from '#test/workspace.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

async function admin<Result>(noun: string, verb: string, input: object): Promise<Result> {
  const options = { cwd: root, env: { ...process.env, DATA_DIR: inject('dataDir') } };
  const args = ['infra/local/admin.ts', noun, verb, JSON.stringify(input)];
  return JSON.parse((await run(process.execPath, args, options)).stdout);
}

test('queue redrive puts dead letters back to work', async () => {
  const sqs = new SQSClient({});
  const QueueUrl = process.env['QUEUE_URL_TWITTER'];
  const attributes = (url: string | undefined) =>
    sqs.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] }));
  const policy = (await attributes(QueueUrl)).Attributes?.['RedrivePolicy'] as string;
  const QueueName = JSON.parse(policy).deadLetterTargetArn.split(':').at(-1);
  const { QueueUrl: deadUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName }));
  await sqs.send(new PurgeQueueCommand({ QueueUrl: deadUrl }));
  const MessageBody = JSON.stringify({ tenant: '999999:live', accountId: 1 });
  await sqs.send(new SendMessageCommand({ QueueUrl: deadUrl, MessageBody }));

  const moved = await admin('queue', 'redrive', { queue: 'twitter' });

  expect(moved).toEqual({ queue: 'twitter', status: 'COMPLETED', messages: 1 });
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

test('workspace export and import move a workspace through a file, and connect gives its accounts their tokens again', async () => {
  const origin = await newWorkspace();
  const { id: accountId } = await newAccount({ workspaceId: origin.id, env: 'live' });
  const folder = await mkdtemp(join(tmpdir(), 'crm-admin-'));
  try {
    const file = join(folder, 'workspace.ndjson');
    const { id } = await admin<{ id: number }>('workspace', 'create', { name: 'Empty' });
    const exported = await admin('workspace', 'export', { id: origin.id, file });
    expect(exported).toEqual({ counts: expect.objectContaining({ members: 1, accounts: 1, pipelines: 4 }) });
    expect(await admin('workspace', 'import', { id, file })).toEqual(exported);
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
      stderr: expect.stringMatching(/^botToken or session is required\n$/),
    });
    await expect(admin('twitter-account', 'connect', { ...place, accessToken: 'x' })).rejects.toMatchObject({
      stderr: expect.stringMatching(/^account not found\n$/),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

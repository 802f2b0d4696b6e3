import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Threads } from '#lib/entities/email-thread.ts';
import { listPage } from '#lib/table/list.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { mailBucket } from '#test/email/bucket.ts';
import { mailQueues } from '#test/email/queues.ts';
import { rawMail } from '#test/email/raw.ts';
import { newWorkspace } from '#test/workspace.ts';

const domain = 'mail.example.org';
const flood = 40;
let bucket: Awaited<ReturnType<typeof mailBucket>>;
let queues: Awaited<ReturnType<typeof mailQueues>>;
beforeAll(async () => {
  [bucket, queues] = await Promise.all([mailBucket(domain), mailQueues()]);
});
afterAll(async () => {
  bucket.close();
  await queues.close();
});

const threadsOf = async ({ id }: { id: number }) => {
  const tenant: Tenant = { workspaceId: id, env: 'live' };
  return (await listPage(new UnitOfWork(tenant, system), Threads, { limit: 2 * flood })).items.length;
};

function arrives(...workspaces: { id: number }[]) {
  const key = randomUUID();
  bucket.put(key, rawMail());
  const recipients = workspaces.map(({ id }) => `workspace-${id}@${domain}`);
  const receipt = { recipients, action: { type: 'S3', objectKey: key } };
  queues.routed.send(JSON.stringify({ notificationType: 'Received', mail: { source: 'anna@example.com' }, receipt }));
}

test("a workspace's mail is stored while a neighbour's forty mails before it wait, and those come too", async () => {
  const [flooded, neighbour] = await Promise.all([newWorkspace(), newWorkspace()]);
  for (let count = 0; count < flood; count += 1) arrives(flooded);
  arrives(neighbour);
  await queues.route();
  expect(queues.routed.counts()).toMatchObject({ visible: 0, inFlight: 0 });
  expect(queues.stored.counts()).toMatchObject({ visible: flood + 1 });

  await queues.receive(async () => (await threadsOf(neighbour)) === 1);
  expect(await threadsOf(neighbour)).toBe(1);
  expect(await threadsOf(flooded)).toBeLessThan(flood / 2);
  await queues.receive();
  expect(queues.stored.counts()).toMatchObject({ visible: 0, inFlight: 0 });
  expect(await threadsOf(flooded)).toBe(flood);
});

test('mails for several workspaces wait in a line of their own, and ten of them at most have one', async () => {
  const [one, other] = await Promise.all([newWorkspace(), newWorkspace()]);
  arrives(one, other, one);
  await queues.route();
  const records = await queues.stored.receiveRecords({ maxMessages: 10, waitSeconds: 0, visibilitySeconds: 0 });
  expect(records.map(({ attributes }) => attributes.MessageGroupId)).toEqual(['several', 'several']);
  // Nobody is told for whom else a mail is.
  const ofOne = records.find(({ body }) => JSON.parse(body).tenant === `${one.id}:live`);
  expect(ofOne?.body).not.toContain(`workspace-${other.id}`);
  await queues.receive();
  expect([await threadsOf(one), await threadsOf(other)]).toEqual([1, 1]);

  const many = await Promise.all(Array.from({ length: 12 }, () => newWorkspace()));
  arrives(...many);
  await queues.route();
  expect(queues.stored.counts()).toMatchObject({ visible: 10 });
});

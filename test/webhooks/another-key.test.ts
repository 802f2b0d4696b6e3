import { expect, test } from 'vitest';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Registries } from '#lib/entities/webhook-registry.ts';
import { transact } from '#lib/table/transact.ts';
import { eventually } from '#test/client.ts';
import { sealedByAnother } from '#test/sealed.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace } from '#test/workspace.ts';

/** A workspace with an endpoint whose secret is of another key. */
async function lost(url: string) {
  const { id, test: client } = await newWorkspace();
  const tenant: Tenant = { workspaceId: id, env: 'test' };
  const hook = await client.post('/v1/webhooks', { url });
  const secret = await sealedByAnother();
  await transact(tenant, operator, async (tx) => {
    tx.update(Registries, { ...(await tx.get(Registries, { id: 1 })), secret });
  });
  return { client, path: `/v1/webhooks/${hook.body.id}`, first: hook.body.secret };
}

test('a secret that cannot be read is rotated as any other, and then events are delivered', async () => {
  await using receiver = await startReceiver();
  const { client, path, first } = await lost(receiver.url);
  const { status, body } = await client.post(`${path}/rotate`);
  expect([status, body.secret !== first, body.previousValidUntil]).toEqual([200, true, expect.any(String)]);
  expect((await client.post(`${path}/test`, {})).body).toMatchObject({ delivery: { status: 'succeeded' } });
  await client.post('/v1/contacts', { name: 'Ann' });
  await eventually(
    async () => receiver.received.some((one) => one.body.event === 'contact.created'),
    'the event of the contact',
  );
  // Only one signs: nobody can sign with the one before.
  expect(receiver.received.at(-1)?.headers['webhook-signature']).toMatch(/^v1,\S+$/);
});

test('an endpoint that is added brings a secret that can be read', async () => {
  await using receiver = await startReceiver();
  await using other = await startReceiver();
  const { client, first } = await lost(receiver.url);
  const { status, body } = await client.post('/v1/webhooks', { url: other.url });
  expect([status, body.secret !== first, body.secretHint]).toEqual([201, true, body.secret.slice(-4)]);
  await client.post(`/v1/webhooks/${body.id}/test`, {}, 200);
});

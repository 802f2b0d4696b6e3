import type { GenericSchema } from 'valibot';
import { expect, test } from 'vitest';
import { Highest } from '#lib/archive/archive.ts';
import { entities } from '#lib/entities/all.ts';
import { Contacts, MergedContacts } from '#lib/entities/contact.ts';
import { Endpoints } from '#lib/entities/webhook.ts';
import { Dispatches } from '#lib/entities/webhook-dispatch.ts';
import { Healths } from '#lib/entities/webhook-health.ts';
import { Registries } from '#lib/entities/webhook-registry.ts';
import { transact } from '#lib/table/transact.ts';
import { operator } from '#lib/tenant.ts';
import { eventually } from '#test/client.ts';
import { clientOf, rowOf, taken } from './handmade.ts';

const all = entities.map((of) => rowOf(of));

/** A new row of such an id meets none that the file has brought. */
const harmless = new Set([
  ...['activity.tagId', 'activity.actorUserId', 'audit-event.resourceId', 'audit-event.memberId'],
  ...['contact.assignedToUserId', 'email-thread.assignedToUserId', 'task.assignedToUserId'],
  ...['block.updateId', 'peer.userId', 'delivery.replayOfId', 'webhook-dispatch.firstId'],
  // They lie with a thread, whose id is not given again.
  ...['email-body.messageId', 'email-notice.messageId'],
  // Whom they name must be in the file.
  ...['job.accountId', 'job.sequenceId', 'message.accountId', 'sequence.accountId'],
  // Passed over, or made of what they name.
  ...['tag-name.tagId', 'upsert.contactId', 'workspace.id'],
]);

const isNumber = (schema: GenericSchema & { wrapped?: GenericSchema }): boolean =>
  schema.wrapped ? isNumber(schema.wrapped) : schema.type === 'number';

const idsOf = entities.flatMap((of) =>
  Object.entries((of.schema as unknown as { entries: Record<string, GenericSchema> }).entries)
    .filter(([field, schema]) => /^(id|into|.*Id)$/.test(field) && isNumber(schema))
    .map(([field]) => `${of.name}.${field}`),
);

test.each(idsOf.filter((name) => !harmless.has(name)))('no later row has the id that is %s in an archive', (name) => {
  const [entity, field = ''] = name.split('.');
  const row = rowOf(entities.find((of) => of.name === entity) as (typeof entities)[number], { [field]: 99 });
  const highest = new Highest();
  highest.add({ ...row, pk: `5${row.pk}` });
  expect(highest.rows()[0].flatMap((ids) => Object.values(ids))).toContain(99);
});

test('contacts and endpoints that are made after an import have nothing of those that were', async () => {
  const rows = [
    ...all,
    ...[3, 4, 5].map((id) => rowOf(MergedContacts, { id, into: id })),
    ...[2, 3, 4].flatMap((id) => [rowOf(Healths, { id }), rowOf(Dispatches, { id })]),
  ];
  const client = await clientOf(await taken(rows));
  const contacts: number[] = [];
  for (const name of ['Ann', 'Bea']) contacts.push((await client.post('/v1/contacts', { name })).body.id);
  expect(Math.min(...contacts)).toBeGreaterThan(5);
  const [target, sourceContactId] = contacts;
  await client.post(`/v1/contacts/${target}/merge`, { sourceContactId }, 200);
  await client.post('/v1/webhooks', { url: 'https://example.com/hook' }, 201);
});

test('endpoints that a registry names and an archive lacks take no room', async () => {
  const endpoints = Array.from({ length: 20 }, (_, n) => ({ id: n + 1, url: `https://example.com/${n}` }));
  const rows = all.map((row) => (row.pk === rowOf(Registries).pk ? { ...row, endpoints } : row));
  const client = await clientOf(await taken(rows));
  expect((await client.get('/v1/webhooks')).body.items).toHaveLength(
    all.filter(({ pk }) => pk === rowOf(Endpoints).pk).length,
  );
  await client.post('/v1/webhooks', { url: 'https://example.com/hook' }, 201);
});

test('an erasure comes to its end that meets contacts who were merged in a circle', async () => {
  const workspaceId = await taken(all);
  const tenant = { workspaceId, env: 'live' } as const;
  const client = await clientOf(workspaceId);
  const { id } = (await client.post('/v1/contacts', { name: 'Circle' })).body;
  await transact(tenant, operator, async (tx) => {
    for (const [one, into] of [
      [id, id + 1],
      [id + 1, id],
    ])
      tx.create(MergedContacts, { id: one, into });
  });
  const erasure = (await client.post(`/v1/contacts/${id}/erasure`, { confirm: String(id) })).body;
  await eventually(
    async () => (await client.get(`/v1/erasures/${erasure.id}`)).body.status === 'completed',
    'the erasure to end',
  );
  expect(await transact(tenant, operator, (tx) => tx.find(Contacts, { id }))).toBeUndefined();
});

import { beforeAll, expect, test } from 'vitest';
import { createContact } from '#lib/contacts/create.ts';
import { env } from '#lib/core/env.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Contacts, type StoredContact } from '#lib/entities/contact.ts';
import { dynamodb } from '#lib/table/client.ts';
import { keyOf } from '#lib/table/entity.ts';
import { commit, transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let ours: TestWorkspace;
let tenant: Tenant;
let theirs: { pk: string; sk: string };
const theirContact = { name: 'Hidden', platform: 'telegram' as const };

beforeAll(async () => {
  ours = await newWorkspace();
  tenant = { workspaceId: ours.id, env: 'live' };
  const other = await newWorkspace();
  const place = { workspaceId: other.id, env: 'live' as const };
  const { id } = await transact(place, operator, (tx) => createContact(tx, theirContact));
  theirs = keyOf(place, Contacts, { id } as StoredContact);
});

test('an index entry that leads to another tenant shows nothing of it', async () => {
  const entry = { pk: `${ours.id}:live#contact?stage=new`, sk: theirs.sk, of: theirs };
  await dynamodb.send('PutItem', { TableName: env('TABLE_NAME'), Item: entry });
  const { status, body } = await ours.live.get('/v1/contacts', { stage: 'new' });
  expect(status).toBe(500);
  expect(JSON.stringify(body)).not.toContain(theirContact.name);
});

test.each([
  ['a read', (tx: UnitOfWork) => tx.findAllByKey(Contacts, [theirs])],
  ['a put', (tx: UnitOfWork) => tx.write({ key: theirs, item: {} })],
  ['a removal', (tx: UnitOfWork) => tx.write({ key: theirs, item: null })],
  ['an update', (tx: UnitOfWork) => tx.write({ key: theirs, remove: ['company'] })],
])('%s of another tenant’s row is refused', async (_, work) => {
  const tx = new UnitOfWork(tenant, operator);
  await expect(
    (async () => {
      await work(tx);
      await commit(tx);
    })(),
  ).rejects.toThrow(`${ours.id}:live has no row in ${theirs.pk}`);
});

test('the other environment is another tenant, what both share is not', async () => {
  const { id } = (await ours.live.post('/v1/contacts', { name: 'Ann' })).body;
  const sandbox = new UnitOfWork({ ...tenant, env: 'test' }, operator);
  await expect(sandbox.findAllByKey(Contacts, [keyOf(tenant, Contacts, { id } as StoredContact)])).rejects.toThrow(
    'no row in',
  );
  expect((await ours.test.get('/v1/members')).body.items).toHaveLength(1);
});

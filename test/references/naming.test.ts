import * as v from 'valibot';
import { beforeAll, expect, test } from 'vitest';
import { changeContact } from '#lib/contacts/change.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { WriteConflict } from '#lib/table/change.ts';
import { commitAtOnce } from '#lib/table/commit.ts';
import { entity, type Item } from '#lib/table/entity.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { newWorkspace } from '#test/workspace.ts';

/** A noun as a newcomer declares it. */
const Visits = entity({
  name: 'visit',
  schema: v.object({ id: v.number(), contactId: v.nullable(v.number()), note: v.string() }),
  references: [{ to: 'contact', field: 'contactId' }],
});
type Visit = Item<typeof Visits>;

let tenant: Tenant;
let contactId: number;
beforeAll(async () => {
  const workspace = await newWorkspace();
  tenant = { workspaceId: workspace.id, env: 'live' };
  contactId = (await workspace.live.post('/v1/contacts', { name: 'Ann' })).body.id;
});

/** What becomes of a visit that is written from `before` when its contact, which was read, changes meanwhile. */
async function writtenFrom(before: Visit | undefined, after: Visit, look?: (tx: UnitOfWork) => void): Promise<boolean> {
  if (before) await transact(tenant, operator, async (tx) => tx.create(Visits, before));
  const tx = new UnitOfWork(tenant, operator);
  const [visit] = [await tx.find(Visits, { id: after.id }), await tx.get(Contacts, { id: contactId })];
  await transact(tenant, operator, (other) => changeContact(other, contactId, { name: `Ann ${after.id}` }));
  if (visit) tx.update(Visits, after);
  else tx.create(Visits, after);
  look?.(tx);
  return commitAtOnce(tx);
}

test('a row begins to name a contact only while that is as it was read', async () => {
  await expect(writtenFrom(undefined, { id: 1, contactId, note: 'new' })).rejects.toBeInstanceOf(WriteConflict);
  const nobody = { id: 2, contactId: null, note: 'of nobody' };
  await expect(writtenFrom(nobody, { ...nobody, contactId })).rejects.toBeInstanceOf(WriteConflict);
});

test('a row that names its contact already, or needs it only to be there, is written beside a change of it', async () => {
  const visit = { id: 3, contactId, note: 'known' };
  const first = await transact(tenant, operator, async (tx) => {
    tx.requireExists(Contacts, { id: contactId });
    return tx.create(Visits, visit);
  });
  expect(first).toEqual(visit);
  const tx = new UnitOfWork(tenant, operator);
  await Promise.all([tx.find(Visits, visit), tx.find(Contacts, { id: contactId })]);
  await transact(tenant, operator, (other) => changeContact(other, contactId, { name: 'Bea' }));
  tx.update(Visits, { ...visit, note: 'changed' });
  expect(await commitAtOnce(tx)).toBe(true);
  const required = (of: UnitOfWork) => of.requireExists(Contacts, { id: contactId });
  expect(await writtenFrom(undefined, { id: 4, contactId, note: 'beside' }, required)).toBe(true);
});

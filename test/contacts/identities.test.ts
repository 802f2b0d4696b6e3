import { beforeAll, expect, test } from 'vitest';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Contacts } from '#lib/entities/contact.ts';
import type { Item } from '#lib/table/entity.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { contactRow } from '#test/contacts/row.ts';
import { hears, newAccount } from '#test/telegram/line.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let tenant: Tenant;
beforeAll(async () => {
  workspace = await newWorkspace();
  tenant = { workspaceId: workspace.id, env: 'live' };
});

const write = (identities: Item<typeof Contacts>['identities'], fields: object) =>
  transact(tenant, system, async (tx) =>
    tx.create(Contacts, { ...contactRow({}), ...fields, identities, id: await tx.nextId(Contacts) } as never),
  );
const read = (id: number) => new UnitOfWork(tenant, system).get(Contacts, { id });

test('a merge takes over the ids that the target lacks', async () => {
  const account = await newAccount(tenant);
  const target = await write({ telegram: 9101 }, { name: 'Target' });
  const source = await write({ telegram: 9102, twitter: '9103' }, { name: 'Source' });
  const stranger = (await hears(tenant, account.id, { telegramUserId: 9104 })).contactId;
  for (const sourceContactId of [source.id, stranger])
    await workspace.live.post(`/v1/contacts/${target.id}/merge`, { sourceContactId }, 200);
  expect((await read(target.id)).identities).toEqual({ telegram: 9101, twitter: '9103' });
  expect((await hears(tenant, account.id, { telegramUserId: 9104 })).contactId).toBe(target.id);
});

test('the id on a channel that a later release has added stays through every change', async () => {
  const account = await newAccount(tenant);
  const id = (await hears(tenant, account.id, { telegramUserId: 9301 })).contactId;
  await transact(tenant, system, async (tx) => {
    const contact = await tx.get(Contacts, { id });
    tx.update(Contacts, { ...contact, identities: { ...contact.identities, carrier: 'pigeon-1' } });
  });
  await workspace.live.patch(`/v1/contacts/${id}`, { company: 'Ltd' });
  await hears(tenant, account.id, { telegramUserId: 9301, username: 'later' });
  expect((await read(id)).identities).toEqual({ telegram: 9301, carrier: 'pigeon-1' });
});

import * as v from 'valibot';
import { beforeAll, expect, test } from 'vitest';
import { Contacts } from '#lib/entities/contact.ts';
import { type Entity, entity, type Item, indexEntries, keyOf, latestVersion } from '#lib/table/entity.ts';
import { readRow } from '#lib/table/rows.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import { eventually } from '#test/client.ts';
import { contactRow } from '#test/contacts/row.ts';
import { hears, newAccount } from '#test/telegram/line.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

const { identities: _, ...shared } = Contacts.schema.entries;
const { identity: __, ...others } = Contacts.indexes as unknown as Record<string, never>;

/** Contacts as the release knows them that had a column for each channel. */
const Older = entity({
  name: 'contact',
  schema: v.object({ ...shared, telegramUserId: v.nullable(v.number()), twitterUserId: v.nullable(v.string()) }),
  indexes: {
    ...others,
    telegram: ({ telegramUserId }: { telegramUserId: number | null }) => telegramUserId,
    twitter: ({ twitterUserId }: { twitterUserId: string | null }) => twitterUserId,
  },
  counters: Contacts.counters as never,
});

let workspace: TestWorkspace;
let tenant: Tenant;
beforeAll(async () => {
  workspace = await newWorkspace();
  tenant = { workspaceId: workspace.id, env: 'live' };
});

const write = (of: Partial<Item<typeof Older>>) =>
  transact(tenant, system, async (tx) => {
    const id = await tx.nextId(Contacts);
    const { identities: ___, ...row } = contactRow({});
    return tx.create(Older, { ...row, telegramUserId: null, twitterUserId: null, ...of, id });
  });
const read = <E extends Entity>(of: E, id: number): Promise<Item<E>> =>
  new UnitOfWork(tenant, system).get(of, { id } as never);
const partitionsOf = (of: Entity, item: object) =>
  [...indexEntries(tenant, of, item as never).values()].map(({ pk }) => pk).sort();

/** Of the id that a test means, as the channel has it. */
const from = {
  telegram: (id: number) => ({ telegramUserId: id }),
  twitter: (id: number) => ({ twitterUserId: `${id}` }),
};
const sender = (channel: keyof typeof from, id: number) => from[channel](id);

test.each(['telegram', 'twitter'] as const)('a contact of the earlier form is known by its id on %s', async (name) => {
  const account = await newAccount(tenant, {
    channel: name,
    kind: 'user',
    ...(name === 'telegram' && { kind: 'bot' }),
  });
  const older = await write({ platform: name, name: 'Early', ...sender(name, 9001) });
  expect((await hears(tenant, account.id, sender(name, 9001), name)).contactId).toBe(older.id);
  const { body } = await workspace.live.post(`/v1/${name}/messages`, {
    accountId: account.id,
    contactId: older.id,
    text: 'Hello',
  });
  await eventually(async () => (await account.arrived()).stored.some(({ to }) => to === '9001'), 'the message');
  expect(body).toMatchObject({ accountId: account.id });
});

test('a merge takes over the ids that the target lacks, of either form', async () => {
  const account = await newAccount(tenant);
  const target = await write({ name: 'Target', telegramUserId: 9101 });
  const source = await write({ name: 'Source', telegramUserId: 9102, twitterUserId: '9103' });
  const stranger = (await hears(tenant, account.id, { telegramUserId: 9104 })).contactId;
  for (const sourceContactId of [source.id, stranger])
    await workspace.live.post(`/v1/contacts/${target.id}/merge`, { sourceContactId }, 200);
  expect((await read(Contacts, target.id)).identities).toEqual({ telegram: 9101, twitter: '9103' });
  expect((await hears(tenant, account.id, { telegramUserId: 9104 })).contactId).toBe(target.id);
});

test('the earlier release reads what this one writes, finds it, and what it writes this one reads', async () => {
  const account = await newAccount(tenant);
  const id = (await hears(tenant, account.id, { telegramUserId: 9201, name: 'Ida' })).contactId;
  const [now, then] = [await read(Contacts, id), await read(Older, id)];
  expect(now.identities).toEqual({ telegram: 9201 });
  expect(then).toMatchObject({ name: 'Ida', telegramUserId: 9201, twitterUserId: null });
  expect(partitionsOf(Older, then)).toEqual(partitionsOf(Contacts, now));
  await transact(tenant, system, async (tx) => {
    tx.update(Older, { ...(await tx.get(Older, { id })), twitterUserId: '9202' });
  });
  const back = await read(Contacts, id);
  expect(back.identities).toEqual({ telegram: 9201, twitter: '9202' });
  await workspace.live.patch(`/v1/contacts/${id}`, { company: 'Ltd' });
  expect(await readRow(keyOf(tenant, Contacts, { id }))).toMatchObject({
    entityVersion: latestVersion(Contacts),
    company: 'Ltd',
    identities: { telegram: 9201, twitter: '9202' },
    telegramUserId: 9201,
    twitterUserId: '9202',
  });
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
  expect((await read(Contacts, id)).identities).toEqual({ telegram: 9301, carrier: 'pigeon-1' });
});

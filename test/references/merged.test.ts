import { expect, test } from 'vitest';
import { createContact } from '#lib/contacts/store.ts';
import { MergedContacts } from '#lib/entities/contact.ts';
import { isThere, mergedInto, resolveMerged } from '#lib/references/merged.ts';
import { transact } from '#lib/table/transact.ts';
import { operator, type Tenant } from '#lib/tenant.ts';
import { newWorkspace } from '#test/workspace.ts';

test('who was merged is followed through a hundred merges, and no further', async () => {
  const { id: workspaceId } = await newWorkspace();
  const tenant: Tenant = { workspaceId, env: 'live' };
  const run = <Result>(work: Parameters<typeof transact<Result>>[2]) => transact(tenant, operator, work);
  const last = await run((tx) => createContact(tx, { name: 'Last', platform: 'telegram' }));
  const first = 1000;
  const chain = (length: number) => (index: number) => ({
    id: first + index,
    into: index === length - 1 ? last.id : first + index + 1,
  });
  await run(async (tx) => {
    for (let index = 0; index < 101; index += 1) tx.create(MergedContacts, chain(101)(index));
  });
  const resolved = (id: number, max?: number) => run(async (tx) => (await resolveMerged(tx, id, max))?.id);
  expect(await resolved(first + 1)).toBe(last.id);
  expect(await resolved(first)).toBeUndefined();
  expect(await isThere(tenant, first + 1)).toBe(true);
  expect(await isThere(tenant, first)).toBe(false);
  expect(await run((tx) => mergedInto(tx, first))).toBe(first + 100);
  expect(await resolved(first + 91, 10)).toBe(last.id);
  expect(await resolved(first + 90, 10)).toBeUndefined();
});

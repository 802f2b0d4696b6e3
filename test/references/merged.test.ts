import { expect, test } from 'vitest';
import { createContact } from '#lib/contacts/create.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { MergedContacts } from '#lib/entities/contact.ts';
import { isThere, mergedInto, mergedWith, resolveMerged } from '#lib/entities/references/merged.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { between } from '#test/between.ts';
import { newWorkspace } from '#test/workspace.ts';

test('a merged contact is followed through a hundred merges at most', async () => {
  const { id: workspaceId } = await newWorkspace();
  const tenant: Tenant = { workspaceId, env: 'live' };
  const run = <Result>(work: Parameters<typeof transact<Result>>[2]) => transact(tenant, operator, work);
  const last = await run((tx) => createContact(tx, { name: 'Last', platform: 'telegram' }));
  const first = 1000;
  const chain = (length: number) => (index: number) => ({
    id: first + index,
    into: index === length - 1 ? last.id : first + index + 1,
  });
  for (let index = 0; index < 101; index += 1) await run(async (tx) => tx.create(MergedContacts, chain(101)(index)));
  const resolved = (id: number, max?: number) => run(async (tx) => (await resolveMerged(tx, id, max))?.id);
  expect(await resolved(first + 1)).toBe(last.id);
  expect(await resolved(first)).toBeUndefined();
  expect(await isThere(tenant, first + 1)).toBe(true);
  expect(await isThere(tenant, first)).toBe(false);
  expect(await run((tx) => mergedInto(tx, first))).toBe(first + 100);
  expect(await resolved(first + 91, 10)).toBe(last.id);
  expect(await resolved(first + 90, 10)).toBeUndefined();
});

test('a contact of many merges is found with a hundred of them in few calls', async () => {
  const { id: workspaceId } = await newWorkspace();
  const tenant: Tenant = { workspaceId, env: 'live' };
  const run = <Result>(work: Parameters<typeof transact<Result>>[2]) => transact(tenant, operator, work);
  const { id: last } = await run((tx) => createContact(tx, { name: 'Last', platform: 'telegram' }));
  const branches = Array.from({ length: 20 }, (_, index) => 1_000 + 100 * index);
  for (const id of branches)
    await run(async (tx) => {
      tx.create(MergedContacts, { id, into: last });
      for (let leaf = id + 1; leaf <= id + 20; leaf += 1) tx.create(MergedContacts, { id: leaf, into: id });
    });
  const counted = async <Result>(work: (tx: UnitOfWork) => Promise<Result>) => {
    let calls = 0;
    const result = await between(
      (_, next) => {
        calls += 1;
        return next();
      },
      () => work(new UnitOfWork(tenant, operator)),
    );
    return { calls, result };
  };
  const all = await counted((tx) => mergedWith(tx, 1_001));
  expect(all.result.slice(0, 2)).toEqual([last, 1_001]);
  expect(new Set(all.result).size).toBe(100);
  expect(all.calls).toBeLessThan(30);
});

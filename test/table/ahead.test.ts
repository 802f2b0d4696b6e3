import * as v from 'valibot';
import { beforeAll, expect, test } from 'vitest';
import { changeContact } from '#lib/contacts/change.ts';
import { createContact } from '#lib/contacts/create.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { removingEntries } from '#lib/table/commit.ts';
import { entity } from '#lib/table/entity.ts';
import { listAll, listPage } from '#lib/table/list.ts';
import { Sagas } from '#lib/table/saga.ts';
import { rowsOfWorkspace } from '#lib/table/scan.ts';
import { UnfitRow } from '#lib/table/size.ts';
import { finishSaga, transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { dyingAfter } from '#test/crash.ts';
import { newWorkspace } from '#test/workspace.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = { workspaceId: (await newWorkspace()).id, env: 'live' };
});

const run = <Result>(work: (tx: UnitOfWork) => Promise<Result>) => transact(tenant, operator, work);
const tens = Array.from({ length: 10 }, (_, index) => index);
const made = (tx: UnitOfWork, phone: string, index: number) =>
  createContact(tx, {
    ...{ platform: 'telegram', name: 'New', username: `new_${phone}_${index}` },
    ...{ phone: `${phone}${index}`, email: `new${phone}${index}@example.com` },
  });
const withEmail = (email: string) => run((tx) => listPage(tx, Contacts, { where: { email }, limit: 10 }));
const entriesWith = async (text: string) => {
  const keys: string[] = [];
  for await (const { pk, of } of rowsOfWorkspace(tenant.workspaceId)) if (of && pk.includes(text)) keys.push(pk);
  return keys;
};
const finishAll = async () => {
  for (const saga of await run((tx) => listAll(tx, Sagas))) await finishSaga(tenant, removingEntries, saga);
};

test('rows with many entries are there with all of them, or not at all, whenever the process dies', async () => {
  const outcomes = { done: 0, undone: 0 };
  for (let allowedWrites = 0, survived = false; !survived; allowedWrites += 1) {
    const phone = String(555_000 + allowedWrites);
    survived = await dyingAfter(
      allowedWrites,
      () =>
        run(async (tx) => {
          for (const index of tens) await made(tx, phone, index);
        }),
      /^(TransactWrite|Put|Delete|BatchWrite)/,
    );
    await finishAll();
    const found = await Promise.all(
      tens.map(async (index) => (await withEmail(`new${phone}${index}@example.com`)).items.length),
    );
    const isDone = found[0] === 1;
    expect(new Set(found)).toEqual(new Set([isDone ? 1 : 0]));
    // Username twice, e-mail.
    expect(await entriesWith(phone)).toHaveLength(isDone ? 30 : 0);
    outcomes[isDone ? 'done' : 'undone'] += 1;
  }
  expect(outcomes.done).toBeGreaterThan(0);
  expect(outcomes.undone).toBeGreaterThan(2);
  expect(await run((tx) => listAll(tx, Sagas))).toEqual([]);
});

test('a commit that one transaction does not take writes nothing and leaves no entry', async () => {
  const contacts = await run(async (tx) => Promise.all(tens.slice(0, 5).map((index) => made(tx, '666000', index))));
  const change = run(async (tx) => {
    for (const index of tens) await made(tx, '777000', index);
    for (const { id } of contacts)
      await changeContact(tx, id, {
        ...{ name: 'Changed', username: null, phone: '888000', email: 'changed@example.com', company: 'C', notes: 'N' },
        ...{ stage: 'customer', leadScore: 5 },
      });
    for (const { id } of contacts) await changeContact(tx, id, { company: 'D', notes: 'M', leadScore: 6 });
  });
  await expect(change).rejects.toThrow(UnfitRow);
  expect(await entriesWith('777000')).toEqual([]);
  expect(await entriesWith('888000')).toEqual([]);
  expect(await run((tx) => listAll(tx, Sagas))).toEqual([]);
});

const Parcels = entity({
  name: 'parcel',
  within: 'box/{boxId}/parcel',
  schema: v.object({ id: v.number(), boxId: v.number(), color: v.string(), shape: v.string(), owner: v.string() }),
  indexes: { color: ({ color }) => color, shape: ({ shape }) => shape, owner: ({ owner }) => owner },
});
const parcel = (id: number, boxId: number) => ({ id, boxId, color: 'red', shape: 'round', owner: 'ann' });

test('a row that moves keeps its index entries, whenever the process dies', async () => {
  await run(async (tx) => {
    for (const id of tens) tx.create(Parcels, parcel(id, 1));
  });
  const isMoved = async () => (await run((tx) => tx.find(Parcels, parcel(0, 2)))) !== undefined;
  for (let allowedWrites = 0; !(await isMoved()); allowedWrites += 1) {
    const move = async (tx: UnitOfWork) => {
      for (const id of tens) tx.delete(Parcels, await tx.get(Parcels, parcel(id, 1)));
      for (const id of tens) tx.create(Parcels, parcel(id, 2));
      for (let id = 10; id < 25; id += 1) tx.create(Parcels, parcel(id, 2));
    };
    await dyingAfter(allowedWrites, () => run(move), /^(TransactWrite|Put|Delete|BatchWrite)/);
    await finishAll();
    const page = await run((tx) => listPage(tx, Parcels, { where: { color: 'red' }, limit: 100 }));
    expect(page.items).toHaveLength((await isMoved()) ? 25 : 10);
  }
});

const Shelves = entity({
  name: 'shelf',
  schema: v.object({ id: v.number(), labels: v.array(v.string()), code: v.string() }),
  indexes: { label: ({ labels }) => labels, code: { of: ({ code }) => code, isUnique: true } },
});

test('a row with many entries is deleted with all of them or not at all, whenever the process dies', async () => {
  const labels = Array.from({ length: 120 }, (_, index) => `label${index}`);
  const deleteShelf = (id: number) => run(async (tx) => tx.delete(Shelves, await tx.get(Shelves, { id })));
  const outcomes = { kept: 0, gone: 0 };
  for (let id = 1, survived = false; !survived; id += 1) {
    await run(async (tx) => tx.create(Shelves, { id, labels, code: 'one' }));
    survived = await dyingAfter(id - 1, () => deleteShelf(id), /^(TransactWrite|Put|Delete|BatchWrite)/);
    await finishAll();
    const isKept = (await run((tx) => tx.find(Shelves, { id }))) !== undefined;
    expect(await entriesWith('#shelf?')).toHaveLength(isKept ? 121 : 0);
    if (isKept) await deleteShelf(id);
    outcomes[isKept ? 'kept' : 'gone'] += 1;
  }
  expect(outcomes.kept).toBeGreaterThan(0);
  expect(outcomes.gone).toBeGreaterThan(1);
});

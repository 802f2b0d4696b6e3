import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { hourMs, shifted } from '#lib/clock.ts';
import { changeContact, createContact, listContacts } from '#lib/contacts/store.ts';
import { Activities } from '#lib/entities/activity.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { entriesPartition } from '#lib/table/entity.ts';
import { listPage } from '#lib/table/list.ts';
import { pages } from '#lib/table/pages.ts';
import { putRows, type Row } from '#lib/table/rows.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { operator, type Tenant } from '#lib/tenant.ts';
import { createWorkspace } from '#lib/workspaces/store.ts';
import { between } from '#test/between.ts';
import { dyingAfter } from '#test/crash.ts';
import { seeded } from '#test/faults/random.ts';

const stages = ['new', 'contacted', 'qualified'] as const;
const counted = /^(Batch|Transact)Write/;

async function inWorkspace() {
  const { id: workspaceId } = await createWorkspace({ name: 'Early', currency: 'EUR' });
  const tenant: Tenant = { workspaceId, env: 'live' };
  const create = (name: string) =>
    transact(tenant, operator, (tx) => createContact(tx, { platform: 'telegram', name }));
  const list = async (query: object) =>
    (await listContacts(UnitOfWork.forAnswer(tenant, operator), { limit: 100, ...query })).items;
  const entriesOf = async (name: string) => {
    const rows: Row[] = [];
    for await (const page of pages({ pk: entriesPartition(tenant, Contacts, name) })) rows.push(...page);
    return rows;
  };
  return { tenant, create, list, entriesOf };
}

test('a creation that dies between its entries and its item is in no list, and the first list an hour later takes them away', async () => {
  const { create, list, entriesOf } = await inWorkspace();
  await dyingAfter(1, () => create('Ada'), counted);
  const [left] = await entriesOf('stage=new');
  expect(left).toMatchObject({ earlyAt: expect.any(String) });
  expect(await list({ stage: 'new' })).toEqual([]);
  expect(await list({})).toEqual([]);
  // Its process may be about to write the item.
  expect(await entriesOf('stage=new')).toHaveLength(1);
  await create('Bea');
  expect((await list({ stage: 'new' })).map(({ name }) => name)).toEqual(['Bea']);
  await putRows([{ ...(left as Row), earlyAt: shifted(new Date(), -3_700_000) }]);
  expect((await list({ stage: 'new' })).map(({ name }) => name)).toEqual(['Bea']);
  expect(await entriesOf('stage=new')).toHaveLength(1);
});

test('a list that meets the entries before the item leaves them, and the item is in the next one', async () => {
  const { create, list } = await inWorkspace();
  let listed: unknown[] | undefined;
  await between(
    async ({ operation }, next) => {
      if (operation === 'TransactWriteItems') listed = await list({ stage: 'new' });
      return next();
    },
    () => create('Ada'),
  );
  expect(listed).toEqual([]);
  expect((await list({ stage: 'new' })).map(({ name }) => name)).toEqual(['Ada']);
});

test('a function that is frozen between its entries and its item writes no item whose entries may be gone', async () => {
  const { create, list, entriesOf } = await inWorkspace();
  const thawed = new AbortController();
  let isFrozen = false;
  const clock = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(thawed.signal);
  const created = between(
    async ({ operation }, next) => {
      const answer = await next();
      if (operation === 'BatchWriteItem' && !isFrozen) {
        isFrozen = true;
        const [left] = await entriesOf('stage=new');
        await putRows([{ ...(left as Row), earlyAt: shifted(new Date(), -3_700_000) }]);
        await list({ stage: 'new' });
        thawed.abort();
      }
      return answer;
    },
    () => create('Ada'),
  );
  await expect(created).rejects.toThrow('aborted');
  expect(clock.mock.calls[0]?.[0]).toBeLessThan(hourMs / 2);
  clock.mockRestore();
  expect([await list({}), await list({ stage: 'new' })]).toEqual([[], []]);
});

test('what a refused transaction had early is taken back, and what its repetition writes is found', async () => {
  const { create, list, entriesOf } = await inWorkspace();
  let refusals = 2;
  await between(
    async ({ operation }, next) => {
      if (operation !== 'TransactWriteItems' || refusals === 0) return next();
      refusals -= 1;
      throw Object.assign(new Error('conflict'), { name: 'TransactionConflictException' });
    },
    () => create('Ada'),
  );
  expect(refusals).toBe(0);
  expect(await entriesOf('stage=new')).toHaveLength(1);
  expect(await entriesOf('platform=telegram')).toHaveLength(1);
  expect(await list({ stage: 'new' })).toHaveLength(1);
});

test('a row that moves is found by its entry until it has moved', async () => {
  const { tenant, create } = await inWorkspace();
  const run = <Result>(work: (tx: UnitOfWork) => Promise<Result>) => transact(tenant, operator, work);
  const [from, to] = [await create('From'), await create('To')];
  for (const stage of ['contacted', 'qualified', 'new'] as const)
    await run((tx) => changeContact(tx, from.id, { stage }));
  const all = () => run(async (tx) => (await listPage(tx, Activities, { limit: 100, where: { all: true } })).items);
  const before = await all();
  const move = async (tx: UnitOfWork) => {
    for (const activity of (await listPage(tx, Activities, { limit: 100, within: { contactId: from.id } })).items) {
      tx.delete(Activities, activity);
      tx.create(Activities, { ...activity, contactId: to.id });
    }
  };
  await dyingAfter(0, () => run(move));
  expect(await all()).toEqual(before);
  await run(move);
  expect(await all()).toEqual(before.map((activity) => ({ ...activity, contactId: to.id })));
});

test('whoever dies when, and whatever is moved meanwhile, every filter finds what the items say', async () => {
  const { tenant, create, list } = await inWorkspace();
  const random = seeded(7);
  const pick = (count: number) => random.between(0, count - 1);
  for (let round = 0; round < 12; round += 1) {
    await dyingAfter(pick(3), () => create(`Dead ${randomUUID()}`), counted);
    const known = await list({});
    const moves = known.slice(0, 3).flatMap(({ id }) => [
      { id, change: { stage: stages[pick(3)] } },
      { id, change: { stage: stages[pick(3)], name: `Moved ${pick(100)}` } },
    ]);
    await Promise.all([
      create(`Ada ${round}`),
      create(`Bea ${round}`),
      ...moves.map(({ id, change }) => transact(tenant, operator, (tx) => changeContact(tx, id, change))),
    ]);
    const all = await list({});
    for (const stage of stages)
      expect(await list({ stage }), stage).toEqual(all.filter((contact) => contact.stage === stage));
    expect(await list({ platform: 'telegram', q: 'a' })).toEqual(all.filter(({ name }) => /a/i.test(String(name))));
  }
  expect((await list({})).length).toBeGreaterThanOrEqual(24);
});

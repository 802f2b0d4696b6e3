import * as v from 'valibot';
import { expect, test } from 'vitest';
import { changeContact } from '#lib/contacts/change.ts';
import { createContact } from '#lib/contacts/create.ts';
import { renaming } from '#lib/contacts/rename.ts';
import { system, type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { createDeal } from '#lib/deals/store.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { CreateDeal, Deals } from '#lib/entities/deal.ts';
import { entityPartition } from '#lib/table/entity.ts';
import { listAll } from '#lib/table/list.ts';
import { Sagas } from '#lib/table/saga.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { createWorkspace } from '#lib/workspaces/create.ts';
import { between } from '#test/between.ts';
import { lateReads } from '#test/faults/late.ts';
import { rowsRead } from '#test/rows.ts';

/** A contact in a workspace of its own, and its deals. */
async function dealing(deals: number) {
  const { id: workspaceId } = await createWorkspace({ name: 'Test', currency: 'EUR' });
  const tenant: Tenant = { workspaceId, env: 'live' };
  const run = <Result>(work: (tx: UnitOfWork) => Promise<Result>) => transact(tenant, system, work);
  const { id } = await run((tx) => createContact(tx, { platform: 'telegram', name: 'Ada' }));
  const deal = v.parse(CreateDeal, { title: 'Deal', contactId: id });
  const opens = () => run((tx) => createDeal(tx, deal));
  for (let left = deals; left > 0; left -= 10) await Promise.all(Array.from({ length: Math.min(10, left) }, opens));
  const names = async () => (await run((tx) => listAll(tx, Deals))).map(({ contactName }) => contactName);
  return { id, tenant, run, opens, names };
}

test('a rename reads each row that shows the name once over all its steps', async () => {
  const rowsOf = async (deals: number) => {
    const { id, run, names } = await dealing(deals);
    const rows = await rowsRead(() => run((tx) => changeContact(tx, id, { name: 'Eve' })));
    expect(await names()).toEqual(Array(deals).fill('Eve'));
    return rows;
  };
  const [few, many] = [await rowsOf(100), await rowsOf(200)];
  // An index entry and a row each, and what every step looks ahead.
  expect(few).toBeLessThanOrEqual(2 * 100 + 20);
  expect(many).toBeLessThanOrEqual(2 * 200 + 20);
});

test('rows written during a rename show the last name, as do rows that it had passed', async () => {
  const { id, run, opens, names } = await dealing(100);
  const step = (place?: Parameters<typeof renaming.step>[1]['place']) =>
    run((tx) => renaming.step(tx, { contactId: id, ...(place && { place }) }, ''));
  await run(async (tx) => tx.update(Contacts, { ...(await tx.get(Contacts, { id })), name: 'Bea' }));
  const left = await step();
  expect(left?.place?.after).toBeGreaterThan(0);
  await opens();
  await run((tx) => changeContact(tx, id, { name: 'Eve' }));
  await opens();
  expect(await step(left?.place)).toBeUndefined();
  expect(await names()).toEqual(Array(102).fill('Eve'));
});

/** What else is sent to the table while the work is done: to which partitions something is written. */
async function partitionsWritten(work: () => Promise<unknown>): Promise<string[]> {
  const written: string[] = [];
  await between(async ({ input }, next) => {
    const actions = (input['TransactItems'] ?? []) as Record<string, { Item?: { pk: string }; Key?: { pk: string } }>[];
    written.push(...actions.flatMap(Object.values).map(({ Item, Key }) => String((Item ?? Key)?.pk)));
    return next();
  }, work);
  return written;
}

test('a rename keeps no saga where nothing shows the name', async () => {
  const { id, tenant, run, opens, names } = await dealing(0);
  const sagas = entityPartition(tenant, Sagas);
  const rename = (name: string) => partitionsWritten(() => run((tx) => changeContact(tx, id, { name })));
  expect(await rename('Bea')).not.toContain(sagas);
  await opens();
  expect(await rename('Eve')).toContain(sagas);
  expect(await names()).toEqual(['Eve']);
});

type Two = (ways: { rename: () => Promise<unknown>; open: () => Promise<unknown> }) => {
  work: () => Promise<unknown>;
  rival: () => Promise<unknown>;
};
const races: [string, Two][] = [
  ['a rename and the first deal', ({ rename, open }) => ({ work: rename, rival: open })],
  ['the first deal and a rename', ({ rename, open }) => ({ work: open, rival: rename })],
];

test.each(races)('whichever read is late when %s meet, the deal shows the new name', async (_, two) => {
  const reads = await lateReads({
    async before() {
      const { id, run, opens, names } = await dealing(0);
      const rename = () => run((tx) => changeContact(tx, id, { name: 'Eve' }));
      return { ...two({ rename, open: opens }), names };
    },
    work: ({ work }) => work(),
    rival: ({ rival }) => rival(),
    async after({ names }, answers) {
      expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
      expect(await names()).toEqual(['Eve']);
    },
  });
  expect(reads).toBeGreaterThan(0);
});

test('a rename that sees of the first deal only what that has written into the contact still follows it', async () => {
  const { id, tenant, run, opens, names } = await dealing(0);
  await opens();
  const hidden = `${tenantKey(tenant)}#deal`;
  let hasCommitted = false;
  await between(
    async ({ operation, input }, next) => {
      hasCommitted ||= operation === 'TransactWriteItems';
      const values = (input['ExpressionAttributeValues'] ?? {}) as { ':pk'?: string };
      const isHidden = operation === 'Query' && !hasCommitted && values[':pk']?.startsWith(hidden);
      return isHidden ? { Items: [] } : next();
    },
    () => run((tx) => changeContact(tx, id, { name: 'Eve' })),
  );
  expect(await names()).toEqual(['Eve']);
});

import * as v from 'valibot';
import { expect, test } from 'vitest';
import { renaming } from '#lib/contacts/rename.ts';
import { changeContact, createContact } from '#lib/contacts/store.ts';
import { createDeal } from '#lib/deals/store.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { CreateDeal, Deals } from '#lib/entities/deal.ts';
import { listAll } from '#lib/table/list.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import { createWorkspace } from '#lib/workspaces/store.ts';
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
  return { id, run, opens, names };
}

test('a rename reads each row that shows the name once, however many steps it takes', async () => {
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

test('what is written while a rename is under way shows the last name, and so does what it had passed', async () => {
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

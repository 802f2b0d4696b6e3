import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeContact } from '#lib/contacts/change.ts';
import { createContact } from '#lib/contacts/create.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Meter, startMeter } from '#test/bench/meter.ts';
import { between } from '#test/between.ts';
import { redirect } from '#test/endpoints.ts';
import { startProxy } from '#test/faults/dynamodb-proxy.ts';
import { seeded } from '#test/faults/random.ts';
import { newWorkspace } from '#test/workspace.ts';

let proxy: Awaited<ReturnType<typeof startProxy>>;
let meter: Meter;
let tenant: Tenant;
let restore: () => void;

beforeAll(async () => {
  proxy = await startProxy(String(process.env['AWS_ENDPOINT_URL_DYNAMODB']), seeded(1), 0);
  meter = await startMeter(proxy.url);
  restore = redirect('DYNAMODB', meter.url);
  tenant = { workspaceId: (await newWorkspace()).id, env: 'live' };
});
afterAll(async () => {
  restore();
  meter.close();
  await proxy.close();
});

const run = <Result>(work: (tx: UnitOfWork) => Promise<Result>) => transact(tenant, system, work);

test('a change that meets conflicts runs again as a whole, and calls for nothing else', async () => {
  const { id } = await run((tx) => createContact(tx, { platform: 'telegram', name: 'Crowded' }));
  const callsOf = async (conflicts: number) => {
    proxy.conflict('live#contact"', conflicts);
    meter.take();
    await run((tx) => changeContact(tx, id, { company: `after ${conflicts}` }));
    return meter.take().calls;
  };
  const [alone, contended] = [await callsOf(0), await callsOf(3)];
  expect(alone).toBe(4);
  expect(contended).toBe(4 * alone);
});

test('concurrent changes of one contact are all made despite conflicts', async () => {
  const { id } = await run((tx) => createContact(tx, { platform: 'telegram', name: 'Crowded' }));
  const companies = ['One', 'Two', 'Three'];
  let inHand = 0;
  let refused = 0;
  await between(
    async ({ operation }, next) => {
      if (operation !== 'TransactWriteItems') return next();
      if (inHand > 0) {
        refused += 1;
        throw canceled();
      }
      inHand += 1;
      try {
        await sleep(20);
        return await next();
      } finally {
        inHand -= 1;
      }
    },
    () => Promise.all(companies.map((company) => run((tx) => changeContact(tx, id, { company })))),
  );
  expect(refused).toBeGreaterThan(1);
  expect(await run((tx) => tx.get(Contacts, { id }))).toMatchObject({ company: expect.toBeOneOf(companies) });
});

/** What DynamoDB says of a transaction while another one has its first item in hand. */
const canceled = () =>
  Object.assign(new Error('Transaction cancelled'), {
    name: 'TransactionCanceledException',
    CancellationReasons: [{ Code: 'TransactionConflict' }],
  });

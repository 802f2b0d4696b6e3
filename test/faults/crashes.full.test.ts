import { beforeAll, expect, test } from 'vitest';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { connectAccount } from '#lib/messages/accounts/change.ts';
import { disconnectAccount, getStoredAccount } from '#lib/messages/accounts/store.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { createEndpoint } from '#lib/webhooks/store.ts';
import { eventually } from '#test/client.ts';
import { dyingAfter } from '#test/crash.ts';
import { differencesOf } from '#test/faults/books.ts';
import { newWorld, type Work, works } from '#test/faults/world.ts';
import { newAccount } from '#test/telegram/line.ts';
import { newWorkspace } from '#test/workspace.ts';

/** What is done alone here, and not in pairs. */
const others: Record<string, Work> = {
  'disconnects an account': async (tx, { accountId }) =>
    disconnectAccount(tx, await getStoredAccount(tx, accountId, 'telegram')),
  'connects an account again': (tx, { accountId }) =>
    connectAccount(tx, { id: accountId, channel: 'telegram' }, { kind: 'bot', secret: 'another' }),
  'registers an endpoint': (tx, { word }) =>
    createEndpoint(tx, { url: `https://example.com/${word}`, eventKinds: ['contact.created'] }),
};

const every = Object.entries({ ...works, ...others });
/** `npm run test:pairs` tries them all, one in five is for every day; the erasure of a contact has a test of its own. */
const some = process.env['MODE'] === 'every-pair' ? every : every.filter((_, index) => index % 5 === 1);
const tenants: Tenant[] = [];

/** The deaths of all of them come first: what they leave to workers is waited for once. */
beforeAll(async () => {
  for (const [, work] of some) {
    const tenant: Tenant = { workspaceId: (await newWorkspace()).id, env: 'test' };
    tenants.push(tenant);
    const { id: accountId } = await newAccount(tenant);
    const run = <Result>(unit: (tx: UnitOfWork) => Promise<Result>) => transact(tenant, operator, unit);
    let writes = 0;
    for (let isAlive = false; !isAlive; writes += 1) {
      const world = await newWorld(run, accountId);
      isAlive = await dyingAfter(writes, () => run((tx) => work(tx, world)), /Write|Put|Delete|Update/);
    }
    expect(writes).toBeGreaterThan(1);
  }
});

test.each(some.map(([name], index) => ({ name, index })))(
  'rows and counts are right after a process $name and dies before or after any of its writes',
  async ({ index }) => {
    const tenant = tenants[index] as Tenant;
    await eventually(
      async () => !(await differencesOf(tenant)).some((one) => one.startsWith('the number of sagas')),
      'the sagas that are left to a worker',
    );
    expect(await differencesOf(tenant)).toEqual([]);
  },
);

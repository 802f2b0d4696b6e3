import { beforeAll, expect, test } from 'vitest';
import { minuteMs, now, secondMs } from '#lib/core/clock.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Senders } from '#lib/entities/sender.ts';
import {
  type AccountLock,
  type AccountPlace,
  acquire,
  type Lease,
  lockAccount,
  release,
} from '#lib/messages/accounts/sender.ts';
import { keyOf } from '#lib/table/entity.ts';
import { readRow } from '#lib/table/rows.ts';
import { transact } from '#lib/table/transact.ts';
import { newAccount } from '#test/telegram/line.ts';
import { newWorkspace } from '#test/workspace.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = { workspaceId: (await newWorkspace()).id, env: 'live' };
});

const newPlace = async (): Promise<AccountPlace> => ({
  ...{ tenant, channel: 'telegram', accountId: (await newAccount(tenant)).id },
});
const rowOf = ({ accountId: id }: AccountPlace) => readRow(keyOf(tenant, Senders, { id }));

test('a holder of an account learns once that senders want it', async () => {
  const place = await newPlace();
  const lock = (await lockAccount(place, minuteMs, 0)) as AccountLock;
  expect(await lock.isContended()).toBe(false);
  const senders = await Promise.all([1, 2, 3, 4, 5].map(() => acquire(place, minuteMs)));
  expect(senders).toEqual([1, 2, 3, 4, 5].map(() => undefined));
  expect(await lock.isContended()).toBe(true);
  // One to take it, one to say so.
  expect(await rowOf(place)).toMatchObject({ v: 2 });
});

test('senders that find another one at work write once', async () => {
  const place = await newPlace();
  const lease = (await acquire(place, minuteMs)) as Lease;
  await Promise.all([1, 2, 3, 4, 5].map(() => acquire(place, minuteMs)));
  const row = await rowOf(place);
  expect(row).toMatchObject({ v: 2, resumeAt: expect.any(String) });
  expect(row).not.toHaveProperty('isChanged');
  await release(lease, null);
  const lock = await lockAccount(place, minuteMs, 0);
  expect(lock).toBeDefined();
});

test('an account that is kept for senders is taken by one of them alone, and free after it', async () => {
  const place = await newPlace();
  await release((await acquire(place, minuteMs)) as Lease, null);
  await transact(tenant, operator, async (tx) => {
    const sender = await tx.get(Senders, { id: place.accountId });
    tx.update(Senders, { ...sender, sendersUntilMs: now() + 30 * secondMs });
  });
  expect(await lockAccount(place, minuteMs, 0)).toBeUndefined();
  await release((await acquire(place, minuteMs)) as Lease, null);
  expect(await lockAccount(place, minuteMs, 0)).toBeDefined();
});

import { expect, test } from 'vitest';
import { system, type Tenant } from '#lib/core/tenant.ts';
import type { Reach } from '#lib/entities/contact.ts';
import { unite } from '#lib/entities/references/reach.ts';
import { markInboundRead } from '#lib/messages/read.ts';
import { storeMessage } from '#lib/messages/store.ts';
import { transact } from '#lib/table/transact.ts';
import { newWorkspace } from '#test/workspace.ts';

const reachAt = (accountId: number, minute: number): Reach => ({
  accountId,
  userId: null,
  lastInboundAt: null,
  lastOutboundAt: `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`,
});

test('a contact keeps its fifty newest accounts', () => {
  const known = Array.from({ length: 50 }, (_, index) => reachAt(index + 1, 50 - index));
  const kept = unite(known, [reachAt(100, 55), reachAt(101, 0)]);
  expect(kept.map(({ accountId }) => accountId)).toEqual([...known.slice(0, 49).map((one) => one.accountId), 100]);
  expect(unite(known, [reachAt(1, 59)])).toHaveLength(50);
});

test('a message that arrives while its conversation is marked as read is counted right', async () => {
  const { id: workspaceId, live } = await newWorkspace();
  const tenant: Tenant = { workspaceId, env: 'live' };
  const { body: contact } = await live.post('/v1/contacts', { name: 'Ann' });
  const at = '2026-01-01T00:00:01Z';
  const receive = () =>
    transact(tenant, system, (tx) =>
      storeMessage(tx, {
        ...{ contactId: contact.id, channel: 'telegram', direction: 'inbound', status: 'received' },
        ...{ body: 'Hi', accountId: 7, sentAt: at },
      }),
    );
  await receive();
  let tries = 0;
  await transact(tenant, system, async (tx) => {
    await markInboundRead(tx, contact.id, {});
    tries += 1;
    // Of the same second: it tells nothing new of the contact.
    if (tries === 1) await receive();
  });
  const { items } = (await live.get(`/v1/contacts/${contact.id}/messages`)).body;
  const isAnyUnread = items.some(({ isRead }: { isRead: boolean }) => !isRead);
  expect([items.length, (await live.get(`/v1/contacts/${contact.id}`)).body.hasUnreadMessages]).toEqual([
    2,
    isAnyUnread,
  ]);
});

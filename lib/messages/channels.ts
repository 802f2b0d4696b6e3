import type * as v from 'valibot';
import { Accounts } from '#lib/entities/account.ts';
import { Blocks } from '#lib/entities/block.ts';
import { type ContactChannel, Contacts } from '#lib/entities/contact.ts';
import { reachOf } from '#lib/entities/references/reach.ts';
import type { Page } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** By which accounts a contact has been spoken with, and whether they still reach it; the newest account first. Raises 404. */
export async function listChannels(
  tx: UnitOfWork,
  contactId: number,
): Promise<Page<v.InferOutput<typeof ContactChannel>>> {
  const contact = await tx.get(Contacts, { id: contactId });
  const reach = await reachOf(tx, contact);
  const [accounts, blocks] = await Promise.all([
    tx.findAll(
      Accounts,
      [...new Set(reach.map(({ accountId }) => accountId))].map((id) => ({ id })),
    ),
    tx.findAll(
      Blocks,
      reach.flatMap(({ accountId, userId }) => (userId === null ? [] : [{ accountId, userId }])),
    ),
  ]);
  const items = accounts.flatMap(({ id, channel, name }) => {
    const username = contact.platform === channel ? contact.username : null;
    return reach.flatMap((one) => {
      if (one.accountId !== id) return [];
      const block = blocks.find(({ accountId, userId }) => accountId === id && userId === one.userId);
      return [{ ...one, channel, accountName: name, username, blockedAt: block?.blockedAt ?? null }];
    });
  });
  return { items: items.sort((a, b) => b.accountId - a.accountId), nextCursor: null, hasMore: false };
}

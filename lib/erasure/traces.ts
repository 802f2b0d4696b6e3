import { Blocks } from '#lib/entities/block.ts';
import { normalised, type Traces } from '#lib/entities/contact.ts';
import { Peers } from '#lib/entities/peer.ts';
import { Senders } from '#lib/entities/sender.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/**
 * Removes what accounts keep of somebody beside contacts: who they are for an account, their blocks, its pace. That mail to an address
 * bounces stays known, by its digest.
 */
export async function eraseTraces(tx: UnitOfWork, { username, userIds, accountIds }: Traces): Promise<void> {
  const names = [...userIds, ...(username === null ? [] : [`@${normalised.username(username)}`])];
  for (const accountId of accountIds) {
    const [peers, blocks, sender] = await Promise.all([
      tx.findAll(
        Peers,
        names.map((name) => ({ accountId, name })),
      ),
      tx.findAll(
        Blocks,
        userIds.map((userId) => ({ accountId, userId })),
      ),
      tx.find(Senders, { id: accountId }),
    ]);
    for (const peer of peers) tx.delete(Peers, peer);
    for (const block of blocks) tx.delete(Blocks, block);
    const paced = Object.entries(sender?.pace.peers ?? {});
    const others = paced.filter(([peer]) => !names.includes(peer.toLowerCase()));
    if (sender && others.length < paced.length)
      tx.update(Senders, { ...sender, pace: { ...sender.pace, peers: Object.fromEntries(others) } });
  }
}

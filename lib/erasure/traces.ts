import { turnOf } from '#lib/accounts/sender.ts';
import { Blocks } from '#lib/entities/block.ts';
import { normalised } from '#lib/entities/contact.ts';
import { Peers } from '#lib/entities/peer.ts';
import { Senders } from '#lib/entities/sender.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import type { Part } from './part.ts';
import type { Erasing } from './start.ts';

type State = Pick<Erasing, 'username' | 'userIds' | 'accountIds' | 'senderIds' | 'place'>;

/**
 * Removes what accounts keep of somebody beside contacts: who they are for an account, their blocks, its pace. Who is sending when
 * that is removed has sent to them perhaps, and writes the pace when its turn is over: it is waited for, and looked after once more.
 * That mail to an address bounces stays known, by its digest.
 */
export async function eraseTraces(
  tx: UnitOfWork,
  { username, userIds, accountIds, senderIds = [], place }: State,
): Promise<Part> {
  const names = [...userIds, ...(username === null ? [] : [`@${normalised.username(username)}`])];
  const turns: string[] = [];
  for (const accountId of new Set([...accountIds, ...senderIds])) {
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
    if (!sender) continue;
    const paced = Object.entries(sender.pace.peers);
    const others = paced.filter(([peer]) => !names.includes(peer.toLowerCase()));
    const isNamed = others.length < paced.length;
    if (isNamed) tx.update(Senders, { ...sender, pace: { ...sender.pace, peers: Object.fromEntries(others) } });
    const turn = turnOf(sender);
    // A turn that began when the row no longer named them knows nothing of them.
    if (turn !== undefined && (isNamed || (place.turns?.includes(turn) ?? true))) turns.push(turn);
  }
  return turns.length > 0 ? { isLeft: true, place: { isWaiting: true, turns } } : { isLeft: false };
}

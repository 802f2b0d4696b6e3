import type * as v from 'valibot';
import { Peers } from '#lib/entities/peer.ts';
import { readGroup } from '#lib/table/counters.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

export type Peer = Pick<v.InferOutput<(typeof Peers)['schema']>, 'userId' | 'accessHash'>;

const usernameKey = (username: string) => `@${username.toLowerCase()}`;

/**
 * The person with this id, if the account has met them, else whom the username meant when it was looked up, a day ago at most: that may
 * be somebody with another id.
 */
export async function findPeer(
  tx: UnitOfWork,
  accountId: number,
  { telegramUserId, username }: { telegramUserId?: number | undefined; username?: string | undefined },
): Promise<Peer | undefined> {
  const [known, named] = await Promise.all([
    telegramUserId ? tx.find(Peers, { accountId, name: String(telegramUserId) }) : undefined,
    username ? tx.find(Peers, { accountId, name: usernameKey(username) }) : undefined,
  ]);
  return known ?? named;
}

/** From now on the account knows this person; one it had not met counts as new today. */
export async function meetPeer(tx: UnitOfWork, accountId: number, username: string, peer: Peer): Promise<void> {
  const names = [String(peer.userId), usernameKey(username)];
  const [known, named] = await Promise.all(names.map((name) => tx.find(Peers, { accountId, name })));
  for (const [name, row] of [
    [names[0] as string, known],
    [names[1] as string, named],
  ] as const) {
    if (row) tx.update(Peers, { ...row, ...peer, createdAt: tx.now });
    else tx.create(Peers, { accountId, name, ...peer, readUpTo: null, createdAt: tx.now });
  }
  if (!known) tx.count(metOn(tx.now), String(accountId), { met: 1 }, accountId);
}

/** Somebody who has written, or was written to elsewhere: the account can write to them, and they are no new acquaintance. */
export async function keepPeer(tx: UnitOfWork, accountId: number, peer: Peer): Promise<void> {
  const name = String(peer.userId);
  const known = await tx.find(Peers, { accountId, name });
  if (known?.accessHash === peer.accessHash) return;
  if (known) tx.update(Peers, { ...known, ...peer });
  else tx.create(Peers, { accountId, name, ...peer, readUpTo: null, createdAt: tx.now });
}

/** How many people the account has met on the day of the unit of work. */
export const metToday = async (tx: UnitOfWork, accountId: number): Promise<number> =>
  (await readGroup(tx, metOn(tx.now))).get(String(accountId))?.['met'] ?? 0;

const metOn = (time: string) => `met/${time.slice(0, 10)}`;

import { type Block, Blocks } from '#lib/entities/block.ts';
import type { StoredContact } from '#lib/entities/contact.ts';
import { reachOf } from '#lib/entities/references/reach.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** Somebody by the id at the platform of an account. */
interface Peer {
  accountId: number;
  userId: string;
}

/** Error of a message to somebody who has blocked its account. */
export const blockedError = 'the recipient has blocked this bot';

export async function isBlocked(tx: UnitOfWork, peer: Peer): Promise<boolean> {
  return ((await tx.find(Blocks, peer))?.blockedAt ?? null) !== null;
}

/** Time of an update from a platform. A later update has a higher `updateId`. */
export interface News {
  at: string;
  updateId?: number;
}

/** Notes that somebody has blocked an account, or no longer does. Returns whether that is news. */
export async function noteBlock(tx: UnitOfWork, peer: Peer, blocks: boolean, news: News): Promise<boolean> {
  const known = await tx.find(Blocks, peer);
  if (known && isBefore(news, known)) return false;
  const { at: since, updateId } = news;
  const next = { ...peer, blockedAt: blocks ? since : null, since, ...(updateId !== undefined && { updateId }) };
  if (known) tx.update(Blocks, next);
  else tx.create(Blocks, next);
  return blocks !== ((known?.blockedAt ?? null) !== null);
}

/** Removes the block of somebody who has written to the account again. */
export async function noteWritten(tx: UnitOfWork, peer: Peer, news: News): Promise<void> {
  if (await isBlocked(tx, peer)) await noteBlock(tx, peer, false, news);
}

/** Whether the contact, as that person, has written to the account after a time. */
export async function hasWrittenAfter(
  tx: UnitOfWork,
  contact: StoredContact,
  { accountId, userId }: Peer,
  at: string,
): Promise<boolean> {
  const reach = await reachOf(tx, contact);
  return reach.some(
    (one) =>
      one.accountId === accountId && one.userId === userId && one.lastInboundAt !== null && one.lastInboundAt > at,
  );
}

const isBefore = ({ at, updateId = Number.POSITIVE_INFINITY }: News, known: Block): boolean =>
  at < known.since || (at === known.since && updateId < (known.updateId ?? 0));

import { Blocks } from '#lib/entities/block.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** Somebody by the id at the platform of an account. */
interface Peer {
  accountId: number;
  userId: string;
}

/** What a message to somebody fails with who has blocked the account that it is from. */
export const blockedError = 'the recipient has blocked this bot';

export async function isBlocked(tx: UnitOfWork, peer: Peer): Promise<boolean> {
  return ((await tx.find(Blocks, peer))?.blockedAt ?? null) !== null;
}

/** Notes that somebody has blocked an account at a time, or no longer does. Returns whether that is news. */
export async function noteBlock(tx: UnitOfWork, peer: Peer, blocks: boolean, since: string): Promise<boolean> {
  const known = await tx.find(Blocks, peer);
  if (known && since < known.since) return false;
  const next = { ...peer, blockedAt: blocks ? since : null, since };
  if (known) tx.update(Blocks, next);
  else tx.create(Blocks, next);
  return blocks !== ((known?.blockedAt ?? null) !== null);
}

import { unknownReference } from '#lib/problem.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { Deals, type StoredDeal } from './deal.ts';

/** The deal that a body names; null without one. Deals are never deleted. Raises 400. */
export async function referredDeal(tx: Transaction, id: number | null | undefined): Promise<StoredDeal | null> {
  if (id === null || id === undefined) return null;
  const deal = await tx.find(Deals, { id });
  if (deal === undefined) throw unknownReference('dealId');
  return deal;
}

import type { Transaction } from '#lib/table/transaction.ts';
import { Boards } from './board.ts';

/** The two boards that every workspace has (contract section 12). */
export async function createBoards(tx: Transaction): Promise<void> {
  await tx.reserveIds({ board: 2 });
  tx.create(Boards, { id: await tx.nextId(Boards), name: 'Deals', kind: 'deal', isDefault: true, createdAt: tx.now });
  tx.create(Boards, {
    id: await tx.nextId(Boards),
    name: 'Contacts',
    kind: 'contact',
    isDefault: true,
    createdAt: tx.now,
  });
}

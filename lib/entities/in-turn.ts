import { Turns } from '#lib/entities/turn.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/**
 * Of units of work that add to the same things, each must have seen what those before it added: to be called before they are counted.
 * One that was overtaken runs again.
 */
export async function inTurn(tx: UnitOfWork, things: string): Promise<void> {
  const turn = { things, at: tx.now };
  if (await tx.find(Turns, { things })) tx.update(Turns, turn);
  else tx.create(Turns, turn);
}

import type * as v from 'valibot';
import { unknownReference } from '#lib/problem.ts';
import type { Item } from '#lib/table/entity.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { type CreateMember, Members } from './member.ts';

/** Adds a person to the workspace. Their id is what every `assignedToUserId` holds. */
export async function createMember(
  tx: Transaction,
  input: v.InferOutput<typeof CreateMember>,
): Promise<Item<typeof Members>> {
  return tx.create(Members, { ...input, id: await tx.nextId(Members), isActive: true, createdAt: tx.now });
}

/** Raises 400 when the field does not name an active member (contract section 2). */
export async function demandActiveMember(tx: Transaction, field: string, id: number | null | undefined): Promise<void> {
  if (id === null || id === undefined) return;
  const member = await tx.find(Members, { id });
  if (!member?.isActive) throw unknownReference(field);
}

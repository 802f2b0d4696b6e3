import type * as v from 'valibot';
import { notFound, unknownReference } from '#lib/problem.ts';
import { matching } from '#lib/table/conditions.ts';
import type { Item } from '#lib/table/entity.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { type CreateMember, type MemberQuery, Members } from './member.ts';

type Member = Item<typeof Members>;

/** Raises 404. */
export const getMember = (tx: Transaction, id: number): Promise<Member> =>
  tx.get(Members, { id }, () => notFound('member'));

/** Members in descending order of id; `q` is looked for in name and e-mail. */
export function listMembers(
  tx: Transaction,
  { q, isActive, ...paging }: v.InferOutput<typeof MemberQuery>,
): Promise<Page<Member>> {
  const wanted = q?.toLowerCase();
  return listPage(tx, Members, {
    ...paging,
    ...matching<Member>(
      wanted !== undefined && (({ name, email }) => `${name ?? ''}\n${email}`.toLowerCase().includes(wanted)),
      isActive !== undefined && ((member) => member.isActive === isActive),
    ),
  });
}

/** Adds a person to the workspace. Their id is what every `assignedToUserId` holds. */
export async function createMember(tx: Transaction, input: v.InferOutput<typeof CreateMember>): Promise<Member> {
  return tx.create(Members, { ...input, id: await tx.nextId(Members), isActive: true, createdAt: tx.now });
}

/** Reads a member beside other things, so that `demandActiveMember` need not. */
export const primeMember = (tx: Transaction, id: number | null | undefined) =>
  id === null || id === undefined ? undefined : tx.find(Members, { id });

/** Raises 400 when the field does not name an active member (contract section 2). */
export async function demandActiveMember(tx: Transaction, field: string, id: number | null | undefined): Promise<void> {
  if (id === null || id === undefined) return;
  const member = await tx.find(Members, { id });
  if (!member?.isActive) throw unknownReference(field);
}

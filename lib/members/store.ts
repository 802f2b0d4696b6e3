import type * as v from 'valibot';
import { type CreateMember, type MemberQuery, Members } from '#lib/entities/member.ts';
import { notFound, unknownReference } from '#lib/problem.ts';
import { asked } from '#lib/table/asked.ts';
import type { Item } from '#lib/table/entity.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { folded } from '#lib/text.ts';

type Member = Item<typeof Members>;

/** Raises 404. */
export const getMember = (tx: UnitOfWork, id: number): Promise<Member> =>
  tx.get(Members, { id }, () => notFound('member'));

/** Members in descending order of id; `q` is looked for in name and e-mail. */
export const listMembers = (tx: UnitOfWork, query: v.InferOutput<typeof MemberQuery>): Promise<Page<Member>> =>
  listPage(
    tx,
    Members,
    asked(Members, query, {
      q: (q) => ({ matches: ({ name, email }) => folded(`${name ?? ''}\n${email}`).includes(folded(q)) }),
      isActive: (isActive) => ({ matches: (member) => member.isActive === isActive }),
    }),
  );

/** Adds a person to the workspace. Their id is what every `assignedToUserId` holds. */
export async function createMember(tx: UnitOfWork, input: v.InferOutput<typeof CreateMember>): Promise<Member> {
  return tx.create(Members, { ...input, id: await tx.nextId(Members), isActive: true, createdAt: tx.now });
}

/** Reads a member beside other things, so that `requireActiveMember` need not. */
export const primeMember = (tx: UnitOfWork, id: number | null | undefined) =>
  id === null || id === undefined ? undefined : tx.find(Members, { id });

/** Raises 400 when the field does not name an active member (contract section 2). */
export async function requireActiveMember(tx: UnitOfWork, field: string, id: number | null | undefined): Promise<void> {
  if (id === null || id === undefined) return;
  const member = await tx.find(Members, { id });
  if (!member?.isActive) throw unknownReference(field);
}

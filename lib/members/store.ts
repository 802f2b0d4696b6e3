import type * as v from 'valibot';
import type { Role } from '#lib/choices.ts';
import { type CreateMember, type MemberQuery, Members, type PatchMember } from '#lib/entities/member.ts';
import { Workspaces } from '#lib/entities/workspace.ts';
import { changedFields } from '#lib/events/changes.ts';
import type { SignedIn } from '#lib/keys/caller.ts';
import { addressKey } from '#lib/mail-address.ts';
import { conflict, notFound, Problem, unknownReference } from '#lib/problem.ts';
import { asked } from '#lib/table/asked.ts';
import type { Item } from '#lib/table/entity.ts';
import { listAll, listPage, type Page } from '#lib/table/list.ts';
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
    }),
  );

/** Adds a person to the workspace. Their id is what every `assignedToUserId` holds. */
export async function createMember(tx: UnitOfWork, input: v.InferOutput<typeof CreateMember>): Promise<Member> {
  const id = await tx.nextId(Members);
  return tx.create(Members, { ...input, id, isActive: true, createdAt: tx.now, invitation: null });
}

/** Who changes the members of a workspace. */
export type Editor = Pick<SignedIn, 'role'>;

/**
 * Makes somebody a member, as a member does in the panel, and has a link mailed to them. Raises 403 for an owner whom no owner makes,
 * 409 `member_exists`.
 */
export async function inviteMember(
  tx: UnitOfWork,
  input: v.InferOutput<typeof CreateMember>,
  base: string,
): Promise<Member> {
  const members = await membersToChange(tx);
  requireOnlyOne(members, input.email);
  const member = await createMember(tx, input);
  return tx.update(Members, { ...member, invitation: { since: tx.now, base } });
}

/** Changes a member. Raises 404, 409 `last_owner` and, for one who becomes active, `member_exists`. */
export async function patchMember(
  tx: UnitOfWork,
  id: number,
  patch: v.InferOutput<typeof PatchMember>,
): Promise<Member> {
  const [member, members] = await Promise.all([getMember(tx, id), membersToChange(tx)]);
  const changed = changedFields(member, patch);
  if (changed.length === 0) return member;
  const next = { ...member, ...patch } as Member;
  const others = members.filter((other) => other.id !== id);
  if (isOwner(member) && !isOwner(next) && !others.some(isOwner))
    throw conflict('last_owner', 'the last active owner of a workspace stays one');
  if (next.isActive && !member.isActive) requireOnlyOne(others, member.email);
  return tx.update(Members, next);
}

/** Raises 403 where somebody who is no owner makes an owner, or changes one. */
export async function permitMember(tx: UnitOfWork, by: Editor, given: { id?: number; role?: Role | undefined }) {
  if (by.role === 'owner') return;
  const current = given.id === undefined ? undefined : await getMember(tx, given.id);
  if (given.role !== 'owner' && current?.role !== 'owner') return;
  throw new Problem('forbidden', 'only an owner makes or changes owners', {
    reason: 'missing_role',
    requiredRoles: ['owner'],
  });
}

/** All members; whoever changes one at the same moment meets at the row of the workspace, and looks again. */
async function membersToChange(tx: UnitOfWork): Promise<Member[]> {
  const [members, workspace] = await Promise.all([
    listAll(tx, Members),
    tx.get(Workspaces, { id: tx.tenant.workspaceId }),
  ]);
  tx.update(Workspaces, workspace);
  return members;
}

const isOwner = ({ role, isActive }: Member) => role === 'owner' && isActive;

const isAt = (email: string) => (member: Member) => member.isActive && addressKey(member.email) === addressKey(email);

function requireOnlyOne(members: readonly Member[], email: string): void {
  const found = members.find(isAt(email));
  if (found) throw conflict('member_exists', 'an active member has this address already', { memberId: found.id });
}

/** The active member who has an e-mail address. Raises 404. */
export async function activeMemberAt(tx: UnitOfWork, email: string): Promise<Member> {
  const found = (await listAll(tx, Members)).find(isAt(email));
  if (found === undefined) throw notFound('active member with this address');
  return found;
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

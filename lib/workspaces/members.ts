import type * as v from 'valibot';
import type { SignedIn } from '#lib/core/caller.ts';
import type { Role } from '#lib/core/choices.ts';
import { addressKey } from '#lib/core/mail-address.ts';
import { conflict, notFound, Problem } from '#lib/core/problem.ts';
import { foldCase, holdsWords, wordsOf } from '#lib/core/text.ts';
import {
  type CreateMember,
  defaultSettings,
  isOwner,
  type MemberQuery,
  Members,
  maxMembers,
  type PatchMember,
} from '#lib/entities/member.ts';
import { Workspaces } from '#lib/entities/workspace.ts';
import { changedFields } from '#lib/events/changes.ts';
import type { Item } from '#lib/table/entity.ts';
import { rowKey } from '#lib/table/keys.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import { spend } from '#lib/table/quota.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

type Member = Item<typeof Members>;

/** Raises 404. */
export const getMember = (tx: UnitOfWork, id: number): Promise<Member> =>
  tx.get(Members, { id }, () => notFound('member'));

/** Members in descending order of id; `q` is looked for in name and e-mail. */
export const listMembers = (tx: UnitOfWork, query: v.InferOutput<typeof MemberQuery>): Promise<Page<Member>> =>
  listPage(
    tx,
    Members,
    listingFrom(Members, query, {
      q: (q) => ({ matches: ({ name, email }) => holdsWords(foldCase(`${name ?? ''}\n${email}`), wordsOf(q)) }),
    }),
  );

/**
 * Adds a person to the workspace. Their id is what every `assignedToUserId` holds. Raises 409 `member_exists`, and `limit_reached` for more
 * than a workspace ever has.
 */
export async function createMember(tx: UnitOfWork, input: v.InferOutput<typeof CreateMember>): Promise<Member> {
  await meetOthers(tx);
  await requireOnlyOne(tx, input.email);
  tx.write(
    {
      key: rowKey('memberCount', { workspace: tx.tenant.workspaceId }),
      add: { made: 1 },
      if: { any: [{ absent: ['made'] }, { below: { made: maxMembers } }] },
    },
    () =>
      conflict(
        'limit_reached',
        `a workspace has at most ${maxMembers} members, active or not: activate a former one instead`,
        { limit: maxMembers },
      ),
  );
  const id = await tx.nextId(Members);
  return tx.create(Members, {
    ...input,
    id,
    isActive: true,
    createdAt: tx.now,
    generation: 0,
    invitation: null,
    settings: defaultSettings,
    digest: null,
    // Set by an import alone: whoever it brings counts as new here.
    importedAt: null,
  });
}

/** Editor of the members of a workspace. */
export type Editor = Pick<SignedIn, 'role'>;

/**
 * Makes somebody a member, as a member does in the panel, and has a link mailed to them, which the quota of the live environment pays,
 * whichever this is. Raises 409 as `createMember` does, and 429.
 */
export async function inviteMember(
  tx: UnitOfWork,
  input: v.InferOutput<typeof CreateMember>,
  base: string,
): Promise<Member> {
  const member = await createMember(tx, input);
  await spend(tx, 'emails', 1, null, { ...tx.tenant, env: 'live' });
  return tx.update(Members, { ...member, invitation: { since: tx.now, base } });
}

/** Changes a member. Raises 404, 409 `last_owner` and, for one who becomes active, `member_exists`. */
export async function patchMember(
  tx: UnitOfWork,
  id: number,
  patch: v.InferOutput<typeof PatchMember>,
): Promise<Member> {
  const member = await getMember(tx, id);
  const changed = changedFields(member, patch);
  if (changed.length === 0) return member;
  const next = { ...member, ...patch } as Member;
  if (isOwner(member) && !isOwner(next)) await requireOtherOwner(tx, id);
  if (next.isActive && !member.isActive) {
    await meetOthers(tx);
    await requireOnlyOne(tx, member.email);
  }
  const isLeaving = member.isActive && !next.isActive;
  // Sessions and links of an earlier generation end for good, also where the member becomes active again.
  return tx.update(Members, { ...next, generation: member.generation + (isLeaving ? 1 : 0) });
}

/** Raises 403 where somebody who is no owner makes an owner, or changes one. */
export async function permitMember(tx: UnitOfWork, by: Editor, given: { id?: number; role?: Role | undefined }) {
  if (by.role === 'owner') return;
  const current = given.id === undefined ? undefined : await getMember(tx, given.id);
  if (given.role !== 'owner' && current?.role !== 'owner') return;
  throw new Problem('forbidden', 'only an owner can make or change owners: ask an owner', {
    reason: 'missing_role',
    requiredRoles: ['owner'],
  });
}

/** Writes the row of the workspace, so that concurrent changes of members conflict and run again. */
async function meetOthers(tx: UnitOfWork): Promise<void> {
  tx.update(Workspaces, await tx.get(Workspaces, { id: tx.tenant.workspaceId }));
}

async function findActiveAt(tx: UnitOfWork, email: string): Promise<Member | undefined> {
  const { items } = await listPage(tx, Members, { where: { mailbox: addressKey(email) }, limit: 1 });
  return items[0];
}

async function requireOnlyOne(tx: UnitOfWork, email: string): Promise<void> {
  const found = await findActiveAt(tx, email);
  if (found)
    throw conflict(
      'member_exists',
      `member ${found.id} already has this address: change that member, or use another address`,
      { memberId: found.id },
    );
}

async function requireOtherOwner(tx: UnitOfWork, id: number): Promise<void> {
  await meetOthers(tx);
  const { items } = await listPage(tx, Members, { where: { owner: true }, limit: 2 });
  if (!items.some((owner) => owner.id !== id))
    throw conflict('last_owner', 'a workspace keeps its last active owner: make another member an owner first');
}

/** The active member who has an e-mail address. Raises 404. */
export async function activeMemberAt(tx: UnitOfWork, email: string): Promise<Member> {
  const found = await findActiveAt(tx, email);
  if (found === undefined) throw notFound('active member with this address');
  return found;
}

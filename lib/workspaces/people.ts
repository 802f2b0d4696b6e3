import * as v from 'valibot';
import type { Membership } from '#lib/core/caller.ts';
import { addressKey } from '#lib/core/mail-address.ts';
import type { StoredMember } from '#lib/entities/member.ts';
import { type Workspace, Workspaces } from '#lib/entities/workspace.ts';
import { keyOf } from '#lib/table/entity.ts';
import { identity, rowPartition } from '#lib/table/keys.ts';
import { flatten, pages } from '#lib/table/pages.ts';
import { readRows } from '#lib/table/rows.ts';
import { parseStored } from '#lib/table/stored.ts';
import { type ActiveMember, activeIn, memberKey, tenantOf } from './active-members.ts';

/** Limit for one person: every call of a session reads a row with all memberships. */
const maxMemberships = 1000;

const Found = v.object({ sk: v.string(), createdAt: v.string(), generation: v.number() });

/**
 * The active members with an e-mail address, one a workspace, those first who have been longest: nobody loses a workspace because others
 * make them a member of theirs.
 */
export async function membershipsOf(email: string): Promise<Membership[]> {
  const found: (Membership & { createdAt: string })[] = [];
  const pk = rowPartition('memberAddress', { address: addressKey(email) });
  for await (const row of flatten(pages({ pk, ascending: true }))) {
    const { sk, createdAt, generation } = v.parse(Found, row);
    const [workspaceId = 0, memberId = 0] = sk.split('#').map(Number);
    if (found.at(-1)?.workspaceId !== workspaceId) found.push({ workspaceId, memberId, generation, createdAt });
  }
  return found
    .sort((a, b) => (a.createdAt < b.createdAt ? -1 : Number(a.createdAt > b.createdAt)))
    .slice(0, maxMemberships)
    .map(({ createdAt: _, ...membership }) => membership);
}

/** All that a member of a workspace is a member of, that workspace first. */
export async function asOneOf(
  workspaceId: number,
  { id: memberId, email, generation }: StoredMember,
): Promise<Membership[]> {
  const others = (await membershipsOf(email)).filter((one) => one.workspaceId !== workspaceId);
  return [{ workspaceId, memberId, generation }, ...others];
}

/** A person in a workspace, as both are now. */
export interface Person extends ActiveMember {
  workspace: Workspace;
}

const workspaceKey = (of: Membership) => keyOf(tenantOf(of), Workspaces, { id: of.workspaceId });

/** Returns the people who have been active members all the time since, in the same order. One round trip. */
export async function peopleOf(memberships: readonly Membership[]): Promise<Person[]> {
  const rows = await readRows(memberships.flatMap((of) => [memberKey(of), workspaceKey(of)]));
  return memberships.flatMap((of) => {
    const row = rows.get(identity(workspaceKey(of)));
    const workspace = row && parseStored(Workspaces, row);
    return workspace ? activeIn(rows, of).map((one) => ({ ...one, workspace })) : [];
  });
}

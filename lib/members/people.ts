import { Members, type StoredMember } from '#lib/entities/member.ts';
import { type Workspace, Workspaces } from '#lib/entities/workspace.ts';
import type { Membership } from '#lib/keys/caller.ts';
import { addressKey } from '#lib/mail-address.ts';
import { keyOf } from '#lib/table/entity.ts';
import { identity, rowPartition } from '#lib/table/keys.ts';
import { flatten, pages } from '#lib/table/pages.ts';
import { type Row, readRows } from '#lib/table/rows.ts';
import { parseStored } from '#lib/table/stored.ts';

/** Of one person. */
const maxMemberships = 100;

/** Who has an e-mail address, in whatever workspaces: active or not, and not those whom an older release wrote and nobody has reindexed. */
export async function membershipsOf(email: string): Promise<Membership[]> {
  const found: Membership[] = [];
  const pk = rowPartition('memberAddress', { address: addressKey(email) });
  for await (const { sk } of flatten(pages({ pk, ascending: true, limit: maxMemberships }))) {
    const [workspaceId, memberId] = sk.split('#').map(Number);
    if (workspaceId && memberId) found.push({ workspaceId, memberId });
    if (found.length === maxMemberships) break;
  }
  return found;
}

/** All that a member of a workspace is a member of, that workspace first. */
export async function asOneOf(workspaceId: number, { id: memberId, email }: StoredMember): Promise<Membership[]> {
  const others = (await membershipsOf(email)).filter((one) => one.workspaceId !== workspaceId);
  return [{ workspaceId, memberId }, ...others];
}

/** A person in a workspace, as both are now. */
export interface Person extends Membership {
  member: StoredMember;
  workspace: Workspace;
}

const tenantOf = ({ workspaceId }: Membership) => ({ workspaceId, env: 'live' }) as const;
const memberKey = (of: Membership) => keyOf(tenantOf(of), Members, { id: of.memberId });
const workspaceKey = (of: Membership) => keyOf(tenantOf(of), Workspaces, { id: of.workspaceId });

/** Those of them who are active members, in the same order; one round trip. */
export async function peopleOf(memberships: readonly Membership[]): Promise<Person[]> {
  const rows = await readRows(memberships.flatMap((of) => [memberKey(of), workspaceKey(of)]));
  return memberships.flatMap((of) => {
    const member = readIn(rows, Members, memberKey(of));
    const workspace = readIn(rows, Workspaces, workspaceKey(of));
    return member?.isActive && workspace ? [{ ...of, member, workspace }] : [];
  });
}

/** The active members among them, without their workspaces. */
export async function activeMembers(
  memberships: readonly Membership[],
): Promise<(Membership & Pick<Person, 'member'>)[]> {
  const rows = await readRows(memberships.map(memberKey));
  return memberships.flatMap((of) => {
    const member = readIn(rows, Members, memberKey(of));
    return member?.isActive ? [{ ...of, member }] : [];
  });
}

function readIn<E extends typeof Members | typeof Workspaces>(
  rows: ReadonlyMap<string, Row>,
  of: E,
  key: { pk: string; sk: string },
) {
  const row = rows.get(identity(key));
  return row && parseStored(of, row);
}

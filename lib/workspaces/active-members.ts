import type { Membership } from '#lib/core/caller.ts';
import { unknownReference } from '#lib/core/problem.ts';
import { Members, type StoredMember } from '#lib/entities/member.ts';
import { keyOf } from '#lib/table/entity.ts';
import { identity } from '#lib/table/keys.ts';
import { type Row, readRows } from '#lib/table/rows.ts';
import { parseStored } from '#lib/table/stored.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

export type ActiveMember = Membership & { member: StoredMember };

export const tenantOf = ({ workspaceId }: Membership) => ({ workspaceId, env: 'live' }) as const;
export const memberKey = (of: Membership) => keyOf(tenantOf(of), Members, { id: of.memberId });

/** Returns those of them who are active members and have been all the time since, in the same order; one round trip. */
export async function activeMembers(memberships: readonly Membership[]): Promise<ActiveMember[]> {
  const rows = await readRows(memberships.map(memberKey));
  return memberships.flatMap((of) => activeIn(rows, of));
}

/** Returns the member of a membership among rows that were read, if it is still the same active one. */
export function activeIn(rows: ReadonlyMap<string, Row>, of: Membership): ActiveMember[] {
  const row = rows.get(identity(memberKey(of)));
  const member = row && parseStored(Members, row);
  return member?.isActive === true && member.generation === of.generation ? [{ ...of, member }] : [];
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

import { listOf } from '#lib/core/schema.ts';
import { Member, MemberQuery } from '#lib/entities/member.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { listMembers } from '#lib/workspaces/members.ts';

/** The people of the workspace, whose ids every `assignedToUserId` holds. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/members',
    summary: 'List members',
    scope: 'contacts:read',
    query: MemberQuery,
    status: 200,
    response: listOf(Member),
    errors: ['bad_request'],
  },
  ({ tx, query }) => listMembers(tx, query),
);

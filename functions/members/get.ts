import { Member } from '#lib/entities/member.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getMember } from '#lib/workspaces/members.ts';

/** One person of the workspace. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/members/{id}',
    summary: 'Get a member',
    scope: 'contacts:read',
    status: 200,
    response: Member,
    errors: ['not_found'],
  },
  ({ tx, params }) => getMember(tx, params.id),
);

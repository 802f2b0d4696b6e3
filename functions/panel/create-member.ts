import { signedIn } from '#lib/auth/identify-session.ts';
import { panelBase } from '#lib/core/env.ts';
import { InviteMember, Member } from '#lib/entities/member.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { inviteMember, permitMember } from '#lib/workspaces/members.ts';

/** Makes somebody a member, who is mailed a link to sign in with. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/panel/members',
    summary: 'Invite a member',
    scope: 'any',
    roles: ['owner', 'admin'],
    isUndocumented: true,
    body: InviteMember,
    status: 201,
    response: Member,
    errors: ['bad_request', 'conflict'],
    needs: ['change-members'],
    location: ({ id }) => `/v1/members/${id}`,
    permit: ({ tx, caller, body }) => permitMember(tx, signedIn(caller), body),
  },
  ({ tx, body, request }) => inviteMember(tx, body, panelBase(request)),
);

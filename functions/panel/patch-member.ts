import { signedIn } from '#lib/auth/identify-session.ts';
import { Member, PatchMember } from '#lib/entities/member.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getMember, patchMember, permitMember } from '#lib/workspaces/members.ts';

/** Changes the name or the role of a member, or whether they are active. Who is not any more is out at once. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/panel/members/{id}',
    summary: 'Change a member',
    scope: 'any',
    roles: ['owner', 'admin'],
    isUndocumented: true,
    body: PatchMember,
    readOnly: { email: 'POST /panel/members: the address of a member is fixed' },
    status: 200,
    response: Member,
    errors: ['bad_request', 'not_found', 'conflict'],
    needs: ['change-members'],
    current: (tx, { id }) => getMember(tx, id),
    permit: ({ tx, caller, params, body }) => permitMember(tx, signedIn(caller), { id: params.id, role: body.role }),
  },
  ({ tx, params, body }) => patchMember(tx, params.id, body),
);

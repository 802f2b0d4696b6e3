import { signedIn } from '#lib/auth/identify-session.ts';
import { roles } from '#lib/core/choices.ts';
import { panelBase } from '#lib/core/env.ts';
import { requireSender } from '#lib/email/sender.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { OwnProfile, PatchOwnProfile, patchOwnProfile } from '#lib/workspaces/own-profile.ts';

/** Changes the name and the settings of the member who is signed in. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/panel/me',
    summary: 'Change yourself',
    scope: 'any',
    roles,
    isUndocumented: true,
    body: PatchOwnProfile,
    readOnly: {
      email: 'POST /panel/members: the address of a member is fixed',
      role: 'PATCH /panel/members/{id}',
    },
    status: 200,
    response: OwnProfile,
    errors: ['bad_request', 'conflict'],
    needs: ['change-members', 'mail-sender'],
  },
  ({ tx, caller, body, request }) => {
    if (typeof body.notifications?.mailHour === 'number') requireSender();
    return patchOwnProfile(tx, signedIn(caller).memberId, body, panelBase(request));
  },
);

import { signedIn } from '#lib/auth/identify-session.ts';
import { roles } from '#lib/core/choices.ts';
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
    errors: ['bad_request'],
    needs: ['change-members'],
  },
  ({ tx, caller, body }) => patchOwnProfile(tx, signedIn(caller).memberId, body),
);

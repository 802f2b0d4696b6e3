import { signedIn } from '#lib/auth/identify-session.ts';
import { roles } from '#lib/core/choices.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getOwnProfile, OwnProfile } from '#lib/workspaces/own-profile.ts';

/** Returns the member who is signed in, with their settings. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/panel/me',
    summary: 'Get yourself',
    scope: 'any',
    roles,
    isUndocumented: true,
    status: 200,
    response: OwnProfile,
    errors: [],
  },
  ({ tx, caller }) => getOwnProfile(tx, signedIn(caller).memberId),
);

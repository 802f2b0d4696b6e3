import * as v from 'valibot';
import { signedIn } from '#lib/auth/identify-session.ts';
import { endedCookie } from '#lib/auth/session-cookie.ts';
import { endSession } from '#lib/auth/session-store.ts';
import { roles } from '#lib/core/choices.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Signs out: the session is over at once. */
export const handler = endpoint(
  {
    method: 'DELETE',
    path: '/panel/sessions/current',
    summary: 'Sign out',
    scope: 'any',
    roles,
    isUndocumented: true,
    status: 200,
    response: v.pipe(v.object({}), v.title('EndedSession')),
    errors: [],
    needs: ['open-sessions'],
  },
  async ({ tx, caller, reply }) => {
    reply.cookie = endedCookie;
    endSession(tx, signedIn(caller).hash);
    return {};
  },
);

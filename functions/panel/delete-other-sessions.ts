import * as v from 'valibot';
import { signedIn } from '#lib/auth/identify-session.ts';
import { endOtherSessions } from '#lib/auth/session-store.ts';
import { roles } from '#lib/core/choices.ts';
import { count } from '#lib/core/schema.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getMember } from '#lib/workspaces/members.ts';

/** Ends all sessions of the person who is signed in but this one. */
export const handler = endpoint(
  {
    method: 'DELETE',
    path: '/panel/sessions',
    summary: 'End your other sessions',
    scope: 'any',
    roles,
    isUndocumented: true,
    status: 200,
    response: v.pipe(v.object({ ended: count() }), v.title('EndedSessions')),
    errors: [],
    needs: ['open-sessions'],
  },
  async ({ tx, caller }) => {
    const { hash, memberId } = signedIn(caller);
    const { email } = await getMember(tx, memberId);
    return { ended: await endOtherSessions(tx, email, hash) };
  },
);

import * as v from 'valibot';
import { signedIn } from '#lib/auth/identify-session.ts';
import { listSessions } from '#lib/auth/session-store.ts';
import { SessionSummary } from '#lib/auth/session-view.ts';
import { roles } from '#lib/core/choices.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getMember } from '#lib/workspaces/members.ts';

/** Lists the sessions of the person who is signed in. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/panel/sessions',
    summary: 'List your sessions',
    scope: 'any',
    roles,
    isUndocumented: true,
    status: 200,
    response: v.pipe(v.object({ items: v.array(SessionSummary) }), v.title('SessionList')),
    errors: [],
    needs: ['open-sessions'],
  },
  async ({ tx, caller }) => {
    const { hash, memberId } = signedIn(caller);
    const { email } = await getMember(tx, memberId);
    return { items: await listSessions(email, hash) };
  },
);

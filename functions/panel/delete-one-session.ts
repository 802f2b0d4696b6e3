import * as v from 'valibot';
import { signedIn } from '#lib/auth/identify-session.ts';
import { endOneSession } from '#lib/auth/session-store.ts';
import { roles } from '#lib/core/choices.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getMember } from '#lib/workspaces/members.ts';

/** Ends one session of the person who is signed in. */
export const handler = endpoint(
  {
    method: 'DELETE',
    path: '/panel/sessions/{id}',
    summary: 'End one of your sessions',
    scope: 'any',
    roles,
    isUndocumented: true,
    textParams: ['id'],
    status: 200,
    response: v.pipe(v.object({}), v.title('EndedSession')),
    errors: ['not_found'],
    needs: ['open-sessions'],
  },
  async ({ tx, caller, texts }) => {
    const { email } = await getMember(tx, signedIn(caller).memberId);
    await endOneSession(tx, email, texts.id);
    return {};
  },
);

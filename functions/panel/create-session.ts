import * as v from 'valibot';
import { openSession } from '#lib/auth/session-store.ts';
import { OpenedSession, workspacesOf } from '#lib/auth/session-view.ts';
import { text } from '#lib/core/schema.ts';
import { openEndpoint } from '#lib/http/endpoint.ts';

const CreateSession = v.pipe(v.object({ token: text(200) }), v.title('CreateSession'));

/** Signs a member in who has followed the link of a mail. The link works once, for 15 minutes; the session 12 hours. */
export const handler = openEndpoint(
  {
    method: 'POST',
    path: '/panel/sessions',
    summary: 'Sign in',
    scope: 'public',
    isUndocumented: true,
    body: CreateSession,
    status: 201,
    response: OpenedSession,
    errors: ['bad_request', 'unauthorized'],
    needs: ['open-sessions'],
    location: () => '/panel/sessions/current',
  },
  async ({ body, record }) => {
    const { session, expiresAt, people } = await openSession(body.token, (tx, { memberId }) =>
      record(tx, { keyId: null, actor: { type: 'user', id: memberId } }),
    );
    return { session, expiresAt, member: people[0].member, workspaces: workspacesOf(people) };
  },
);

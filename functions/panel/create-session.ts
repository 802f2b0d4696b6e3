import * as v from 'valibot';
import { maxSessionMs } from '#lib/auth/session.ts';
import { requestTokenOf, requireOwnPage, sessionCookie } from '#lib/auth/session-cookie.ts';
import { openSession } from '#lib/auth/session-store.ts';
import { OpenedSession, workspacesOf } from '#lib/auth/session-view.ts';
import { secondMs } from '#lib/core/clock.ts';
import { text } from '#lib/core/schema.ts';
import { openEndpoint } from '#lib/http/endpoint.ts';

const CreateSession = v.pipe(
  v.object({ token: text(200), cookie: v.optional(v.boolean(), false) }),
  v.title('CreateSession'),
);

/** Signs a member in by the link of a mail, which works once. The panel's page has the session in a cookie, scripts have its token. */
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
  async ({ body, headers, facts, reply, record }) => {
    // Otherwise another website could sign its visitor in as somebody else.
    if (body.cookie) requireOwnPage({ headers, facts });
    const { session, expiresAt, people } = await openSession(body.token, facts, (tx, { memberId }) =>
      record(tx, { keyId: null, actor: { type: 'user', id: memberId } }),
    );
    if (body.cookie) reply.cookie = sessionCookie(session, maxSessionMs / secondMs);
    return {
      session: body.cookie ? null : session,
      requestToken: requestTokenOf(session),
      expiresAt,
      member: people[0].member,
      workspaces: workspacesOf(people),
    };
  },
);

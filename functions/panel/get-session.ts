import { signedIn } from '#lib/auth/identify-session.ts';
import { Session, workspacesOf } from '#lib/auth/session-view.ts';
import { roles } from '#lib/core/choices.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getMember } from '#lib/workspaces/members.ts';
import { peopleOf } from '#lib/workspaces/people.ts';
import { getWorkspace } from '#lib/workspaces/store.ts';

/** Returns the member who is signed in, their workspaces, and their permissions here. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/panel/sessions/current',
    summary: 'Get the session',
    scope: 'any',
    roles,
    isUndocumented: true,
    status: 200,
    response: Session,
    errors: [],
  },
  async ({ tx, caller }) => {
    const { expiresAt, requestToken, memberId, memberships } = signedIn(caller);
    const [member, workspace, people] = await Promise.all([
      getMember(tx, memberId),
      getWorkspace(tx),
      peopleOf(memberships),
    ]);
    const { env: environment } = tx.tenant;
    return {
      expiresAt,
      requestToken,
      member,
      workspaces: workspacesOf(people),
      workspace,
      environment,
      scopes: [...caller.scopes],
    };
  },
);

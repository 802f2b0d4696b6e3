import * as v from 'valibot';
import { id, storedChoice, time } from '#lib/core/schema.ts';
import { scopes } from '#lib/core/scopes.ts';
import { environments } from '#lib/core/tenant.ts';
import { Member } from '#lib/entities/member.ts';
import { Workspace } from '#lib/entities/workspace.ts';
import type { Person } from '#lib/workspaces/people.ts';

/** A workspace that a person is a member of. */
const WorkspaceName = v.pipe(v.object({ id: id(), name: v.nullable(v.string()) }), v.title('WorkspaceName'));

const shown = { expiresAt: time(), requestToken: v.string(), member: Member, workspaces: v.array(WorkspaceName) };

/** The answer that opens a session, the only one to show its token; null for a session in a cookie. */
export const OpenedSession = v.pipe(v.object({ session: v.nullable(v.string()), ...shown }), v.title('OpenedSession'));

const { createdAt: _, ...current } = Workspace.pipe[0].entries;
const CurrentWorkspace = v.pipe(v.object(current), v.title('CurrentWorkspace'));

/** A session in the workspace and the environment that its call is of. */
export const Session = v.pipe(
  v.object({
    ...shown,
    workspace: CurrentWorkspace,
    environment: storedChoice(environments),
    scopes: v.array(storedChoice(scopes)),
  }),
  v.title('Session'),
);

/** A session as its owner sees it in a list. */
export const SessionSummary = v.pipe(
  v.object({
    id: v.string(),
    isCurrent: v.boolean(),
    createdAt: time(),
    lastUsedAt: time(),
    expiresAt: time(),
    ip: v.string(),
    userAgent: v.nullable(v.string()),
  }),
  v.title('SessionSummary'),
);

export const workspacesOf = (people: readonly Person[]) => people.map(({ workspace: { id, name } }) => ({ id, name }));

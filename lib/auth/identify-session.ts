import * as v from 'valibot';
import {
  type Allowance,
  allowanceOf,
  challenge,
  currentWindow,
  inWindow,
  isOpen,
  opensWindow,
} from '#lib/auth/identify-key.ts';
import type { Caller, Membership, SignedIn } from '#lib/core/caller.ts';
import type { Role } from '#lib/core/choices.ts';
import { timestamp } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { invalidField, Problem } from '#lib/core/problem.ts';
import { meaningOf, type Scope, scopes } from '#lib/core/scopes.ts';
import { type Environment, environments } from '#lib/core/tenant.ts';
import { type Key, rowKey } from '#lib/table/keys.ts';
import { writeIf } from '#lib/table/write.ts';
import { activeMembers } from '#lib/workspaces/active-members.ts';
import { hashOf, StoredSession, sessionForm, usedAt } from './session.ts';
import { requestTokenOf } from './session-cookie.ts';

const unauthorizedReasons = {
  missing_session:
    'the call has no session: sign in, and send Authorization: Bearer cps_…, or the cookie with X-Request-Token',
  unknown_session: 'the session is unknown, or was ended: sign in again',
  expired_session: 'the session has expired: sign in again',
  inactive_member: 'the member is no longer active: ask an owner to activate the member',
} as const;

const unauthorized = (reason: keyof typeof unauthorizedReasons) =>
  new Problem('unauthorized', unauthorizedReasons[reason], { reason }, challenge);

/** Refusal of a session that names no member where only members may call. */
export const missingSession = () => unauthorized('missing_session');

/** The token of a session in an `Authorization` header; undefined where it holds something else. */
export const sessionIn = (authorization: string | undefined): string | undefined =>
  /^\s*bearer\s+(cps_\S*)\s*$/i.exec(authorization ?? '')?.[1];

/** Scopes of a member's role in the API (contract section 27). */
const scopesOfRole = (role: Role): readonly Scope[] =>
  role === 'member' ? scopes.filter((scope) => !meaningOf(scope).isOfOwners) : scopes;

/** Whose sessions this process has met, by their hashes: that stays as it is as long as the session. */
const met = new Map<string, readonly Membership[]>();
const maxMet = 1000;

/** The session behind a call that only members make. */
export function signedIn({ session }: Caller): SignedIn {
  if (session === undefined) throw new Error('the route does not say that members alone call it');
  return session;
}

/** Parts of a request that say in which workspace it acts. */
export interface Place {
  /** `X-Environment` */
  environment: string | undefined;
  /** `X-Workspace` */
  workspace: string | undefined;
}

/** Returns the caller, or the reason why the session does not reach that workspace. */
export type Identified = { allowance: Allowance } & (
  | { caller: Caller; refusal?: never }
  | { refusal: Problem; caller?: never }
);

/**
 * The member behind a session, and one request counted against its minute: one conditional update, with the member's row read beside
 * it once this process has met the session. Raises 401 for a session that is none; whoever is not active any more, or in another workspace
 * than they say, is refused with what is left of the minute.
 */
export async function identifySession(token: string, place: Place, ip: string): Promise<Identified> {
  if (!sessionForm.test(token)) throw unauthorized('unknown_session');
  const hash = hashOf(token);
  const known = met.get(hash);
  const [{ session, allowance }, early] = await Promise.all([
    count(hash),
    known && activeMembers(chosen(known, place)),
  ]);
  if (!known) {
    if (met.size >= maxMet) met.clear();
    met.set(hash, session.memberships);
  }
  const asked = chosen(session.memberships, place);
  if (asked.length === 0) return { allowance, refusal: unknownWorkspace() };
  // A member who was deactivated since has another `generation`: the session does not count any more, even if they are active again.
  const [person] = early ?? (await activeMembers(asked));
  if (person === undefined) {
    const isOfOne = session.memberships.length === 1;
    return { allowance, refusal: isOfOne ? unauthorized('inactive_member') : unknownWorkspace() };
  }
  const environment = environmentIn(place);
  if (environment === undefined) return { allowance, refusal: unknownEnvironment() };
  const { workspaceId, memberId, member } = person;
  const { expiresAt, memberships } = session;
  const caller: Caller = {
    tenant: { workspaceId, env: environment },
    actor: { type: 'user', id: memberId },
    keyId: null,
    session: { hash, requestToken: requestTokenOf(token), expiresAt, memberId, role: member.role, memberships },
    scopes: scopesOfRole(member.role),
    ipAllowlist: [],
    rateLimitPerMinute: allowance.limit,
    // Things that a member creates do not end with the session.
    expiresAt: null,
    ip,
  };
  return { allowance, caller };
}

/** The membership that a request is of: that in the workspace which it names, or the first, and never another in its place. */
const chosen = (memberships: readonly Membership[], { workspace }: Place): readonly Membership[] =>
  workspace === undefined
    ? memberships.slice(0, 1)
    : memberships.filter(({ workspaceId }) => String(workspaceId) === workspace.trim());

const environmentIn = ({ environment = 'live' }: Place): Environment | undefined =>
  environments.find((name) => name === environment.trim().toLowerCase());

const unknownWorkspace = () =>
  new Problem('forbidden', 'you are not an active member of this workspace: name another one in X-Workspace', {
    reason: 'unknown_workspace',
  });
const unknownEnvironment = () =>
  invalidField('X-Environment', 'invalid_enum', `X-Environment must be one of ${environments.join(', ')}`);

type Counted = { session: v.InferOutput<typeof StoredSession>; allowance: Allowance };

async function count(hash: string): Promise<Counted> {
  const key = rowKey('session', { hash });
  const limit = env('RATE_LIMIT_PER_MINUTE');
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const window = currentWindow();
    const now = timestamp();
    const isLive = { above: { expiresAt: now } };
    const within = { all: [isLive, inWindow(window)], below: { used: limit } };
    const { item, refused } = await writeIf({ key, add: { used: 1 }, if: within });
    if (item) return counted(key, item, limit, window, false);
    if (refused === undefined) throw unauthorized('unknown_session');
    const stored = v.parse(StoredSession, refused);
    if (stored.expiresAt <= now) throw unauthorized('expired_session');
    if (isOpen(stored.window, window)) return counted(key, refused, limit, window, true);
    // Here alone its 12 hours begin anew: once a minute is enough.
    const set = { used: 1, window, ...usedAt(now, stored.endsAt) };
    const opened = await writeIf({ key, set, if: { all: [isLive, opensWindow(window)] } });
    if (opened.item) return counted(key, opened.item, limit, window, false);
  }
  throw new Error('the window of a session could not be opened');
}

function counted(key: Key, row: Record<string, unknown>, limit: number, window: number, exceeded: boolean): Counted {
  const session = v.parse(StoredSession, row);
  return { session, allowance: allowanceOf(key, limit, session.used, window, exceeded) };
}

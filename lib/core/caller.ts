import type { Role } from '#lib/core/choices.ts';
import { Problem } from '#lib/core/problem.ts';
import { type NeededScope, type Scope, scopesOf } from '#lib/core/scopes.ts';
import type { Actor, Tenant } from '#lib/core/tenant.ts';

/** A member who is signed in to the panel. */
export interface SignedIn {
  /** SHA-256 of the session's token, by which its row is found. */
  hash: string;
  /** Sent in `X-Request-Token` by a page that has the session in a cookie. */
  requestToken: string;
  expiresAt: string;
  memberId: number;
  role: Role;
  /** Members who are the same person in other workspaces. */
  memberships: readonly Membership[];
}

/** A person in one of their workspaces. */
export interface Membership {
  workspaceId: number;
  memberId: number;
  /** How often they had been deactivated when this was said. */
  generation: number;
}

/** Whose call it is and what it may do: that of a key, or of a member in the panel. */
export interface Caller {
  tenant: Tenant;
  /** Actor that events, activities and the audit trail name. */
  actor: Actor;
  /** Null of a member. */
  keyId: string | null;
  /** Absent of a key. */
  session?: SignedIn;
  scopes: readonly Scope[];
  ipAllowlist: readonly string[];
  rateLimitPerMinute: number;
  /** After which what the caller makes may not work either. */
  expiresAt: string | null;
  ip: string;
}

/** Tells callers of a workspace apart: `k7Qm2ZpX9aBc`, `member/7`. */
export const callerName = ({ keyId, actor }: Pick<Caller, 'keyId' | 'actor'>): string => keyId ?? `member/${actor.id}`;

/** Raises the 403 of a caller without the scope. */
export function requireScope(
  needed: { scope: NeededScope },
  { scopes, session }: Pick<Caller, 'scopes' | 'session'>,
): void {
  const requiredScopes = scopesOf(needed);
  if (requiredScopes.length === 0 || requiredScopes.some((scope) => scopes.includes(scope))) return;
  const message = `${session ? `the role ${session.role}` : 'this key'} lacks the scope ${requiredScopes.join(', or ')}: ${session ? 'ask an owner' : 'use a key that has it'}`;
  throw new Problem('forbidden', message, { reason: 'missing_scope', requiredScopes });
}

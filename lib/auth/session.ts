import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { dayMs, epochSeconds, hourMs, shifted } from '#lib/core/clock.ts';
import { id } from '#lib/core/schema.ts';

export const memberships = v.array(v.object({ workspaceId: id(), memberId: id(), generation: v.number() }));

/** A session as its row has it. */
export const StoredSession = v.object({
  /** The first is of the workspace in which it acts where a call names none. */
  memberships,
  expiresAt: v.string(),
  /** However much it is used, it ends then. */
  endsAt: v.string(),
  createdAt: v.string(),
  lastUsedAt: v.string(),
  /** Network and program of the sign-in, shortened. */
  ip: v.string(),
  userAgent: v.nullable(v.string()),
  /** The minute (Unix seconds) of the current window and the requests counted in it. */
  window: v.number(),
  used: v.number(),
});

const idleMs = 12 * hourMs;
/** Limit of a session in use. */
export const maxSessionMs = 14 * dayMs;

/** Returns when a row expires, for us and for the table. */
export const expiring = (expiresAt: string) => ({ expiresAt, expiresAtSeconds: epochSeconds(new Date(expiresAt)) });

/** Returns the fields of a session that its use changes: it lasts 12 hours from then, and not beyond its end. */
export function usedAt(now: string, endsAt: string) {
  const idle = shifted(now, idleMs);
  return { lastUsedAt: now, ...expiring(idle < endsAt ? idle : endsAt) };
}

export const sessionForm = /^cps_[A-Za-z0-9]{43}$/;
export const signInForm = /^[A-Za-z0-9]{43}$/;

/** Returns the form in which the table keeps a token: it has too many bits for anybody to try them. */
export const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

/** Returns the link that signs a member in. The token is behind the `#`, so that no server and no log receives it. */
export const signInLink = (base: string, token: string): string => `${base}/panel/#/sign-in/${token}`;

import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { id } from '#lib/core/schema.ts';

export const memberships = v.array(v.object({ workspaceId: id(), memberId: id(), generation: v.number() }));

/** A session as its row has it. */
export const StoredSession = v.object({
  /** The first is of the workspace in which it acts where a call names none. */
  memberships,
  expiresAt: v.string(),
  /** The minute (Unix seconds) of the current window and the requests counted in it. */
  window: v.number(),
  used: v.number(),
});

export const sessionForm = /^cps_[A-Za-z0-9]{43}$/;
export const signInForm = /^[A-Za-z0-9]{43}$/;

/** Returns the form in which the table keeps a token: it has too many bits for anybody to try them. */
export const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

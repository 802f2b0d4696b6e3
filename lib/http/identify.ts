import { type Allowance, countAnonymous, countMore, identify, KnownKeyRefused } from '#lib/auth/identify-key.ts';
import { type Identified, identifySession, missingSession, sessionIn } from '#lib/auth/identify-session.ts';
import { pageSession } from '#lib/auth/session-cookie.ts';
import { type Caller, requireScope } from '#lib/core/caller.ts';
import { now } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { Problem, rateLimited } from '#lib/core/problem.ts';
import { unitsTaken } from '#lib/table/usage.ts';
import { type Event, type Progress, progressOf, type RequestStep } from './progress.ts';
import type { Route } from './route.ts';

/**
 * Returns the step that identifies the caller and checks the rate limit, the scope that the event asks for, and the roles that members need.
 */
export const identifying = (scopeOf: (event: Event) => Route['scope'], roles?: Route['roles']): RequestStep => ({
  before: async ({ event, context }) => {
    const progress = progressOf(context);
    const scope = scopeOf(event);
    if (scope === 'public' && progress.headers['authorization'] === undefined) {
      spent(progress, await countAnonymous(progress.facts.ip));
      return;
    }
    const caller = await identified(progress, scope === 'public', roles !== undefined);
    if (!caller) return;
    requireRole(roles, caller);
    requireScope({ scope }, caller);
  },
});

/** The caller, counted; undefined when the key is none of ours and `isOptional`. */
async function identified(progress: Progress, isOptional: boolean, isForMembers: boolean) {
  const found = await ask(progress, isForMembers).catch((error) => unidentified(progress, isOptional, error));
  if (!found) return undefined;
  const { allowance, caller, refusal } = found;
  if (caller) progress.caller = caller;
  spent(progress, allowance);
  if (refusal && !isOptional) throw refusal;
  return caller;
}

/** By a session or by a key, whichever the header holds; without the header by the cookie of the panel's page. */
async function ask({ headers, cookies, facts }: Progress, isForMembers: boolean): Promise<Identified> {
  const { authorization } = headers;
  const session = authorization === undefined ? pageSession({ cookies, headers, facts }) : sessionIn(authorization);
  if (session === undefined) {
    if (isForMembers && !authorization?.trim()) throw missingSession();
    return identify(authorization, facts.ip);
  }
  const place = { environment: headers['x-environment'], workspace: headers['x-workspace'] };
  return identifySession(session, place, facts.ip);
}

/** Counts a caller who is nobody, or may not call from there, against their address; throws what was wrong unless it does not matter. */
async function unidentified(progress: Progress, isOptional: boolean, error: unknown): Promise<undefined> {
  if (!(error instanceof Problem)) throw error;
  const isElsewhere = error instanceof KnownKeyRefused && error.code === 'forbidden';
  spent(progress, await countAnonymous(progress.facts.ip, isElsewhere ? error.keyId : undefined));
  if (error instanceof KnownKeyRefused) progress.refused = error;
  if (!isOptional || isElsewhere) throw error;
}

/** Counts one more request against the caller's minute. Raises 429. */
export async function countOnceMore(progress: Progress): Promise<void> {
  spent(progress, (await ask(progress, false)).allowance);
}

function spent(progress: Progress, allowance: Allowance): void {
  progress.allowance = allowance;
  progress.counted += 1;
  if (!allowance.exceeded) return;
  const retryAfterSeconds = Math.max(1, allowance.resetAt - Math.floor(now() / 1000));
  throw rateLimited(
    `the ${allowance.limit} points of this minute are used up: wait for Retry-After`,
    retryAfterSeconds,
  );
}

/** A call may take so many read units before it counts more, and counts one more for as many again. */
const unitsPerPoint = 200;

/** Counts what a call took of the table beyond its share, once it has ended. Never throws: the answer is given uncounted. */
export async function countUnits(progress: Progress): Promise<void> {
  const { allowance, counted, reserved } = progress;
  const points = Math.max(0, Math.floor(unitsTaken() / unitsPerPoint) - counted) - reserved;
  if (allowance === undefined || points === 0) return;
  try {
    progress.allowance = await countMore(allowance, points);
  } catch (error) {
    log().warn('what a call took is not counted', { error });
  }
}

/** Points that an item of a batch takes until the batch has ended: a contact is 0.7. */
const reservedPerItem = 0.5;

/** Reserves points for the items of a batch, so that batches side by side cannot all be let in before one of them is counted. */
export async function reserveItems(progress: Progress, body: unknown): Promise<void> {
  const { allowance } = progress;
  const items = (body as { items?: unknown } | null)?.items;
  const points = Array.isArray(items) ? Math.floor(Math.min(items.length, 100) * reservedPerItem) : 0;
  if (allowance === undefined || points === 0) return;
  progress.allowance = await countMore(allowance, points);
  progress.reserved += points;
}

/** Reserves points for the items in the body of a request. */
export const reservingItems = (): RequestStep => ({
  before: async ({ context }) => {
    const progress = progressOf(context);
    await reserveItems(progress, progress.body);
  },
});

/** Raises the 403 of a key where only members call, and of a member whose role is none of those. */
function requireRole(roles: Route['roles'], { session }: Caller): void {
  if (roles === undefined) return;
  if (session === undefined)
    throw new Problem('forbidden', 'only a signed-in member can do this: use the panel', { reason: 'panel_only' });
  if (roles.includes(session.role)) return;
  const message = `your role is ${session.role}: ask a member who is ${roles.join(' or ')}`;
  throw new Problem('forbidden', message, { reason: 'missing_role', requiredRoles: roles });
}

import { type Allowance, countAnonymous, identify, KnownKeyRefused } from '#lib/keys/identify.ts';
import { Problem, rateLimited } from '#lib/problem.ts';
import type { Scope } from '#lib/scopes.ts';
import { type Route, scopesOf } from '../route.ts';
import { type Event, type Progress, progressOf, type RequestStep } from './progress.ts';

/** Who is it, from where, may they, and how much is left: by the scope that the event asks for. */
export const identifying = (scopeOf: (event: Event) => Route['scope']): RequestStep => ({
  before: async ({ event, context }) => {
    const progress = progressOf(context);
    const scope = scopeOf(event);
    if (scope === 'public' && progress.headers['authorization'] === undefined) {
      spent(progress, await countAnonymous(progress.facts.ip));
      return;
    }
    const caller = await identified(progress, scope === 'public');
    if (caller) requireScope({ scope }, caller.scopes);
  },
});

/** The caller, counted; undefined when the key is none of ours and `isOptional`. */
async function identified(progress: Progress, isOptional: boolean) {
  try {
    const { caller, allowance } = await identify(progress.headers['authorization'], progress.facts.ip);
    progress.caller = caller;
    progress.allowance = allowance;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const isElsewhere = error instanceof KnownKeyRefused && error.code === 'forbidden';
    spent(progress, await countAnonymous(progress.facts.ip, isElsewhere ? error.keyId : undefined));
    if (error instanceof KnownKeyRefused) progress.refused = error;
    if (isOptional && !isElsewhere) return undefined;
    throw error;
  }
  spent(progress, progress.allowance);
  return progress.caller;
}

/** Counts one more request against the caller's minute. Raises 429. */
export async function countOnceMore(progress: Progress): Promise<void> {
  const { allowance } = await identify(progress.headers['authorization'], progress.facts.ip);
  spent(progress, allowance);
}

function spent(progress: Progress, allowance: Allowance): void {
  progress.allowance = allowance;
  if (!allowance.exceeded) return;
  const retryAfterSeconds = Math.max(1, allowance.resetAt - Math.floor(Date.now() / 1000));
  throw rateLimited('too many requests in this minute', retryAfterSeconds);
}

/** Raises the 403 of a key without the scope. */
export function requireScope(route: Pick<Route, 'scope'>, scopes: readonly Scope[]): void {
  const requiredScopes = scopesOf(route);
  if (requiredScopes.length === 0 || requiredScopes.some((scope) => scopes.includes(scope))) return;
  const message = `this key lacks the scope ${requiredScopes.join(', or ')}`;
  throw new Problem('forbidden', message, { reason: 'missing_scope', requiredScopes });
}

import { type Allowance, countAnonymous, identify, KnownKeyRefused } from '#lib/keys/identify.ts';
import { Problem } from '#lib/problem.ts';
import type { Route } from '../route.ts';
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
    if (caller && scope !== 'public' && scope !== 'any' && !caller.scopes.includes(scope)) throw missingScope(scope);
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
  throw new Problem(
    'rate_limited',
    'too many requests in this minute',
    { retryAfterSeconds },
    { headers: { 'Retry-After': String(retryAfterSeconds) } },
  );
}

/** The 403 of a key without the scope. */
export const missingScope = (scope: Route['scope']) =>
  new Problem('forbidden', `this key lacks the scope ${scope}`, { reason: 'missing_scope', requiredScopes: [scope] });

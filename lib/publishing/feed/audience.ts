import type { Caller } from '#lib/core/caller.ts';
import { notFound, Problem } from '#lib/core/problem.ts';
import type { Scope } from '#lib/core/scopes.ts';
import { readBy } from '#lib/events/names.ts';

const scopeOf: Readonly<Record<string, Scope | undefined>> = readBy;

/** Returns the scope that a member lacks to read an event. Keys need only `webhooks:read` (contract section 14). */
function lacking({ session, scopes }: Caller, kind: string): Scope | undefined {
  const scope = scopeOf[kind.split('.')[0] ?? ''];
  return session === undefined || scope === undefined || scopes.includes(scope) ? undefined : scope;
}

/** Whether a caller is shown the events of a kind: a member those about what their role may read. */
export const mayLearn = (caller: Caller, kind: string): boolean => lacking(caller, kind) === undefined;

/** Returns the scopes that a member lacks to be sent events of these kinds; `*` means all. */
function lackingOf(caller: Caller, kinds: readonly string[]): Scope[] {
  const asked = kinds.includes('*') ? Object.keys(readBy) : kinds;
  return [...new Set(asked.flatMap((kind) => lacking(caller, kind) ?? []))];
}

/** Whether a caller may have events of these kinds sent somewhere, and so know the secret that signs them; `*` are all. */
export const mayReceive = (caller: Caller, kinds: readonly string[]): boolean => lackingOf(caller, kinds).length === 0;

/** Raises 403 where a member would have events sent somewhere that they may not be shown; `*` are all. */
export function requireLearning(caller: Caller, kinds: readonly string[]): void {
  const requiredScopes = lackingOf(caller, kinds);
  if (requiredScopes.length === 0) return;
  throw new Problem('forbidden', 'the endpoint gets events that your role cannot read: ask an owner', {
    reason: 'missing_scope',
    requiredScopes,
  });
}

/** Returns the delivery or event if the caller may read events of its kind. Raises 404. */
export function requireVisible<Of extends { eventKind: string }>(caller: Caller, of: Of): Of {
  if (!mayLearn(caller, of.eventKind)) throw notFound('delivery');
  return of;
}

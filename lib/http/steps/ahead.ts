import { isDeepStrictEqual } from 'node:util';
import { Ahead } from '#lib/ahead.ts';
import type { Caller } from '#lib/keys/caller.ts';
import { isRowNeed } from '#lib/needs.ts';
import type { Reply } from '../idempotency.ts';
import type { Route } from '../route.ts';
import { readBody } from './body.ts';
import { lastMet } from './met.ts';
import { type Event, type Progress, progressOf, type RequestStep } from './progress.ts';

/** What has no other effect than those on the table waits there for the admission. */
const touchesTableAlone = ({ needs = [], carries }: Route) =>
  carries === undefined && needs.every((need) => need === 'read-files' || isRowNeed(need));

/**
 * Begins the work for a caller whom this process has met, while it is asked who calls: of what that tells nothing but rights can have
 * changed, and the answer is given where none have. Who was refused is asked for first, so that calls beyond a rate limit read nothing.
 */
export function beginning(
  route: Route,
  work: (event: Event, progress: Progress, caller: Caller) => Promise<Reply>,
): RequestStep {
  const mayBegin = touchesTableAlone(route);
  return {
    before: ({ event, context }) => {
      const progress = progressOf(context);
      const caller = mayBegin ? lastMet(progress) : undefined;
      if (caller === undefined) return;
      readBody(route, event, progress);
      progress.begun = { caller, ahead: new Ahead(() => work(event, progress, caller)) };
    },
    onError: ({ context }) => progressOf(context).begun?.ahead.refuse(),
  };
}

/** The answer of work that was begun, if it was done for whoever it is who calls. */
export function answerOfBegun({ begun, caller }: Progress): Promise<Reply> | undefined {
  if (begun === undefined) return undefined;
  if (isDeepStrictEqual(begun.caller, caller)) return begun.ahead.admit();
  begun.ahead.refuse();
  return undefined;
}

import { isPassing } from '#lib/aws/aws.ts';
import { log } from '#lib/core/log.ts';
import { Problem, unavailable } from '#lib/core/problem.ts';
import { recordAudit } from '#lib/table/outbox.ts';
import { render } from './answer.ts';
import { auditEntry } from './operation.ts';
import { type Known, progressOf, type RequestStep } from './progress.ts';
import { isWrite, type RequestFacts, type Route } from './route.ts';

/** Returns the step that turns every error into an answer in the envelope; refusals of a known caller that the contract names are audited. */
export const refusing = (route: Route): RequestStep => ({
  onError: async (request) => {
    const { caller, refused, facts } = progressOf(request.context);
    const problem = problemOf(request.error);
    const known = caller ?? (request.error === (refused as unknown) ? refused : undefined);
    const isAudited = problem.status === 401 || problem.status === 403 || (isWrite(route) && problem.status !== 429);
    if (known && isAudited && problem.status < 500) await auditRefusal(known, route, facts, problem.status);
    if (problem.status >= 500) {
      log().error('the request failed', { requestId: facts.requestId, error: problem.cause ?? request.error });
    }
    request.response = render({
      status: problem.status,
      body: JSON.stringify(problem.body),
      headers: problem.headers,
    });
  },
});

/** Returns the problem of an unexpected error: one that may pass is worth a retry, any other is a bug. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isPassing(error)) return unavailable(1, error);
  return new Problem(
    'internal_error',
    'an unexpected error occurred: retry with backoff, and report the X-Request-Id if it stays',
    null,
    {
      cause: error,
    },
  );
}

/** Records a refused call. Never throws: the answer is given without its entry. */
export async function auditRefusal(caller: Known, route: Route, facts: RequestFacts, status: number): Promise<void> {
  try {
    await recordAudit(caller.tenant, caller.actor, auditEntry(route, caller, facts, status));
  } catch (error) {
    log().error('the audit entry of a refusal is lost', { error });
  }
}

import { now } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import type { RequestLine } from '#lib/workspaces/request-line.ts';
import { maskPath, routeLabel } from './mask-path.ts';
import type { Progress, Result } from './progress.ts';
import type { Route } from './route.ts';

/** The log line of a request, from which its workspace has it in the request log. A metric for each route would cost
 * more than it tells: the log says how long which took. */
export function report(route: Route, progress: Progress, { statusCode: status = 0, body }: Result): void {
  const { startedAtMs, facts } = progress;
  const durationMs = performance.now() - startedAtMs;
  log().info('request', {
    requestId: facts.requestId,
    method: facts.method,
    route: routeLabel(route),
    status,
    durationMs: Math.round(durationMs * 10) / 10,
    ...ownerOf(route, progress, status, body),
  });
}

type OwnerOf = Partial<Omit<RequestLine, 'timestamp' | 'requestId' | 'method' | 'route' | 'status' | 'durationMs'>> & {
  memberId?: number | string | null;
};

function ownerOf(route: Route, { caller, refused, facts }: Progress, status: number, body: Result['body']): OwnerOf {
  const known = caller ?? refused;
  if (!known) return {};
  const { keyId, actor, tenant } = known;
  // The request log is that of keys: a page of the panel asks every few seconds for what is new.
  if (keyId === null) return { ...tenant, memberId: actor.id };
  return {
    keyId,
    ...tenant,
    ...(isWorthKeeping(keyId, status) && {
      isKept: true,
      path: maskPath(route, facts.path),
      reason: status >= 400 ? reasonIn(body) : null,
      ip: facts.ip,
    }),
  };
}

/** The errors of the API have one, where several things can be wrong. */
function reasonIn(body = ''): string | null {
  try {
    const { reason } = (JSON.parse(body) as { details?: { reason?: unknown } }).details ?? {};
    return typeof reason === 'string' ? reason : null;
  } catch {
    return null;
  }
}

/** Lines per key and minute, in this process: calls above the rate limit would cost a line each. */
const maxLimited = 20;
const limited = new Map<string, number>();
let minute = 0;

function isWorthKeeping(keyId: string, status: number): boolean {
  if (status !== 429) return true;
  const thisMinute = Math.floor(now() / 60_000);
  if (thisMinute !== minute) limited.clear();
  minute = thisMinute;
  const seen = (limited.get(keyId) ?? 0) + 1;
  limited.set(keyId, seen);
  return seen <= maxLimited;
}

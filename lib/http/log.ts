import { now } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import type { RequestLine } from '#lib/workspaces/request-line.ts';
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

/** `*` for whatever no route matches. */
const routeLabel = ({ path }: Pick<Route, 'path'>) => (path === '$default' ? '*' : path);

const isId = (segment: string) => /^\d{1,10}$/.test(segment);
const isTextId = (segment: string) => /^[\w-]{1,64}$/.test(segment) && withoutCredentials(segment) === segment;
/** A word, as a part of a path is: no address, no phone, no full name and no key. */
const isPlain = (segment: string) =>
  (/^[a-z][\w.-]{0,39}$/i.test(segment) && withoutCredentials(segment) === segment) || isId(segment);

const maxSegments = 12;

/**
 * The path of a request as a log may have it: with ids, and without anything else that somebody has put there, since what an erased
 * person is called must not stay in a log.
 */
export function maskPath(
  { path: template, textParams = [] }: Pick<Route, 'path' | 'textParams'>,
  path: string,
): string {
  const segments = path.split('/');
  const parts = template.split('/');
  if (parts.length !== segments.length || template === '$default') {
    const [shown, more] = [segments.slice(0, maxSegments), segments.length > maxSegments];
    return [...shown.map((one) => (one === '' || isPlain(one) ? one : '…')), ...(more ? ['…'] : [])].join('/');
  }
  return parts
    .map((part, index) => {
      const segment = segments[index] as string;
      if (!part.startsWith('{')) return part;
      const name = part.slice(1, -1);
      const isText = name !== 'token' && textParams.includes(name as never);
      return isId(segment) || (isText && isTextId(segment)) ? segment : part;
    })
    .join('/');
}

/** The secrets of endpoints are base64, in which there are slashes. */
const credential =
  /((?:csk(?:_|%5f)\w{4}|cps)(?:_|%5f))[\w%-]{8,}|(whsec(?:_|%5f))[\w%+/=-]{8,}|(\b(?:bot)?\d{6,12}(?::|%3a))[\w-]{30,}/gi;

/**
 * Returns a caller's text without keys, sessions and secrets that it holds by mistake: it is kept where others may read
 * it.
 */
export const withoutCredentials = (text: string): string => text.replace(credential, '$1$2$3…');

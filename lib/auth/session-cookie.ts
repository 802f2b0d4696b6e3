import { createHash } from 'node:crypto';
import { panelBase } from '#lib/core/env.ts';
import { Problem } from '#lib/core/problem.ts';
import { isSameSecret } from '#lib/core/same-secret.ts';

/** No other host and no page without TLS can set a cookie with this prefix. */
const name = '__Host-crm-session';

const cookie = (value: string, maxAgeSeconds: number) =>
  `${name}=${value}; Max-Age=${maxAgeSeconds}; Path=/; Secure; HttpOnly; SameSite=Strict`;

/** Returns the header that gives the page its session. */
export const sessionCookie = (session: string, seconds: number): string => cookie(session, seconds);
/** Takes the session from the page. */
export const endedCookie: string = cookie('', 0);

/** Returns the token that a page sends beside the cookie. It follows from the session, so that nothing is kept of it. */
export const requestTokenOf = (session: string): string =>
  createHash('sha256').update(`request token of ${session}`).digest('base64url');

/** Parts of a request that say which page has sent it. */
export interface PageRequest {
  readonly cookies: readonly string[];
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly facts: Readonly<{ method: string; path: string; domain?: string | undefined; port?: string | undefined }>;
}

/**
 * Returns the session of the cookie, if the request also has the token of the page. Only the call that tells a page its token needs
 * none. Raises 403 for another site's request, and for another token.
 */
export function pageSession({ cookies, headers, facts }: PageRequest): string | undefined {
  const [session, ...others] = cookies.flatMap((one) =>
    one.startsWith(`${name}=`) ? [one.slice(name.length + 1)] : [],
  );
  if (session === undefined || others.length > 0 || !/^\/(v1|panel)\//.test(facts.path)) return undefined;
  const given = headers['x-request-token'];
  const tellsToken = facts.method === 'GET' && facts.path === '/panel/sessions/current';
  if (given === undefined && !tellsToken) return undefined;
  requireOwnPage({ headers, facts });
  if (given !== undefined && !isSameSecret(given, requestTokenOf(session)))
    throw new Problem('forbidden', 'the X-Request-Token belongs to another session: get the session again', {
      reason: 'wrong_request_token',
    });
  return session;
}

/** Raises 403 for the request of another website. */
export function requireOwnPage({ headers, facts }: Pick<PageRequest, 'headers' | 'facts'>): void {
  const { origin, 'sec-fetch-site': site } = headers;
  // A browser that says `same-origin` knows better than this function, which does not see the name of a CDN before it.
  const isOwn =
    site === undefined ? origin === undefined || origin === originOf(panelBase(facts)) : site === 'same-origin';
  if (!isOwn)
    throw new Problem('forbidden', 'a web page of another site made this call: call from the panel instead', {
      reason: 'foreign_origin',
    });
}

const originOf = (url: string) => URL.parse(url)?.origin;

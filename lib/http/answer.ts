import { randomUUID } from 'node:crypto';
import { env } from '#lib/core/env.ts';
import { apiRevision } from '#lib/core/revision.ts';
import { firstCharacters, oneLine } from '#lib/core/text.ts';
import { clientAddress } from '#lib/network/addresses.ts';
import { compress } from './compress.ts';
import { withoutCredentials } from './credentials.ts';
import type { Reply } from './idempotency.ts';
import { countUnits } from './identify.ts';
import { report } from './log.ts';
import { type Event, type Progress, progressOf, type Request, type RequestStep, type Result } from './progress.ts';
import type { RequestFacts, Route } from './route.ts';

/** First in, last out: the request's facts before, the headers of every answer and the log line after. */
export function answering(route: Route): RequestStep {
  const finish = async ({ context, response, event }: Request) => {
    const progress = progressOf(context);
    await countUnits(progress);
    const answer = response ?? {};
    answer.headers = { ...answer.headers, ...headersOf(route, event, progress) };
    report(route, progress, answer);
    compress(answer, progress.headers['accept-encoding']);
  };
  return {
    before: ({ event, context }) => {
      const headers = lowerCased(event.headers);
      context.progress = {
        startedAtMs: performance.now(),
        facts: factsOf(event, headers),
        headers,
        cookies: event.cookies ?? [],
        isStrict: route.path.startsWith('/v1/') && prefersStrict(headers['prefer']),
        counted: 0,
        reserved: 0,
        body: {},
      };
    },
    after: finish,
    onError: finish,
  };
}

export const render = ({ status, body, headers, isBase64Encoded }: Reply): Result => ({
  statusCode: status,
  headers: { ...(body === '' ? {} : { 'Content-Type': 'application/json' }), ...headers },
  body,
  ...(isBase64Encoded && { isBase64Encoded }),
});

function factsOf(event: Event, headers: Progress['headers']): RequestFacts {
  const { sourceIp, method, path } = event.requestContext.http;
  const given = headers['x-request-id'] ?? '';
  return {
    requestId: /^[A-Za-z0-9._-]{1,64}$/.test(given) && withoutCredentials(given) === given ? given : newRequestId(),
    method,
    path: event.rawPath || path,
    domain: event.requestContext.domainName,
    port: headers['x-forwarded-port'],
    ip: clientAddress(sourceIp, headers['x-forwarded-for'], trustedProxies()),
    userAgent: firstCharacters(withoutCredentials(oneLine(headers['user-agent'] ?? '')), 500) || null,
  };
}

/** By RFC 7240 the first `handling` counts. */
const prefersStrict = (prefer = '') =>
  /(?:^|[,;\s])handling\s*=\s*"?(\w+)/i.exec(prefer)?.[1]?.toLowerCase() === 'strict';

const headersOf = ({ scope }: Route, event: Event, { allowance, facts, isStrict }: Progress) => ({
  'X-Request-Id': facts.requestId,
  'X-Api-Revision': apiRevision,
  ...(isStrict && { 'Preference-Applied': 'handling=strict' }),
  ...(['GET', 'HEAD'].includes(event.requestContext.http.method) && scope !== 'keys:manage'
    ? {}
    : { 'Cache-Control': 'no-store' }),
  ...(allowance && {
    'X-RateLimit-Limit': String(allowance.limit),
    'X-RateLimit-Remaining': String(allowance.remaining),
    'X-RateLimit-Reset': String(allowance.resetAt),
  }),
});

const newRequestId = () =>
  BigInt(`0x${randomUUID().replaceAll('-', '')}`)
    .toString(36)
    .padStart(26, '0')
    .slice(0, 26)
    .toUpperCase();

const lowerCased = (headers: Record<string, string | undefined> = {}) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const trustedProxies = () =>
  env('TRUSTED_PROXIES')
    .split(',')
    .map((range) => range.trim())
    .filter((range) => range !== '');

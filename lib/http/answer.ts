import { randomUUID } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { env } from '#lib/core/env.ts';
import { apiRevision } from '#lib/core/revision.ts';
import { firstCharacters, oneLine } from '#lib/core/text.ts';
import { clientAddress } from '#lib/network/addresses.ts';
import type { Reply } from './idempotency.ts';
import { countUnits } from './identify.ts';
import { report, withoutCredentials } from './log.ts';
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

const encodings = { br: '.br', gzip: '.gz' } as const;
export type Encoding = keyof typeof encodings;
/** The end of the name of a file that is packed so. */
export const suffixOf = (encoding: Encoding | undefined) => (encoding ? encodings[encoding] : '');

/** Returns the smallest encoding that `Accept-Encoding` takes; undefined for none. */
export function encodingFor(accepted = ''): Encoding | undefined {
  const taken = accepted
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
    .filter((one) => !/;\s*q=0(\.0*)?$/.test(one))
    .map((one) => one.split(';')[0]?.trim());
  return (Object.keys(encodings) as Encoding[]).find((name) => taken.includes(name));
}

/** Less than this does not get smaller. */
const minBytes = 1024;
/** The levels above cost many times the time and win a few percent. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** Compresses the body of an answer in text for callers that accept it. */
function compress(answer: Result, accepted: string | undefined): void {
  const { body = '', isBase64Encoded } = answer;
  if (isBase64Encoded || Buffer.byteLength(body) < minBytes) return;
  const encoding = encodingFor(accepted);
  answer.headers = { ...answer.headers, Vary: 'Accept-Encoding', ...(encoding && { 'Content-Encoding': encoding }) };
  if (!encoding) return;
  answer.body = (encoding === 'br' ? brotliCompressSync(body, quality) : gzipSync(body)).toString('base64');
  answer.isBase64Encoded = true;
}

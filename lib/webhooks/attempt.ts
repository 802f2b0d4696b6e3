import { epochSeconds, timestamp } from '#lib/core/clock.ts';
import { unavailable } from '#lib/core/problem.ts';
import { firstCharacters, oneLine } from '#lib/core/text.ts';
import { endpointTimeoutMs } from '#lib/core/timeouts.ts';
import type { DueDelivery, ErrorClass } from '#lib/entities/delivery.ts';
import type { Outbound, OutboundFailure } from '#lib/network/outbound.ts';
import { headersOf } from './headers.ts';
import { keepHeaders, type ResponseHeaders, withoutValues } from './response-headers.ts';
import { type Signatures, type Signer, sign } from './sign.ts';

const keptCharacters = 1024;
const maxBytesPerCharacter = 4;

/** Where and how an endpoint is sent its events. */
export interface Target {
  url: string;
  /** Its own headers, decrypted. */
  headers: Readonly<Record<string, string>>;
  signers: readonly [Signer, Signer?];
}

/** Result of one attempt. */
export interface Attempt {
  number: number;
  startedAt: string;
  durationMs: number;
  responseStatus: number | null;
  responseHeaders: ResponseHeaders;
  responseBody: string | null;
  error: string | null;
  errorClass: ErrorClass | null;
  isSuccess: boolean;
  isTimeout: boolean;
  retryAfter: string | undefined;
  signed: Signatures;
}

const classOf: Readonly<Record<Exclude<OutboundFailure, 'resolver'>, ErrorClass>> = {
  forbidden_address: 'blocked_address',
  dns: 'dns',
  silent_dns: 'dns',
  refused: 'refused',
  tls: 'tls',
  timeout: 'timeout',
  too_large: 'too_large',
  malformed: 'reset',
  reset: 'reset',
};

/** Sends an event to an endpoint once. Never throws for what the endpoint does; raises 503 where nobody could be asked for its host. */
export async function attempt(
  outbound: Outbound,
  { url, headers, signers }: Target,
  delivery: DueDelivery,
  body: string,
): Promise<Attempt> {
  const number = delivery.attemptCount + 1;
  const bytes = Buffer.from(body);
  const signed = sign(signers, delivery.deliveryId, epochSeconds(), bytes);
  const startedAt = timestamp();
  const started = performance.now();
  const answer = await outbound.send(url, {
    method: 'POST',
    headers: withOwn(headersOf(delivery, number, signed), headers),
    body: bytes,
    keptBytes: keptCharacters * maxBytesPerCharacter,
    timeoutMs: endpointTimeoutMs,
  });
  const { status, failure } = answer;
  if (failure === 'resolver') throw unavailable(1, new Error(`${answer.error}`));
  const isSuccess = failure === null && status !== null && status >= 200 && status < 300;
  const retryAfter = answer.headers['retry-after'];
  return {
    number,
    startedAt,
    durationMs: Math.round(performance.now() - started),
    responseStatus: status,
    responseHeaders: keepHeaders(answer.headers, Object.values(headers)),
    responseBody: status === null ? null : beginning(answer.body, Object.values(headers)),
    error: isSuccess
      ? null
      : (answer.error ?? refusalOf(url, status, answer.headers['location'], Object.values(headers))),
    errorClass: isSuccess ? null : failure === null ? 'status' : classOf[failure],
    isSuccess,
    isTimeout: failure === 'timeout' || failure === 'silent_dns',
    retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
    signed,
  };
}

const maxAddressCharacters = 300;

/** Redirects are not followed: what is sent is for the registered address alone. */
function refusalOf(url: string, status: number | null, location: unknown, values: readonly string[]): string {
  const answered = `the endpoint answered ${status}`;
  if (status === null || status < 300 || status > 399 || status === 304) return answered;
  const to = typeof location === 'string' && URL.parse(location, url)?.href;
  const where = to ? ` to ${firstCharacters(oneLine(withoutValues(to, values)), maxAddressCharacters)}` : '';
  return `${answered}${where}: redirects are not followed, register that address`;
}

const beginning = (body: Buffer, values: readonly string[]) =>
  firstCharacters(withoutValues(body.toString(), values), keptCharacters);

/** Returns our headers with the endpoint's own, which go before ours of the same name. */
function withOwn(ours: Record<string, string>, own: Readonly<Record<string, string>>): Record<string, string> {
  const names = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  return { ...Object.fromEntries(Object.entries(ours).filter(([name]) => !names.has(name.toLowerCase()))), ...own };
}

import * as v from 'valibot';
import { now, secondMs, sleep } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { log } from '#lib/core/log.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import type { StoredAccount } from '#lib/entities/account.ts';
import { notYet, waitFor } from '#lib/messages/jobs/outcomes.ts';
import type { Outcome } from '#lib/messages/jobs/sender.ts';
import { type Answered, type Exchange, openProvider, type Provider } from '#lib/network/provider.ts';
import { isEnding, keepTokens, renewTokens, type Tokens, tokensOf } from './tokens.ts';

/** Its windows are so long. */
const defaultWaitSeconds = 15 * 60;

/** X as one account sees it, for whoever has the account in hand: its tokens are renewed when they must be, and stored. */
export interface TwitterApi {
  /** As it is stored now. */
  readonly account: StoredAccount;
  /** `outcome`: nothing was asked, because the tokens could not be renewed. */
  request(method: 'GET' | 'POST', path: string, body?: object): Promise<Exchange | { outcome: Outcome }>;
  close(): Promise<void>;
}

/** Opens X for an account that nobody else uses meanwhile. Throws for a secret that cannot be read. Needs the key, in both directions. */
export async function openTwitterApi(
  tenant: Tenant,
  opened: StoredAccount,
  options?: Parameters<typeof openProvider>[1],
): Promise<TwitterApi> {
  let account = opened;
  let tokens = await tokensOf(tenant, account);
  let wasRenewedEarly = false;
  const provider = openProvider(env('TWITTER_API_ROOT'), options);

  /** Undefined: there are new tokens. */
  const renew = async (): Promise<Outcome | undefined> => {
    const exchange = await askForTokens(provider, tokens);
    if (!isSuccess(exchange)) return whyNotRenewed(exchange);
    const next = renewTokens(tokens, exchange.body);
    if (!next) return { kind: 'failed-for-now', error: 'X’s answer with new tokens cannot be read' };
    const kept = await patiently(() => keepTokens(tenant, account, next));
    if (!kept) return notYet();
    [account, tokens] = [kept, next];
    return undefined;
  };
  const ask = (method: 'GET' | 'POST', path: string, body?: object) =>
    provider.request(method, path, { authorization: `Bearer ${tokens.accessToken}` }, body);
  return {
    get account() {
      return account;
    },
    async request(method, path, body) {
      if (isEnding(tokens) && !wasRenewedEarly) {
        wasRenewedEarly = true;
        const outcome = await renew();
        // It may be good for a while longer.
        if (outcome && outcome.kind !== 'failed-for-now') return { outcome };
      }
      const exchange = await ask(method, path, body);
      if ('error' in exchange || exchange.status !== 401 || tokens.refreshToken === undefined) return exchange;
      const outcome = await renew();
      return outcome ? { outcome } : ask(method, path, body);
    },
    close: () => provider.close(),
  };
}

export const isSuccess = (exchange: Exchange): exchange is Answered =>
  !('error' in exchange) && exchange.status >= 200 && exchange.status < 300;

/** As RFC 6749 (section 6) and X want it: a client with a secret proves itself besides. */
const askForTokens = (provider: Provider, tokens: Tokens): Promise<Exchange> =>
  provider.request(
    'POST',
    '/2/oauth2/token',
    clientHeaders(tokens),
    form({ grant_type: 'refresh_token', refresh_token: tokens.refreshToken, client_id: tokens.clientId }),
  );

const form = (fields: Record<string, string | undefined>) =>
  new URLSearchParams(Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined));

const clientHeaders = ({ clientId, clientSecret }: Tokens): Record<string, string> =>
  clientSecret === undefined
    ? {}
    : { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` };

/** Answer of the token endpoint to a request that it will never accept (RFC 6749, section 5.2). */
const TokenError = v.object({ error: v.string() });

/** The refresh token is spent or revoked, or nobody knows for now. */
function whyNotRenewed(exchange: Exchange): Outcome {
  if ('error' in exchange)
    return { kind: 'failed-for-now', error: `no answer to the renewal of the token (${exchange.error})` };
  const { status, body } = exchange;
  if (status === 429) return waitFor(secondsUntilReset(exchange));
  if (status < 500 && v.is(TokenError, body)) return { kind: 'lost', state: 'disconnected' };
  return { kind: 'failed-for-now', error: `X answered ${status} to the renewal of the token` };
}

const keepTries = 4;

/** A pair that is not stored is lost, because the one before is spent. */
async function patiently<Result>(store: () => Promise<Result>): Promise<Result> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await store();
    } catch (error) {
      if (tried === keepTries) throw error;
      log().warn('new tokens of an account could not be stored at once', error as Error);
      await sleep((tried * secondMs) / 2);
    }
  }
}

const Reason = v.object({ detail: v.optional(v.string()), title: v.optional(v.string()) });

/** Returns the outcome of an answer for its caller (https://docs.x.com/x-api/fundamentals/response-codes-and-errors). */
export function outcomeOf(answered: Answered): Outcome {
  const { status, body } = answered;
  const { detail, title } = v.is(Reason, body) ? body : {};
  const error = `X answered ${status}: ${detail ?? title ?? 'no reason given'}`;
  if (status >= 200 && status < 300) return { kind: 'sent' };
  if (status === 401) return { kind: 'lost', state: 'disconnected' };
  if (status === 429) return waitFor(secondsUntilReset(answered));
  return status >= 500 ? { kind: 'failed-for-now', error } : { kind: 'failed', error };
}

/** Returns the wait after a 429. X names the end of its window of 15 minutes. */
export function secondsUntilReset({ headers }: Answered): number {
  const seconds = Number(headers['x-rate-limit-reset']) - now() / secondMs;
  return Number.isFinite(seconds) ? seconds : defaultWaitSeconds;
}

const User = v.object({
  data: v.object({
    id: v.pipe(v.string(), v.regex(/^\d{1,20}$/)),
    name: v.optional(v.string(), ''),
    username: v.optional(v.pipe(v.string(), v.regex(/^\w{1,50}$/))),
  }),
});

/** The user whose token it is, as `GET /2/users/me` tells; undefined for another answer. */
export function userIn(exchange: Exchange): v.InferOutput<typeof User>['data'] | undefined {
  const user = isSuccess(exchange) ? v.safeParse(User, exchange.body) : undefined;
  return user?.success ? user.output.data : undefined;
}

/** Asks X whose an access token is. */
export async function askWhose(accessToken: string): Promise<Exchange> {
  const provider = openProvider(env('TWITTER_API_ROOT'));
  try {
    return await provider.request('GET', '/2/users/me', { authorization: `Bearer ${accessToken}` });
  } finally {
    await provider.close();
  }
}

/** Takes an account's tokens back, the refresh token first. Returns whether X has taken them all. */
export async function revokeTokens(tokens: Tokens): Promise<boolean> {
  const provider = openProvider(env('TWITTER_API_ROOT'));
  try {
    let isRevoked = true;
    for (const token of [tokens.refreshToken, tokens.accessToken]) {
      if (token === undefined) continue;
      const body = form({ token, client_id: tokens.clientId });
      const exchange = await provider.request('POST', '/2/oauth2/revoke', clientHeaders(tokens), body);
      isRevoked &&= isSuccess(exchange);
    }
    return isRevoked;
  } finally {
    await provider.close();
  }
}

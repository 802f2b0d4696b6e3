import { createHash, timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import type { Caller } from '#lib/core/caller.ts';
import { epochSeconds, timestamp } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { Problem } from '#lib/core/problem.ts';
import type { Actor, Tenant } from '#lib/core/tenant.ts';
import { isWithin } from '#lib/network/addresses.ts';
import { type Key, rowKey } from '#lib/table/keys.ts';
import { Attribute, type Condition, writeIf } from '#lib/table/write.ts';
import { Keys, type StoredKey } from './key.ts';

/** Requests left in the current minute (contract 0.6). */
export interface Allowance {
  limit: number;
  remaining: number;
  /** Unix seconds of the next minute. */
  resetAt: number;
  exceeded: boolean;
  /** The row whose minute it is; none of an address. */
  row?: Key;
}

export const hashKey = (key: string) => createHash('sha256').update(key).digest('hex');

const keyForm = /^csk_(live|test)_([A-Za-z0-9]{12})([A-Za-z0-9]{32})$/;

/** Why a key is refused, and what its caller is answered. */
export const unauthorizedReasons = {
  missing_key: 'the call has no API key: send the header Authorization: Bearer <API_KEY>',
  malformed_key: 'the API key does not have the form csk_<env>_<keyId><secret>: check whether it was cut',
  unknown_key: 'the API key is unknown: check whether it belongs to this deployment',
  revoked_key: 'the API key was revoked: create a new one',
  expired_key: 'the API key has expired: create a new one, or change its expiresAt with another key',
} as const;

/** RFC 9110 asks for it with every 401; it names no OAuth metadata, because there is none. */
export const challenge = { headers: { 'WWW-Authenticate': 'Bearer realm="api"' } };

const unauthorized = (reason: keyof typeof unauthorizedReasons) =>
  new Problem('unauthorized', unauthorizedReasons[reason], { reason }, challenge);

const addressRefused = () =>
  new Problem(
    'forbidden',
    'the ipAllowlist of the key leaves out your address: call from an allowed one, or change the list',
    { reason: 'ip_not_allowed' },
  );

/** A refusal of a key that exists and was not counted; the audit trail records it. */
export class KnownKeyRefused extends Problem {
  readonly tenant: Tenant;
  readonly keyId: string;
  readonly actor: Actor;

  constructor({ code, message, details, headers }: Problem, key: StoredKey) {
    super(code, message, details, { headers });
    this.tenant = { workspaceId: key.workspaceId, env: key.env };
    this.keyId = key.keyId;
    this.actor = { type: 'api_key', id: key.keyId };
  }
}

/** The minute (Unix seconds) that is counted now. */
export const currentWindow = () => Math.floor(epochSeconds() / 60) * 60;

/**
 * The allowlists that this process has met, by keyId. With the right one in its condition the first update counts; the condition
 * is what lets a request in, so an old one costs a second look and nothing else.
 */
const allowlists = new Map<string, readonly string[]>();
const maxAllowlists = 1000;

const admits = (allowlist: readonly string[], ip: string) => allowlist.length === 0 || isWithin(ip, allowlist);

function rememberAllowlist({ keyId, ipAllowlist }: StoredKey): void {
  if (allowlists.size >= maxAllowlists) allowlists.clear();
  allowlists.set(keyId, ipAllowlist);
}

/**
 * The caller behind an `Authorization` header, and one request counted against its minute: secret, revocation, expiry, allowlist
 * and count are one conditional update (a second one at the first request of a minute, and when this process learns of an
 * allowlist). Over the limit the caller comes back with `exceeded`, so that a missing scope can still be answered. Raises 401, and
 * 403 for an address that the key does not allow; neither is counted here.
 */
export async function identify(
  authorization: string | undefined,
  ip: string,
): Promise<{ caller: Caller; allowance: Allowance }> {
  if (!authorization?.trim()) throw unauthorized('missing_key');
  const [scheme, key = '', ...more] = authorization.trim().split(/\s+/);
  if (scheme?.toLowerCase() !== 'bearer') throw unauthorized('missing_key');
  const keyId = more.length === 0 ? keyForm.exec(key)?.[2] : undefined;
  if (keyId === undefined) throw unauthorized('malformed_key');
  const hash = hashKey(key);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const window = currentWindow();
    const met = allowlists.get(keyId) ?? [];
    // A request that may not come from here is not to be counted, so the condition must fail unless there is no allowlist.
    const allowlist = admits(met, ip) ? met : [];
    const request = { keyId, hash, ip, window };
    const counted = await count({ ...request, allowlist }, 'within');
    if (counted.ok) return known(counted.key, ip, window, false);
    const { key: stored } = counted;
    if (stored === undefined || !sameHash(stored.hash, hash)) throw unauthorized('unknown_key');
    if (stored.revokedAt !== null) throw new KnownKeyRefused(unauthorized('revoked_key'), stored);
    if (stored.expiresAt !== null && stored.expiresAt <= timestamp())
      throw new KnownKeyRefused(unauthorized('expired_key'), stored);
    if (!admits(stored.ipAllowlist, ip)) throw new KnownKeyRefused(addressRefused(), stored);
    const isNews = !isDeepStrictEqual(stored.ipAllowlist, allowlist);
    if (isNews) rememberAllowlist(stored);
    if (isOpen(stored.window, window)) {
      if (isNews) continue;
      return known(stored, ip, window, true);
    }
    const opened = await count({ ...request, allowlist: stored.ipAllowlist }, 'first');
    if (opened.ok) return known(opened.key, ip, window, false);
  }
  throw new Error('the window of a key could not be opened');
}

function known(key: StoredKey, ip: string, window: number, exceeded: boolean) {
  const limit = key.rateLimitPerMinute ?? env('RATE_LIMIT_PER_MINUTE');
  const caller: Caller = {
    tenant: { workspaceId: key.workspaceId, env: key.env },
    actor: { type: 'api_key', id: key.keyId },
    keyId: key.keyId,
    scopes: key.scopes,
    ipAllowlist: key.ipAllowlist,
    rateLimitPerMinute: limit,
    expiresAt: key.expiresAt,
    ip,
  };
  return { caller, allowance: allowanceOf(rowOf(key), limit, key.used, window, exceeded) };
}

const rowOf = ({ keyId }: { keyId: string }) => rowKey('key', { keyId });

/** Returns the rest of a minute. */
export const allowanceOf = (
  row: Key,
  limit: number,
  used: number | undefined,
  window: number,
  exceeded: boolean,
): Allowance => ({
  limit,
  remaining: exceeded ? 0 : Math.max(0, limit - (used ?? 0)),
  resetAt: window + 60,
  exceeded,
  row,
});

/** Adds to the minute in which a key or a session was let in last. Returns what is left of it. */
export async function countMore(allowance: Allowance, points: number): Promise<Allowance> {
  const { row, limit } = allowance;
  if (row === undefined) return allowance;
  const { item } = await writeIf({ key: row, add: { used: points }, if: { present: ['window'] } });
  return item ? allowanceOf(row, limit, Number(item['used']), Number(item['window']), false) : allowance;
}

/** Clocks differ by less than a minute; a later window was opened by one that was wrong, and would not end. */
const latestWindow = (window: number) => window + 60;

/** Whether a window that is stored is that of now, give or take what clocks differ by. */
export const isOpen = (stored: number | undefined, window: number) =>
  stored !== undefined && stored >= window && stored <= latestWindow(window);

/** Condition on a row for a request to count within its window, or to open one. */
export const inWindow = (window: number): Condition => ({
  atLeast: { window },
  atMost: { window: latestWindow(window) },
});
export const opensWindow = (window: number): Condition => ({
  any: [{ absent: ['window'] }, { below: { window } }, { above: { window: latestWindow(window) } }],
});

interface Counted {
  keyId: string;
  hash: string;
  ip: string;
  window: number;
  /** Condition on the key for the request to count. */
  allowlist: readonly string[];
}

/** Counts `within` the window that the key has, or as the `first` request of a new one. */
async function count({ keyId, hash, ip, window, allowlist }: Counted, form: 'within' | 'first') {
  const now = timestamp();
  const use = { lastUsedAt: now, lastUsedIp: ip };
  const isValid = {
    is: { hash, revokedAt: null, ipAllowlist: allowlist },
    any: [{ is: { expiresAt: null } }, { above: { expiresAt: now } }],
  };
  const isBelowLimit = {
    any: [
      { below: { used: new Attribute('rateLimitPerMinute') } },
      { is: { rateLimitPerMinute: null }, below: { used: env('RATE_LIMIT_PER_MINUTE') } },
    ],
  };
  const { item, refused } = await writeIf({
    key: rowOf({ keyId }),
    ...(form === 'within'
      ? {
          add: { used: 1 },
          set: use,
          if: { all: [isValid, isBelowLimit, inWindow(window)] },
        }
      : {
          set: { ...use, used: 1, window },
          if: { all: [isValid, opensWindow(window)] },
        }),
  });
  if (item) return { ok: true, key: v.parse(Keys.schema, item) } as const;
  return { ok: false, key: refused && v.parse(Keys.schema, refused) } as const;
}

const sameHash = (a: string, b: string) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

const anonymousPerMinute = 60;

/**
 * Counts a request that no key's minute counts against its client's address: 60 a minute (contract 0.6), those without a valid key
 * together, those with a key that is not allowed from there by themselves.
 */
export async function countAnonymous(ip: string, refusedKeyId?: string): Promise<Allowance> {
  const window = currentWindow();
  const allowance = { limit: anonymousPerMinute, remaining: 0, resetAt: window + 60, exceeded: true };
  const { item } = await writeIf({
    key: rowKey('address', { ip, window: refusedKeyId === undefined ? window : `${window}#${refusedKeyId}` }),
    add: { used: 1 },
    set: { expiresAtSeconds: window + 120 },
    if: { any: [{ absent: ['used'] }, { below: { used: anonymousPerMinute } }] },
  });
  return item ? { ...allowance, remaining: anonymousPerMinute - Number(item['used']), exceeded: false } : allowance;
}

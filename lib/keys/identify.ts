import { createHash, timingSafeEqual } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as v from 'valibot';
import { epochSeconds, timestamp } from '#lib/clock.ts';
import { env } from '#lib/env.ts';
import { Problem } from '#lib/problem.ts';
import type { Scope } from '#lib/scopes.ts';
import { documentClient } from '#lib/table/client.ts';
import type { Tenant } from '#lib/tenant.ts';
import { Keys, type StoredKey } from './key.ts';

/** What a request may still do in the current minute (contract 0.6). */
export interface Allowance {
  limit: number;
  remaining: number;
  /** Unix seconds of the next minute. */
  resetAt: number;
  exceeded: boolean;
}

/** Whose key it is and what it may do. */
export interface Caller {
  tenant: Tenant;
  keyId: string;
  scopes: readonly Scope[];
  ipAllowlist: readonly string[];
  ip: string;
}

export const hashKey = (key: string) => createHash('sha256').update(key).digest('hex');

const keyForm = /^csk_(live|test)_([A-Za-z0-9]{12})([A-Za-z0-9]{32})$/;

export type UnauthorizedReason = 'missing_key' | 'malformed_key' | 'unknown_key' | 'revoked_key' | 'expired_key';

const sentences: Record<UnauthorizedReason, string> = {
  missing_key: 'send an API key in the header Authorization: Bearer <API_KEY>',
  malformed_key: 'the API key does not have the form csk_<env>_<keyId><secret>',
  unknown_key: 'the API key is not known',
  revoked_key: 'the API key was revoked',
  expired_key: 'the API key has expired',
};

/** RFC 9110 asks for it with every 401; it names no OAuth metadata, because there is none. */
const challenge = { headers: { 'WWW-Authenticate': 'Bearer realm="api"' } };

const unauthorized = (reason: UnauthorizedReason) =>
  new Problem('unauthorized', sentences[reason], { reason }, challenge);

/** A 401 of a key that exists, which the audit trail records. */
export class KnownKeyRefused extends Problem {
  readonly tenant: Tenant;
  readonly keyId: string;

  constructor(reason: UnauthorizedReason, key: StoredKey) {
    super('unauthorized', sentences[reason], { reason }, challenge);
    this.tenant = { workspaceId: key.workspaceId, env: key.env };
    this.keyId = key.keyId;
  }
}

const currentWindow = () => Math.floor(epochSeconds() / 60) * 60;

/**
 * The caller behind an `Authorization` header, and one request counted against its minute: secret, revocation, expiry and
 * count are one conditional update (a second one at the first request of a minute). Over the limit the caller comes back with
 * `exceeded`, so that a missing scope can still be told. Raises 401.
 */
export async function identify(
  authorization: string | undefined,
  ip: string,
): Promise<{ caller: Caller; allowance: Allowance }> {
  if (!authorization?.trim()) throw unauthorized('missing_key');
  const [scheme, key = ''] = authorization.trim().split(/\s+/);
  if (scheme?.toLowerCase() !== 'bearer') throw unauthorized('missing_key');
  const keyId = keyForm.exec(key)?.[2];
  if (keyId === undefined) throw unauthorized('malformed_key');
  const hash = hashKey(key);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const window = currentWindow();
    const counted = await count(keyId, hash, ip, window, 'within');
    if (counted.ok) return known(counted.key, ip, window, false);
    const { key: stored } = counted;
    if (stored === undefined || !sameHash(stored.hash, hash)) throw unauthorized('unknown_key');
    if (stored.revokedAt !== null) throw new KnownKeyRefused('revoked_key', stored);
    if (stored.expiresAt !== null && stored.expiresAt <= timestamp()) throw new KnownKeyRefused('expired_key', stored);
    if (stored.window !== undefined && stored.window >= window) return known(stored, ip, window, true);
    const opened = await count(keyId, hash, ip, window, 'first');
    if (opened.ok) return known(opened.key, ip, window, false);
  }
  throw new Error('the window of a key could not be opened');
}

function known(key: StoredKey, ip: string, window: number, exceeded: boolean) {
  const limit = key.rateLimitPerMinute ?? env('RATE_LIMIT_PER_MINUTE');
  const caller: Caller = {
    tenant: { workspaceId: key.workspaceId, env: key.env },
    keyId: key.keyId,
    scopes: key.scopes,
    ipAllowlist: key.ipAllowlist,
    ip,
  };
  return {
    caller,
    allowance: {
      limit,
      remaining: exceeded ? 0 : Math.max(0, limit - (key.used ?? 0)),
      resetAt: window + 60,
      exceeded,
    },
  };
}

const valid =
  '#hash = :hash AND attribute_type(revokedAt, :null) AND (attribute_type(expiresAt, :null) OR expiresAt > :now)';

const forms = {
  within: {
    UpdateExpression: 'SET used = used + :one, lastUsedAt = :now, lastUsedIp = :ip',
    ConditionExpression: `${valid} AND #window >= :window AND (used < rateLimitPerMinute OR (attribute_type(rateLimitPerMinute, :null) AND used < :limit))`,
  },
  first: {
    UpdateExpression: 'SET used = :one, #window = :window, lastUsedAt = :now, lastUsedIp = :ip',
    ConditionExpression: `${valid} AND (attribute_not_exists(#window) OR #window < :window)`,
  },
};

async function count(keyId: string, hash: string, ip: string, window: number, form: keyof typeof forms) {
  try {
    const { Attributes } = await documentClient().send(
      new UpdateCommand({
        TableName: env('TABLE_NAME'),
        Key: { pk: `KEY#${keyId}`, sk: 'KEY' },
        ...forms[form],
        ExpressionAttributeNames: { '#hash': 'hash', '#window': 'window' },
        ExpressionAttributeValues: {
          ':hash': hash,
          ':null': 'NULL',
          ':now': timestamp(),
          ':one': 1,
          ':ip': ip,
          ':window': window,
          ...(form === 'within' ? { ':limit': env('RATE_LIMIT_PER_MINUTE') } : {}),
        },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { ok: true, key: v.parse(Keys.schema, Attributes) } as const;
  } catch (error) {
    if ((error as { name?: string }).name !== 'ConditionalCheckFailedException') throw error;
    const { Item } = error as { Item?: Parameters<typeof unmarshall>[0] };
    return { ok: false, key: Item && v.parse(Keys.schema, unmarshall(Item)) } as const;
  }
}

const sameHash = (a: string, b: string) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

const anonymousPerMinute = 60;

/** Counts a request without a valid key against its client's address: 60 a minute (contract 0.6). */
export async function countAnonymous(ip: string): Promise<Allowance> {
  const window = currentWindow();
  const allowance = { limit: anonymousPerMinute, remaining: 0, resetAt: window + 60, exceeded: true };
  try {
    const { Attributes } = await documentClient().send(
      new UpdateCommand({
        TableName: env('TABLE_NAME'),
        Key: { pk: `IP#${ip}`, sk: String(window) },
        UpdateExpression: 'ADD used :one SET expiresAtSeconds = :gone',
        ConditionExpression: 'attribute_not_exists(used) OR used < :limit',
        ExpressionAttributeValues: { ':one': 1, ':gone': window + 120, ':limit': anonymousPerMinute },
        ReturnValues: 'ALL_NEW',
      }),
    );
    return { ...allowance, remaining: anonymousPerMinute - (Attributes?.['used'] as number), exceeded: false };
  } catch (error) {
    if ((error as { name?: string }).name === 'ConditionalCheckFailedException') return allowance;
    throw error;
  }
}

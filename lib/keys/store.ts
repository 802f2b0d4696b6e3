import { randomInt } from 'node:crypto';
import * as v from 'valibot';
import { isAddressOrRange } from '#lib/network/addresses.ts';
import { choice, integer, nullableTimeInput, text } from '#lib/schema.ts';
import { type Scope, scopes } from '#lib/scopes.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { hashKey } from './identify.ts';
import { Keys, type StoredKey } from './key.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const random = (length: number) => Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

/** What a key may be made with (contract section 18). */
export const KeyFields = {
  name: text(100),
  scopes: v.pipe(v.array(choice(scopes)), v.minLength(1, 'must have at least 1 scope')),
  ipAllowlist: v.pipe(
    v.array(v.pipe(v.string(), v.trim(), v.check(isAddressOrRange, 'must be an IPv4 or IPv6 address or CIDR'))),
    v.maxLength(50, 'must have at most 50 entries'),
  ),
  expiresAt: nullableTimeInput(),
  rateLimitPerMinute: v.nullable(integer(1, 1_000_000)),
};

export interface NewKey {
  name: string;
  scopes: readonly Scope[];
  ipAllowlist: readonly string[];
  expiresAt: string | null;
  rateLimitPerMinute: number | null;
  createdByKeyId: string | null;
}

/** Makes a key for the environment of the unit of work. Returns it with the full value, which is never readable again. */
export async function mintKey(tx: Transaction, input: NewKey): Promise<StoredKey & { key: string }> {
  const keyId = random(12);
  const key = `csk_${tx.tenant.env}_${keyId}${random(32)}`;
  const stored = tx.create(Keys, {
    ...input,
    scopes: [...new Set(input.scopes)],
    ipAllowlist: [...input.ipAllowlist],
    id: await tx.nextId(Keys),
    keyId,
    hash: hashKey(key),
    workspaceId: tx.tenant.workspaceId,
    env: tx.tenant.env,
    lastUsedAt: null,
    lastUsedIp: null,
    createdAt: tx.now,
    revokedAt: null,
  });
  tx.emit({
    kind: 'key.created',
    subject: `key/${stored.id}`,
    data: { key_id: keyId, name: stored.name, scopes: stored.scopes, env: stored.env, actor: tx.eventActor },
  });
  return { ...stored, key };
}

/** Revokes a key at once; a revoked key stays as it is. */
export function revokeKey(tx: Transaction, key: StoredKey): StoredKey {
  if (key.revokedAt !== null) return key;
  tx.emit({
    kind: 'key.revoked',
    subject: `key/${key.id}`,
    data: { key_id: key.keyId, name: key.name, scopes: key.scopes, env: key.env, actor: tx.eventActor },
  });
  return tx.update(Keys, { ...key, revokedAt: tx.now });
}

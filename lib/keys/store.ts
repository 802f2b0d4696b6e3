import { randomInt } from 'node:crypto';
import type * as v from 'valibot';
import { env } from '#lib/env.ts';
import { isWithin } from '#lib/network/addresses.ts';
import { conflict, invalidField, notFound, Problem } from '#lib/problem.ts';
import type { Scope } from '#lib/scopes.ts';
import { entityPartition } from '#lib/table/entity.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { type Caller, hashKey } from './identify.ts';
import { type KeyQuery, Keys, type PatchKey, type StoredKey, shownKey } from './key.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const random = (length: number) => Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

const maxActiveKeys = 100;

type Shown = ReturnType<typeof shownKey>;

/** Keys of both environments in descending order of id. */
export async function listKeys(tx: Transaction, query: v.InferOutput<typeof KeyQuery>): Promise<Page<Shown>> {
  const { env: environment, isRevoked } = query;
  const page = await listPage(tx, Keys, {
    after: query.after,
    limit: query.limit,
    indexes: ['all'],
    matches: (key) =>
      (environment === undefined || key.env === environment) &&
      (isRevoked === undefined || (key.revokedAt !== null) === isRevoked),
  });
  return { ...page, items: page.items.map(shownKey) };
}

/** A key by its integer id. Raises 404. */
export const getKey = async (tx: Transaction, id: number): Promise<Shown> => shownKey(await getStoredKey(tx, id));

async function getStoredKey(tx: Transaction, id: number): Promise<StoredKey> {
  const { items } = await listPage(tx, Keys, { after: id + 1, limit: 1, indexes: ['all'] });
  const [key] = items;
  if (key?.id !== id) throw notFound('key');
  return key;
}

/** The same, to be changed. Raises 403 for a live key that a test key would change: the sandbox touches nothing real. */
async function getKeyToChange(tx: Transaction, id: number): Promise<StoredKey> {
  const key = await getStoredKey(tx, id);
  if (key.env === 'live' && tx.tenant.env === 'test')
    throw new Problem('forbidden', 'a test key cannot change a live key', { reason: 'live_key' });
  return key;
}

export interface NewKey {
  name: string;
  scopes: readonly Scope[];
  ipAllowlist: readonly string[];
  expiresAt: string | null;
}

/**
 * Makes a key for the environment of the unit of work. Returns it with the full value, which is never readable again.
 * Emits key.created. Raises 409 at 100 keys that are not revoked.
 */
export async function mintKey(
  tx: Transaction,
  input: NewKey,
  { createdByKeyId, rateLimitPerMinute }: { createdByKeyId: string | null; rateLimitPerMinute: number | null },
): Promise<Shown & { key: string }> {
  demandFuture(tx, input.expiresAt);
  const keyId = random(12);
  const key = `csk_${tx.tenant.env}_${keyId}${random(32)}`;
  const stored = tx.create(Keys, {
    name: input.name,
    scopes: [...new Set(input.scopes)],
    ipAllowlist: [...input.ipAllowlist],
    expiresAt: input.expiresAt,
    rateLimitPerMinute,
    createdByKeyId,
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
  countActive(tx, 1);
  emitKeyEvent(tx, 'key.created', stored);
  return { ...shownKey(stored), key };
}

/** A key minted with another one: no scope that the caller lacks (403). */
export function mintKeyAs(tx: Transaction, caller: Caller, input: NewKey): Promise<Shown & { key: string }> {
  demandScopes(input.scopes, caller.scopes);
  return mintKey(tx, input, { createdByKeyId: caller.keyId, rateLimitPerMinute: null });
}

/** Changes the given fields; any scope may go, those that the caller has may come (contract 0.9). */
export async function patchKey(
  tx: Transaction,
  caller: Caller,
  id: number,
  patch: v.InferOutput<typeof PatchKey>,
): Promise<Shown> {
  const key = await getKeyToChange(tx, id);
  if (key.revokedAt !== null) throw conflict('key_revoked', 'a revoked key cannot be changed');
  const scopes = [...new Set(patch.scopes ?? key.scopes)];
  demandScopes(scopes, [...key.scopes, ...caller.scopes]);
  if (patch.expiresAt !== undefined) demandFuture(tx, patch.expiresAt);
  const ipAllowlist = patch.ipAllowlist === undefined ? key.ipAllowlist : (patch.ipAllowlist ?? []);
  if (patch.ipAllowlist && key.keyId === caller.keyId && ipAllowlist.length > 0 && !isWithin(caller.ip, ipAllowlist)) {
    throw conflict('self_lockout', 'the allowlist leaves out the address that this call comes from');
  }
  return shownKey(
    tx.update(Keys, {
      ...key,
      name: patch.name ?? key.name,
      scopes,
      ipAllowlist,
      expiresAt: patch.expiresAt === undefined ? key.expiresAt : patch.expiresAt,
    }),
  );
}

/** Revokes a key at once; a revoked key stays as it is. Emits key.revoked. Raises 403, 404. */
export async function revokeKey(tx: Transaction, id: number) {
  const { keyId, revokedAt } = revoke(tx, await getKeyToChange(tx, id));
  return { id, keyId, revoked: true as const, revokedAt };
}

/** The same by the public part of the key. */
export const revokeKeyById = async (tx: Transaction, keyId: string) => revoke(tx, await findByKeyId(tx, keyId));

/** The key with this public part, of whatever workspace: for operators. Raises 404. */
export const findByKeyId = (tx: Transaction, keyId: string): Promise<StoredKey> => tx.get(Keys, { keyId });

function revoke(tx: Transaction, key: StoredKey): StoredKey & { revokedAt: string } {
  const { revokedAt } = key;
  if (revokedAt !== null) return { ...key, revokedAt };
  countActive(tx, -1);
  emitKeyEvent(tx, 'key.revoked', key);
  return { ...tx.update(Keys, { ...key, revokedAt: tx.now }), revokedAt: tx.now };
}

const emitKeyEvent = (tx: Transaction, kind: 'key.created' | 'key.revoked', key: StoredKey) =>
  tx.emit({
    kind,
    subject: `key/${key.id}`,
    data: { key_id: key.keyId, name: key.name, scopes: key.scopes, env: key.env, actor: tx.eventActor },
  });

/** The keys of the workspace that are not revoked; the database refuses one too many. */
function countActive(tx: Transaction, delta: 1 | -1): void {
  tx.write(
    {
      Update: {
        TableName: env('TABLE_NAME'),
        Key: { pk: entityPartition(tx.tenant, Keys, 'key-count'), sk: 'active' },
        UpdateExpression: 'ADD active :delta',
        ...(delta > 0 ? { ConditionExpression: 'attribute_not_exists(active) OR active < :max' } : {}),
        ExpressionAttributeValues: { ':delta': delta, ...(delta > 0 ? { ':max': maxActiveKeys } : {}) },
      },
    },
    () => conflict('limit_reached', `a workspace has at most ${maxActiveKeys} keys that are not revoked`),
  );
}

function demandScopes(wanted: readonly Scope[], allowed: readonly Scope[]): void {
  const requiredScopes = [...new Set(wanted.filter((scope) => !allowed.includes(scope)))];
  if (requiredScopes.length > 0) {
    throw new Problem('forbidden', 'a key can only be given scopes that the calling key has', {
      reason: 'missing_scope',
      requiredScopes,
    });
  }
}

function demandFuture(tx: Transaction, expiresAt: string | null): void {
  if (expiresAt !== null && expiresAt <= tx.now) {
    throw invalidField('expiresAt', 'out_of_range', 'expiresAt must be in the future');
  }
}

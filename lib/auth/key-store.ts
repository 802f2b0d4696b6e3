import type * as v from 'valibot';
import type { Caller } from '#lib/core/caller.ts';
import { env } from '#lib/core/env.ts';
import { conflict, invalidField, notFound, Problem } from '#lib/core/problem.ts';
import { randomText } from '#lib/core/random.ts';
import type { Scope } from '#lib/core/scopes.ts';
import { isRangeWithin, isWithin } from '#lib/network/addresses.ts';
import { rowKey } from '#lib/table/keys.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import { leaveSaga } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { hashKey } from './identify-key.ts';
import { Keys, type StoredKey, toKeyView } from './key.ts';
import type { KeyQuery, MintKey, PatchKey } from './key-schema.ts';

const maxActiveKeys = 100;

type Shown = ReturnType<typeof toKeyView>;

/** Keys of both environments in descending order of id. */
export async function listKeys(tx: UnitOfWork, query: v.InferOutput<typeof KeyQuery>): Promise<Page<Shown>> {
  const page = await listPage(tx, Keys, {
    ...listingFrom(Keys, query, {
      env: (environment) => ({ matches: (key) => key.env === environment }),
      isRevoked: (isRevoked) => ({ matches: ({ revokedAt }) => (revokedAt !== null) === isRevoked }),
    }),
    where: { all: true },
  });
  return { ...page, items: page.items.map(toKeyView) };
}

/** A key by its integer id. Raises 404. */
export const getKey = async (tx: UnitOfWork, id: number): Promise<Shown> => toKeyView(await getStoredKey(tx, id));

async function getStoredKey(tx: UnitOfWork, id: number): Promise<StoredKey> {
  const { items } = await listPage(tx, Keys, { after: id + 1, limit: 1, where: { all: true }, requiresAll: true });
  const [key] = items;
  if (key?.id !== id) throw notFound('key');
  return key;
}

/** The same, to be changed. Raises 403 for a live key that a test key would change: the sandbox touches nothing real. */
async function getKeyToChange(tx: UnitOfWork, id: number): Promise<StoredKey> {
  const key = await getStoredKey(tx, id);
  if (key.env !== 'test' && tx.tenant.env === 'test')
    throw new Problem('forbidden', 'a test key cannot change a live key: use a live key', { reason: 'live_key' });
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
  tx: UnitOfWork,
  input: NewKey,
  { createdByKeyId, rateLimitPerMinute }: { createdByKeyId: string | null; rateLimitPerMinute: number | null },
): Promise<Shown & { key: string }> {
  requireFuture(tx, input.expiresAt);
  const keyId = randomText(12);
  const key = `csk_${tx.tenant.env}_${keyId}${randomText(32)}`;
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
  return { ...toKeyView(stored), key };
}

/** A key minted with another one, whose expiry and allowlist it gets where it names none of its own, and no higher rate. */
export const mintKeyAs = (
  tx: UnitOfWork,
  caller: Caller,
  { name, scopes, ...input }: v.InferOutput<typeof MintKey>,
): Promise<Shown & { key: string }> =>
  mintKey(
    tx,
    { name, scopes, ipAllowlist: input.ipAllowlist ?? caller.ipAllowlist, expiresAt: expiryOf(input, caller) },
    {
      createdByKeyId: caller.keyId,
      rateLimitPerMinute: Math.min(caller.rateLimitPerMinute, env('RATE_LIMIT_PER_MINUTE')),
    },
  );

const expiryOf = (given: { expiresAt?: string | null | undefined }, { expiresAt }: Pick<Caller, 'expiresAt'>) =>
  given.expiresAt === undefined ? expiresAt : given.expiresAt;

/** Raises 403 where the caller would mint a key that is stronger than its own (contract, Revision 1.3). */
export function permitMint(caller: Caller, input: v.InferOutput<typeof MintKey>): void {
  requireScopes(input.scopes, caller.scopes);
  requireNotStronger(caller, input);
}

/**
 * Raises 403 where the caller would change a key that is stronger than its own, or make it so; a live key with a test key; 404
 * when there is none.
 */
export async function permitPatch(
  tx: UnitOfWork,
  caller: Caller,
  id: number,
  { scopes, ipAllowlist, ...patch }: v.InferOutput<typeof PatchKey>,
): Promise<void> {
  const key = toKeyView(await getKeyToChange(tx, id));
  if (key.scopes.some((scope) => !caller.scopes.includes(scope))) throw stronger('scopes');
  if (key.rateLimitPerMinute > caller.rateLimitPerMinute) throw stronger('rateLimitPerMinute');
  requireNotStronger(caller, key);
  if (scopes) requireScopes(scopes, caller.scopes);
  requireNotStronger(caller, { ...patch, ipAllowlist: ipAllowlist === null ? [] : ipAllowlist });
}

/** Changes the given fields of a key that `permitPatch` lets be changed. Raises 404, 409, 400 for a time that is over. */
export async function patchKey(
  tx: UnitOfWork,
  caller: Caller,
  id: number,
  patch: v.InferOutput<typeof PatchKey>,
): Promise<Shown> {
  const key = await getKeyToChange(tx, id);
  if (key.revokedAt !== null) throw conflict('key_revoked', 'the key is revoked and cannot change: create a new one');
  const scopes = [...new Set(patch.scopes ?? key.scopes)];
  if (patch.expiresAt !== undefined) requireFuture(tx, patch.expiresAt);
  const ipAllowlist = patch.ipAllowlist === undefined ? key.ipAllowlist : (patch.ipAllowlist ?? []);
  if (patch.ipAllowlist && key.keyId === caller.keyId && ipAllowlist.length > 0 && !isWithin(caller.ip, ipAllowlist)) {
    throw conflict(
      'self_lockout',
      `the ipAllowlist leaves out ${caller.ip}, the address of this call: include it, or use another key`,
    );
  }
  return toKeyView(
    tx.update(Keys, {
      ...key,
      name: patch.name ?? key.name,
      scopes,
      ipAllowlist,
      expiresAt: patch.expiresAt === undefined ? key.expiresAt : patch.expiresAt,
    }),
  );
}

/** Revokes a key at once, and has its private views deleted; a revoked key stays as it is. Emits key.revoked. Raises 403, 404. */
export async function revokeKey(tx: UnitOfWork, id: number) {
  const { keyId, env: environment, revokedAt } = revoke(tx, await getKeyToChange(tx, id));
  return { id, keyId, env: environment, revoked: true as const, revokedAt };
}

/** The same by the public part of the key. */
export const revokeKeyById = async (tx: UnitOfWork, keyId: string) => revoke(tx, await findByKeyId(tx, keyId));

/** The key with this public part, of whatever workspace: for operators. Raises 404. */
export const findByKeyId = (tx: UnitOfWork, keyId: string): Promise<StoredKey> => tx.get(Keys, { keyId });

function revoke(tx: UnitOfWork, key: StoredKey): StoredKey & { revokedAt: string } {
  const { revokedAt } = key;
  if (revokedAt !== null) return { ...key, revokedAt };
  countActive(tx, -1);
  emitKeyEvent(tx, 'key.revoked', key);
  leaveSaga(tx, 'key-views', { keyId: key.keyId, env: key.env });
  return { ...tx.update(Keys, { ...key, revokedAt: tx.now }), revokedAt: tx.now };
}

const emitKeyEvent = (tx: UnitOfWork, kind: 'key.created' | 'key.revoked', key: StoredKey) =>
  tx.emit({
    kind,
    subject: `key/${key.id}`,
    data: { key_id: key.keyId, name: key.name, scopes: key.scopes, env: key.env, actor: tx.eventActor },
  });

/** The keys of the workspace that are not revoked; the database refuses one too many. */
function countActive(tx: UnitOfWork, delta: 1 | -1): void {
  tx.write(
    {
      key: rowKey('activeKeys', { workspace: tx.tenant.workspaceId }),
      add: { active: delta },
      if: delta > 0 ? { any: [{ absent: ['active'] }, { below: { active: maxActiveKeys } }] } : undefined,
    },
    () => conflict('limit_reached', `a workspace has at most ${maxActiveKeys} active keys: revoke one first`),
  );
}

function requireScopes(wanted: readonly Scope[], allowed: readonly Scope[]): void {
  const requiredScopes = [...new Set(wanted.filter((scope) => !allowed.includes(scope)))];
  if (requiredScopes.length > 0) {
    throw new Problem(
      'forbidden',
      `the calling key lacks ${requiredScopes.join(', ')}: leave these scopes out, or use a key that has them`,
      {
        reason: 'missing_scope',
        requiredScopes,
      },
    );
  }
}

/** Bounds of a key that must not exceed those of its maker. */
type Bound = 'scopes' | 'rateLimitPerMinute' | 'expiresAt' | 'ipAllowlist';

const stronger = (field: Bound) =>
  new Problem(
    'forbidden',
    `the key would be stronger than the calling key in ${field}: ask for less, or use a stronger key`,
    { reason: 'stronger_key', field },
  );

/** Checks that a new key neither outlives the caller nor can be used from more addresses. */
function requireNotStronger(
  caller: Caller,
  { expiresAt, ipAllowlist }: { expiresAt?: string | null | undefined; ipAllowlist?: readonly string[] | undefined },
): void {
  if (expiresAt !== undefined && caller.expiresAt !== null && (expiresAt === null || expiresAt > caller.expiresAt))
    throw stronger('expiresAt');
  const isWider = ({ ipAllowlist: own }: Caller, wanted: readonly string[]) =>
    own.length > 0 && (wanted.length === 0 || wanted.some((range) => !isRangeWithin(range, own)));
  if (ipAllowlist !== undefined && isWider(caller, ipAllowlist)) throw stronger('ipAllowlist');
}

function requireFuture(tx: UnitOfWork, expiresAt: string | null): void {
  if (expiresAt !== null && expiresAt <= tx.now) {
    throw invalidField('expiresAt', 'out_of_range', 'expiresAt must be in the future');
  }
}

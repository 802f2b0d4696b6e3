import * as v from 'valibot';
import { env } from '#lib/env.ts';
import { isAddressOrRange } from '#lib/network/addresses.ts';
import {
  choice,
  count,
  id,
  integer,
  line,
  listInput,
  nullableTimeInput,
  paging,
  queryBoolean,
  shownOnce,
  storedChoice,
  time,
} from '#lib/schema.ts';
import { scopes } from '#lib/scopes.ts';
import { entity } from '#lib/table/entity.ts';
import { rowKey } from '#lib/table/keys.ts';
import { environments } from '#lib/tenant.ts';

const shown = {
  id: id(),
  keyId: v.string(),
  name: v.string(),
  env: storedChoice(environments),
  scopes: v.array(storedChoice(scopes)),
  ipAllowlist: v.array(v.string()),
  rateLimitPerMinute: count(),
  lastUsedAt: v.nullable(time()),
  lastUsedIp: v.nullable(v.string()),
  expiresAt: v.nullable(time()),
  createdByKeyId: v.nullable(v.string()),
  createdAt: time(),
  revokedAt: v.nullable(time()),
};

/** A key as everybody may see it (contract section 18). */
export const Key = v.pipe(v.object(shown), v.title('Key'));
/** Every call with the key changes these. */
export const volatileKeyFields = ['lastUsedAt', 'lastUsedIp'];
/** The one answer that holds the full value. */
export const MintedKey = v.pipe(v.object({ ...shown, key: shownOnce() }), v.title('MintedKey'));

export const RevokedKey = v.pipe(
  v.object({
    id: id(),
    keyId: v.string(),
    revoked: v.literal(true),
    revokedAt: time(),
    /** Only with `cancelQueued`. */
    canceledJobs: v.optional(count()),
  }),
  v.title('RevokedKey'),
);

export const RevokeQuery = v.object({ cancelQueued: v.optional(queryBoolean(), false) });

const ipAllowlist = listInput(
  v.pipe(v.string(), v.trim(), v.check(isAddressOrRange, 'must be an IPv4 or IPv6 address or CIDR')),
  50,
  'entries',
);
/** More than there are, because one may be named twice. */
const maxScopes = 100;
const granted = v.pipe(
  listInput(choice(scopes), maxScopes, 'scopes'),
  v.minLength(1, 'must have at least 1 scope'),
  v.description(
    'Scopes reach further than their names: `webhooks:read` reads the contents of every event by `GET /v1/events`, message texts, transactions and invoices among them; whoever may write a resource also reads it, because writes answer with it (`PATCH` with `{}`).',
  ),
);

export const MintKey = v.pipe(
  v.object({
    name: line(100),
    scopes: granted,
    ipAllowlist: v.optional(ipAllowlist),
    expiresAt: v.optional(nullableTimeInput()),
  }),
  v.title('MintKey'),
);

export const PatchKey = v.pipe(
  v.object({
    name: v.optional(line(100)),
    scopes: v.optional(granted),
    ipAllowlist: v.optional(v.nullable(ipAllowlist)),
    expiresAt: v.optional(nullableTimeInput()),
  }),
  v.title('PatchKey'),
);

/** What an operator may choose besides. */
export const OperatorKey = v.object({
  ...MintKey.entries,
  name: v.optional(line(100), 'Operator key'),
  ipAllowlist: v.optional(ipAllowlist, []),
  expiresAt: v.optional(nullableTimeInput(), null),
  scopes: v.union(
    [
      v.pipe(
        v.literal('all'),
        v.transform(() => [...scopes]),
      ),
      granted,
    ],
    'must be "all" or a list of scopes',
  ),
  rateLimitPerMinute: v.optional(v.nullable(integer(1, 1_000_000)), null),
});

export const KeyQuery = v.object({
  ...paging,
  env: v.optional(choice(environments)),
  isRevoked: v.optional(queryBoolean()),
});

/** An API key with its requests of this minute; found without knowing the workspace. */
export const Keys = entity({
  name: 'key',
  scope: 'workspace',
  schema: v.object({
    id: id(),
    keyId: v.string(),
    workspaceId: id(),
    name: v.string(),
    env: storedChoice(environments),
    /** SHA-256 of the whole key, hex. */
    hash: v.string(),
    scopes: v.array(storedChoice(scopes)),
    ipAllowlist: v.array(v.string()),
    rateLimitPerMinute: v.nullable(count()),
    lastUsedAt: v.optional(v.nullable(v.string()), null),
    lastUsedIp: v.optional(v.nullable(v.string()), null),
    expiresAt: v.nullable(v.string()),
    createdByKeyId: v.nullable(v.string()),
    createdAt: v.string(),
    revokedAt: v.nullable(v.string()),
    /** The minute (Unix seconds) of the current window and the requests counted in it; lib/keys/identify.ts keeps them. */
    window: v.optional(v.number()),
    used: v.optional(v.number()),
  }),
  countedBeside: ['window', 'used', 'lastUsedAt', 'lastUsedIp'],
  partitionKey: ({ keyId }) => rowKey('key', { keyId }).pk,
  sortKey: ({ keyId }) => rowKey('key', { keyId }).sk,
  indexes: { all: {} },
});

export type StoredKey = v.InferOutput<(typeof Keys)['schema']>;

/** The key as it is shown: with the rate that holds for it. */
export const shownKey = (key: StoredKey) => ({
  ...key,
  rateLimitPerMinute: key.rateLimitPerMinute ?? env('RATE_LIMIT_PER_MINUTE'),
});
